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
  /// Messages queued from each peer (ZMQ_RCVHWM); more wait at the sender. Enough for what a busy worker says while the ledger is away for
  /// ten seconds: a full queue stops its pings, too. With `longestMessage` 128 MiB for each peer, in messages of one frame; libzmq counts no
  /// frames, and bounds nothing of a message that does not end: who has a listed key is trusted so far.
  package var receivedMessages: Int32 = 128
  /// A longer frame closes its connection (ZMQ_MAXMSGSIZE). What a worker says at the longest is `Wire.longestMessage`.
  package var longestMessage: Int64 = 1 << 20
  /// ZMTP pings: a peer that answers none within three intervals is disconnected. Finds half-open connections.
  package var heartbeatMilliseconds: Int32 = 2000

  package init() {}
}

extension Socket {
  func apply(_ options: SocketOptions) throws(ZeroMQError) {
    try set(ZMQ_LINGER, options.lingerMilliseconds)
    try set(ZMQ_SNDHWM, options.sentMessages)
    try set(ZMQ_RCVHWM, options.receivedMessages)
    try set(ZMQ_MAXMSGSIZE, options.longestMessage)
    try set(ZMQ_HEARTBEAT_IVL, options.heartbeatMilliseconds)
    try set(ZMQ_HEARTBEAT_TIMEOUT, 3 * options.heartbeatMilliseconds)
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

  private func set<Value: BitwiseCopyable>(_ option: Int32, _ value: Value) throws(ZeroMQError) {
    let code = unsafe withUnsafePointer(to: value) { unsafe zmq_setsockopt(handle, option, $0, MemoryLayout<Value>.size) }
    guard code == 0 else { throw ZeroMQError("zmq_setsockopt", "option \(option)") }
  }

  private func set(_ option: Int32, _ bytes: [UInt8]) throws(ZeroMQError) {
    guard unsafe zmq_setsockopt(handle, option, bytes, bytes.count) == 0 else {
      throw ZeroMQError("zmq_setsockopt", "option \(option)")
    }
  }
}
