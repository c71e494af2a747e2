internal import CZeroMQ
internal import Synchronization

/// Tells what becomes of the connections of a socket. Poll `socket`, and call `events` or `ended` when it is readable.
package final class ConnectionMonitor {
  package enum Event: Hashable, Sendable {
    /// Something at the other end took the connection; who it is, is still to be said.
    case connected
    /// No connection came about: nothing listens there, or nobody is reached. It is tried again.
    case retried
    /// Both ends know each other.
    case letIn
    /// The server does not allow the key (ZAP's status, such as 400).
    case keyRefused(status: Int32)
    /// What the other end said is not ZeroMQ's protocol, or not the mechanism that this end wants (ZMQ_PROTOCOL_ERROR_…).
    case misunderstood(code: Int32)
    /// The other end hung up, or fell silent, before both knew each other (errno).
    case brokenOff(code: Int32)
    /// A connection is no more; the number is `Socket.Received.connection`.
    case ended(connection: Int32)
  }

  package let socket: Socket
  /// Held so that it is open until it is watched no longer.
  private let watched: Socket

  private static let names = Atomic(0)
  private static let kinds =
    ZMQ_EVENT_CONNECTED | ZMQ_EVENT_CONNECT_RETRIED | ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH
    | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL

  /// - Parameter onlyEnds: to be told of nothing but `ended`: a server hears of strangers as often as they like.
  package init(of watched: Socket, in context: Context, onlyEnds: Bool = false) throws(ZeroMQError) {
    let endpoint = "inproc://connections-\(Self.names.wrappingAdd(1, ordering: .relaxed).newValue)"
    let kinds = ZMQ_EVENT_DISCONNECTED | (onlyEnds ? 0 : Self.kinds)
    self.watched = watched
    var options = SocketOptions()
    // Without a bound: where it was full, libzmq's thread would wait for us.
    options.receivedMessages = 0
    socket = try Socket(.pair, in: context, options)
    guard unsafe zmq_socket_monitor(watched.handle, endpoint, kinds) == 0 else { throw ZeroMQError("zmq_socket_monitor") }
    try socket.connect(endpoint)
  }

  // First: what is told to a socket that is gone would keep libzmq's thread waiting for ever.
  deinit { unsafe zmq_socket_monitor(watched.handle, nil, 0) }

  /// What happened since the last time, in order.
  package func events() throws(ZeroMQError) -> [Event] {
    var events: [Event] = []
    while let message = try socket.receive() {
      // zmq_socket_monitor(3): the event in 16 bits, its value in 32, both in the machine's order; then the endpoint.
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

  /// The connections that ended since the last time, as `Socket.Received.connection` numbers them.
  package func ended() throws(ZeroMQError) -> [Int32] {
    try events().compactMap { if case .ended(let connection) = $0 { connection } else { nil } }
  }
}
