internal import CZeroMQ

/// Something to wait for: a socket or a descriptor.
package enum PollItem {
  case socket(Socket)
  case descriptor(Int32)
}

/// Waits until one of the items is readable or broken, or for `timeout`, rounded up to whole milliseconds (zmq_poll). A signal
/// ends the wait early.
///
/// - Returns: for each item whether it is readable.
package func poll(_ items: [PollItem], timeout: Duration) throws(ZeroMQError) -> [Bool] {
  var entries = unsafe items.map { item in
    switch item {
    case .socket(let socket): unsafe zmq_pollitem_t(socket: socket.handle, fd: -1, events: Int16(ZMQ_POLLIN), revents: 0)
    case .descriptor(let number): unsafe zmq_pollitem_t(socket: nil, fd: number, events: Int16(ZMQ_POLLIN), revents: 0)
    }
  }
  let (seconds, attoseconds) = max(timeout, .zero).components
  // The timeout is rounded up, because a wait that ends just before the work is due would be repeated at once, again and again.
  let milliseconds = min(seconds, 86_400) * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  guard unsafe zmq_poll(&entries, Int32(entries.count), Int(milliseconds)) >= 0 || zmq_errno() == EINTR else {
    throw ZeroMQError("zmq_poll")
  }
  return unsafe entries.map { unsafe $0.revents != 0 }
}
