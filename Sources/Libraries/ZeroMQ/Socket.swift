internal import CZeroMQ
internal import Linux

/// A ZeroMQ socket, which `deinit` closes. It stays on the thread that made it. Nothing here blocks.
// `@safe`: the handle is made in init, freed in deinit, and used only between them.
@safe package final class Socket {
  package enum Kind: Sendable { case router, dealer, reply, pair }

  /// A message as it came: its frames, and with CURVE its sender.
  package struct Received: Sendable {
    package let frames: [[UInt8]]
    /// The sender's public key, which is the user id that the access control gave it (ZAP); nil without CURVE.
    package let user: String?
    /// The number of the connection that the message came by. `ConnectionMonitor` tells when it ended. Numbers are used again.
    package let connection: Int32
  }

  let handle: UnsafeMutableRawPointer
  private let context: Context
  let kind: Kind
  /// The access control of a server, kept because handshakes ask it as long as the socket is bound.
  private let accessControl: AccessControl?

  /// The most frames of a message. A longer message is read to its end and delivered without frames.
  private static let mostFrames = 16

  package init(_ kind: Kind, in context: Context, _ options: SocketOptions = SocketOptions()) throws(ZeroMQError) {
    let type =
      switch kind {
      case .router: ZMQ_ROUTER
      case .dealer: ZMQ_DEALER
      case .reply: ZMQ_REP
      case .pair: ZMQ_PAIR
      }
    guard let handle = unsafe zmq_socket(context.handle, type) else { throw ZeroMQError("zmq_socket") }
    unsafe self.handle = handle
    self.context = context
    self.kind = kind
    if case .server(_, let accessControl) = options.security { self.accessControl = accessControl } else { accessControl = nil }
    try apply(options)
  }

  deinit { unsafe zmq_close(handle) }

  /// Binds the socket to an endpoint.
  ///
  /// - Throws: `ZeroMQError`, also when the socket file of an `ipc://` endpoint is in use.
  package func bind(_ endpoint: String) throws(ZeroMQError) {
    try SocketFile.requireFree(endpoint)
    guard unsafe zmq_bind(handle, endpoint) == 0 else { throw ZeroMQError("zmq_bind", endpoint) }
  }

  /// Begins to connect. libzmq goes on trying, whether anybody listens or not.
  package func connect(_ endpoint: String) throws(ZeroMQError) {
    try boundPauses(to: endpoint)
    guard unsafe zmq_connect(handle, endpoint) == 0 else { throw ZeroMQError("zmq_connect", endpoint) }
  }

  /// The endpoint that was bound last; a wildcard port is replaced by the port that the system chose.
  package var lastEndpoint: String {
    get throws(ZeroMQError) {
      var text = [CChar](repeating: 0, count: 1024)
      var size = text.count
      guard unsafe zmq_getsockopt(handle, ZMQ_LAST_ENDPOINT, &text, &size) == 0 else { throw ZeroMQError("zmq_getsockopt") }
      return String(text.prefix(max(size - 1, 0)))
    }
  }

  /// A descriptor that becomes readable when there may be something to receive (ZMQ_FD). It tells that only once, so call
  /// `receive` until nothing is left, also after `send`.
  package var descriptor: Int32 {
    get throws(ZeroMQError) {
      var number = Int32(-1)
      var size = MemoryLayout<Int32>.size
      guard unsafe zmq_getsockopt(handle, ZMQ_FD, &number, &size) == 0 else { throw ZeroMQError("zmq_getsockopt") }
      return number
    }
  }

  /// Sends a message without waiting.
  ///
  /// - Returns: false when it was not taken: there is no peer, or not this one, or its queue is full. The protocol repeats what
  /// matters.
  package func send(_ frames: [[UInt8]]) throws(ZeroMQError) -> Bool {
    for (position, frame) in frames.enumerated() {
      let more = position < frames.count - 1 ? ZMQ_SNDMORE : 0
      guard try retrying("zmq_send", { unsafe zmq_send(handle, frame, frame.count, more | ZMQ_DONTWAIT) }) != nil else {
        return false
      }
    }
    return true
  }

  /// The next message; nil when none waits. A message with too many frames comes without frames.
  package func receive() throws(ZeroMQError) -> Received? {
    var message = zmq_msg_t()
    unsafe zmq_msg_init(&message)
    defer { unsafe zmq_msg_close(&message) }
    var (frames, user, connection, isTooLong) = ([[UInt8]](), String?.none, Int32(-1), false)
    repeat {
      guard try retrying("zmq_msg_recv", { unsafe zmq_msg_recv(&message, handle, ZMQ_DONTWAIT) }) != nil else { return nil }
      isTooLong = isTooLong || frames.count == Self.mostFrames
      if !isTooLong {
        unsafe frames.append([UInt8](UnsafeRawBufferPointer(start: zmq_msg_data(&message), count: zmq_msg_size(&message))))
      }
      connection = unsafe zmq_msg_get(&message, ZMQ_SRCFD)
      if let name = unsafe zmq_msg_gets(&message, "User-Id") { user = unsafe String(cString: name) }
    } while unsafe zmq_msg_more(&message) != 0
    return Received(frames: isTooLong ? [] : frames, user: user, connection: connection)
  }

  /// Calls `body` again when a signal interrupts it.
  ///
  /// - Returns: nil when the call would have blocked, or its peer is unknown or gone.
  private func retrying(_ call: String, _ body: () -> Int32) throws(ZeroMQError) -> Int32? {
    let result = SystemCall.uninterrupted(body)
    if result >= 0 { return result }
    switch zmq_errno() {
    case EAGAIN, EHOSTUNREACH: return nil
    default: throw ZeroMQError(call)
    }
  }
}
