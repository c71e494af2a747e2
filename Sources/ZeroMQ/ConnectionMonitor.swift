internal import CZeroMQ

/// Tells which connections of a socket have ended: a peer's process died, its machine answers no pings, or it closed the
/// connection. Poll `socket`, and call `ended` when it is readable.
package final class ConnectionMonitor {
  package let socket: Socket

  /// - Precondition: the only monitor of the context.
  package init(of watched: Socket, in context: Context) throws(ZeroMQError) {
    let endpoint = "inproc://connections"
    guard unsafe zmq_socket_monitor(watched.handle, endpoint, ZMQ_EVENT_DISCONNECTED) == 0 else {
      throw ZeroMQError("zmq_socket_monitor")
    }
    socket = try Socket(.pair, in: context)
    try socket.connect(endpoint)
  }

  /// The connections that ended since the last time, as `Socket.Received.connection` numbers them.
  package func ended() throws(ZeroMQError) -> [Int32] {
    var ended: [Int32] = []
    while let event = try socket.receive() {
      // zmq_socket_monitor(3): the event in 16 bits, its value in 32, both in the machine's order; then the endpoint.
      guard let bytes = event.frames.first, bytes.count == 6 else { continue }
      let value = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 2, as: Int32.self) }
      ended.append(value)
    }
    return ended
  }
}
