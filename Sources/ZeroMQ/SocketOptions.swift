internal import CZeroMQ

/// What a socket is set to before it binds or connects.
package struct SocketOptions {
  /// How a socket proves who it is and whom it talks to.
  package enum Security {
    case none
    /// Accepts the clients that the access control allows.
    case server(CurveKeyPair, AccessControl)
    /// Talks only to the server that holds `server`'s secret half.
    case client(CurveKeyPair, server: CurveKey)
  }

  package var security = Security.none
  /// What a ROUTER at the other end calls this socket; 1 to 255 bytes, not starting with a zero byte. Nil: it chooses.
  package var routingID: [UInt8]?
  /// How long unsent messages outlive the socket.
  package var lingerMilliseconds: Int32 = 0
  /// Messages queued for each peer (ZMQ_SNDHWM): as many orders as a large machine has slots, each as long as its job's document.
  package var sentMessages: Int32 = 256
  /// Messages that a socket which connects queues from its peer (ZMQ_RCVHWM); more wait at the sender. A ROUTER queues all that come: a full
  /// queue would stop a connection in the middle of what it has read, and a ping that lies there aborts libzmq once the peer is gone
  /// (docs/decisions/0074-no-pings-of-zeromq.md).
  package var receivedMessages: Int32 = 128
  /// A longer frame closes its connection (ZMQ_MAXMSGSIZE). What a worker says at the longest is `Wire.longestMessage`.
  package var longestMessage: Int64 = 1 << 20
  /// How long a peer's kernel may answer nothing (TCP keep-alive, TCP_USER_TIMEOUT): finds half-open connections. Rounded up to whole seconds
  /// for three probes.
  package var silenceMilliseconds: Int32 = 6000
  /// How long a peer may take to say who it is (ZMQ_HANDSHAKE_IVL). A server asks its access control meanwhile.
  package var handshakeMilliseconds: Int32 = 5000

  package init() {}
}

extension Socket {
  func apply(_ options: SocketOptions) throws(ZeroMQError) {
    try set(ZMQ_LINGER, options.lingerMilliseconds)
    try set(ZMQ_SNDHWM, options.sentMessages)
    try set(ZMQ_RCVHWM, kind == .router ? 0 : options.receivedMessages)
    try set(ZMQ_MAXMSGSIZE, options.longestMessage)
    // None of ZeroMQ's own pings: their timer aborts the process when it meets a connection that is stopped and broken.
    try set(ZMQ_HEARTBEAT_IVL, Int32(0))
    try keepAlive(milliseconds: options.silenceMilliseconds)
    try set(ZMQ_HANDSHAKE_IVL, options.handshakeMilliseconds)
    // Doubled after each failure: soon enough for a worker that is started a moment before its coordinator.
    try set(ZMQ_RECONNECT_IVL, Int32(5))
    try set(ZMQ_RECONNECT_IVL_MAX, Int32(1000))
    switch kind {
    case .router:
      // Unknown peers are reported rather than swallowed; a worker that reconnects takes its name over at once.
      try set(ZMQ_ROUTER_MANDATORY, Int32(1))
      try set(ZMQ_ROUTER_HANDOVER, Int32(1))
    case .dealer:
      // Nothing is queued for a connection that does not stand: it would arrive late, and the protocol repeats.
      try set(ZMQ_IMMEDIATE, Int32(1))
    case .reply, .pair: break
    }
    if let routingID = options.routingID { try set(ZMQ_ROUTING_ID, routingID) }
    switch options.security {
    case .none: break
    case .server(let own, _):
      try set(ZMQ_CURVE_SERVER, Int32(1))
      try set(ZMQ_CURVE_SECRETKEY, own.secret.bytes)
    case .client(let own, let server):
      try set(ZMQ_CURVE_SERVERKEY, server.bytes)
      try set(ZMQ_CURVE_PUBLICKEY, own.public.bytes)
      try set(ZMQ_CURVE_SECRETKEY, own.secret.bytes)
    }
  }

  /// By the kernel: probes while nothing is under way, the timeout while something is.
  private func keepAlive(milliseconds: Int32) throws(ZeroMQError) {
    let probe = max(1, (milliseconds + 2999) / 3000)
    try set(ZMQ_TCP_KEEPALIVE, Int32(1))
    try set(ZMQ_TCP_KEEPALIVE_IDLE, probe)
    try set(ZMQ_TCP_KEEPALIVE_INTVL, probe)
    try set(ZMQ_TCP_KEEPALIVE_CNT, Int32(2))
    try set(ZMQ_TCP_MAXRT, milliseconds)
  }

  private func set<Value: BitwiseCopyable>(_ option: Int32, _ value: Value) throws(ZeroMQError) {
    let code = unsafe withUnsafePointer(to: value) { unsafe zmq_setsockopt(handle, option, $0, MemoryLayout<Value>.size) }
    guard code == 0 else { throw ZeroMQError("zmq_setsockopt") }
  }

  private func set(_ option: Int32, _ bytes: [UInt8]) throws(ZeroMQError) {
    guard unsafe zmq_setsockopt(handle, option, bytes, bytes.count) == 0 else {
      throw ZeroMQError("zmq_setsockopt")
    }
  }
}
