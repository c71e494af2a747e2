internal import CZeroMQ

/// Something to wait for.
package enum PollItem {
  case socket(Socket)
  case descriptor(Int32)
}

/// Waits until one of the items is readable (or broken), or for `timeoutMilliseconds` (zmq_poll). A signal ends the wait early.
///
/// - Returns: for each item whether it is readable.
package func poll(_ items: [PollItem], timeoutMilliseconds: Int) throws(ZeroMQError) -> [Bool] {
  var entries = unsafe items.map { item in
    switch item {
    case .socket(let socket): unsafe zmq_pollitem_t(socket: socket.handle, fd: -1, events: Int16(ZMQ_POLLIN), revents: 0)
    case .descriptor(let number): unsafe zmq_pollitem_t(socket: nil, fd: number, events: Int16(ZMQ_POLLIN), revents: 0)
    }
  }
  guard unsafe zmq_poll(&entries, Int32(entries.count), timeoutMilliseconds) >= 0 || zmq_errno() == EINTR else {
    throw ZeroMQError("zmq_poll")
  }
  return unsafe entries.map { unsafe $0.revents != 0 }
}
