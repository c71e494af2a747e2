internal import CZeroMQ
internal import Linux

/// Something to wait for: a socket or a descriptor.
package enum PollItem {
  case socket(Socket)
  case descriptor(Int32)
}

/// Waits until one of the items is readable or broken, or for `timeout`, rounded up to whole milliseconds (zmq_poll). Signals
/// do not end the wait.
///
/// - Returns: for each item whether it is readable.
package func poll(_ items: [PollItem], timeout: Duration) throws(ZeroMQError) -> [Bool] {
  var entries = unsafe items.map { item in
    switch item {
    case .socket(let socket): unsafe zmq_pollitem_t(socket: socket.handle, fd: -1, events: Int16(ZMQ_POLLIN), revents: 0)
    case .descriptor(let number): unsafe zmq_pollitem_t(socket: nil, fd: number, events: Int16(ZMQ_POLLIN), revents: 0)
    }
  }
  let count = SystemCall.uninterrupted(within: timeout) { unsafe zmq_poll(&entries, Int32(entries.count), Int($0)) }
  guard count >= 0 else { throw ZeroMQError("zmq_poll") }
  return unsafe entries.map { unsafe $0.revents != 0 }
}
