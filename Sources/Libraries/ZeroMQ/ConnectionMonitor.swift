internal import CZeroMQ
internal import Synchronization

/// A monitor of a socket's connections. Poll `socket`, and call `events` or `ended` when it is readable.
package final class ConnectionMonitor {
  package enum Event: Hashable, Sendable {
    /// The other end accepted the connection. The handshake is still to come.
    case connected
    /// No connection could be made: nothing listens there, or nobody can be reached. libzmq tries again.
    case retried
    /// The handshake succeeded.
    case letIn
    /// The server does not allow the key. `status` is the status of ZAP, such as 400.
    case keyRefused(status: Int32)
    /// The other end does not speak ZeroMQ's protocol, or not the security mechanism that this end wants. `code` is one of
    /// ZMQ_PROTOCOL_ERROR_….
    case misunderstood(code: Int32)
    /// The other end hung up or fell silent during the handshake. `code` is an errno.
    case brokenOff(code: Int32)
    /// A connection ended. `connection` is the number in `Socket.Received.connection`.
    case ended(connection: Int32)
  }

  package let socket: Socket
  /// The watched socket, kept open until monitoring has ended.
  private let watched: Socket

  private static let names = Atomic(0)
  private static let kinds =
    ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL

  /// Starts to monitor a socket.
  ///
  /// - Parameter onlyEnds: whether only `ended` is reported. A server would otherwise hear of strangers as often as they like.
  package init(of watched: Socket, in context: Context, onlyEnds: Bool = false) throws(ZeroMQError) {
    let endpoint = "inproc://connections-\(Self.names.wrappingAdd(1, ordering: .relaxed).newValue)"
    let kinds = ZMQ_EVENT_DISCONNECTED | (onlyEnds ? 0 : Self.kinds)
    self.watched = watched
    var options = SocketOptions()
    // The queue has no bound, because libzmq's thread would wait for this one if it were full.
    options.receivedMessages = 0
    socket = try Socket(.pair, in: context, options)
    guard unsafe zmq_socket_monitor(watched.handle, endpoint, kinds) == 0 else { throw ZeroMQError("zmq_socket_monitor") }
    try socket.connect(endpoint)
  }

  // Monitoring ends before the socket closes. Otherwise libzmq's thread would wait for ever to report to a socket that is gone.
  deinit { unsafe zmq_socket_monitor(watched.handle, nil, 0) }

  /// The events since the last call, in order.
  package func events() throws(ZeroMQError) -> [Event] {
    var events: [Event] = []
    while let message = try socket.receive() {
      // The format is that of zmq_socket_monitor(3). The first frame has the event in 16 bits and its value in 32 bits, in the
      // machine's byte order. The second frame is the endpoint.
      guard let bytes = message.frames.first, bytes.count == 6 else { continue }
      let kind = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(as: UInt16.self) }
      let value = unsafe bytes.withUnsafeBytes { unsafe $0.loadUnaligned(fromByteOffset: 2, as: Int32.self) }
      switch Int32(kind) {
      case ZMQ_EVENT_CONNECTED: events.append(.connected)
      case ZMQ_EVENT_CONNECT_RETRIED: events.append(.retried)
      case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: events.append(.letIn)
      case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: events.append(.keyRefused(status: value))
      case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: events.append(.misunderstood(code: value))
      case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: events.append(.brokenOff(code: value))
      case ZMQ_EVENT_DISCONNECTED: events.append(.ended(connection: value))
      default: continue
      }
    }
    return events
  }

  /// The connections that ended since the last call, numbered as in `Socket.Received.connection`.
  package func ended() throws(ZeroMQError) -> [Int32] {
    try events().compactMap { if case .ended(let connection) = $0 { connection } else { nil } }
  }
}
