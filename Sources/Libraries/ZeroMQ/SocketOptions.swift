internal import CZeroMQ

/// The settings of a socket before it binds or connects.
package struct SocketOptions {
  /// The way in which a socket proves its identity and checks its peer's.
  package enum Security {
    case none
    /// A server that accepts the clients which the access control allows.
    case server(CurveKeyPair, AccessControl)
    /// A client that talks only to the server with the secret key that belongs to `server`.
    case client(CurveKeyPair, server: CurveKey)
  }

  package var security = Security.none
  /// The name by which a ROUTER at the other end addresses this socket: 1 to 255 bytes, the first not zero. If it is nil, the
  /// ROUTER chooses.
  package var routingID: [UInt8]?
  /// The time that unsent messages outlive the socket, in milliseconds.
  package var lingerMilliseconds: Int32 = 0
  /// The most messages queued for each peer (ZMQ_SNDHWM). A large machine may get as many orders as it has slots, each as long as
  /// its job's document.
  package var sentMessages: Int32 = 256
  /// The most messages that a connecting socket queues from its peer (ZMQ_RCVHWM); further ones wait at the sender. A ROUTER
  /// ignores it and queues all: a full queue would stop a connection in the middle of what it has read, and a ping in there would
  /// abort libzmq once the peer is gone (docs/decisions/0074-no-pings-of-zeromq.md).
  package var receivedMessages: Int32 = 128
  /// The longest frame, in bytes; a longer one closes its connection (ZMQ_MAXMSGSIZE). The default is the longest message of a
  /// worker, `Wire.longestMessage`.
  package var longestMessage: Int64 = 1 << 20
  /// The time in which a peer's kernel must answer, in milliseconds (TCP keep-alive, TCP_USER_TIMEOUT). It finds half-open
  /// connections. For keep-alive it is divided into three probes of whole seconds, rounded up.
  package var silenceMilliseconds: Int32 = 6000
  /// The time for a handshake, in milliseconds (ZMQ_HANDSHAKE_IVL). A server asks its access control in it.
  package var handshakeMilliseconds: Int32 = 5000

  package init() {}
}

extension Socket {
  func apply(_ options: SocketOptions) throws(ZeroMQError) {
    try set(ZMQ_LINGER, options.lingerMilliseconds)
    try set(ZMQ_SNDHWM, options.sentMessages)
    try set(ZMQ_RCVHWM, kind == .router ? 0 : options.receivedMessages)
    try set(ZMQ_MAXMSGSIZE, options.longestMessage)
    // ZeroMQ's own pings are off: their timer aborts the process when it meets a connection that is stopped and broken
    // (docs/decisions/0074-no-pings-of-zeromq.md).
    try set(ZMQ_HEARTBEAT_IVL, Int32(0))
    try keepAlive(milliseconds: options.silenceMilliseconds)
    try set(ZMQ_HANDSHAKE_IVL, options.handshakeMilliseconds)
    // The interval doubles after each failure. It begins short, for a worker that is started a moment before its coordinator.
    try set(ZMQ_RECONNECT_IVL, Int32(5))
    switch kind {
    case .router:
      // Messages to unknown peers are reported instead of dropped. A worker that reconnects takes its name over at once.
      try set(ZMQ_ROUTER_MANDATORY, Int32(1))
      try set(ZMQ_ROUTER_HANDOVER, Int32(1))
    case .dealer:
      // Nothing is queued while there is no connection. It would arrive late, and the protocol repeats what matters.
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

  /// Sets the kernel's checks: probes while nothing is being sent, and a timeout while something is.
  private func keepAlive(milliseconds: Int32) throws(ZeroMQError) {
    let probe = max(1, (milliseconds + 2999) / 3000)
    try set(ZMQ_TCP_KEEPALIVE, Int32(1))
    try set(ZMQ_TCP_KEEPALIVE_IDLE, probe)
    try set(ZMQ_TCP_KEEPALIVE_INTVL, probe)
    try set(ZMQ_TCP_KEEPALIVE_CNT, Int32(2))
    try set(ZMQ_TCP_MAXRT, milliseconds)
  }

  /// Bounds the pauses between tries to connect. On the same machine a try costs nothing, so it is made every few milliseconds: a private farm
  /// waits for it.
  func boundPauses(to endpoint: String) throws(ZeroMQError) {
    try set(ZMQ_RECONNECT_IVL_MAX, Int32(endpoint.hasPrefix("ipc://") ? 20 : 1000))
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
