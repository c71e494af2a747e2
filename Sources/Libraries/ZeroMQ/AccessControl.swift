/// Decides which clients may connect to the context's CURVE servers. It handles ZeroMQ's authentication protocol (RFC 27, ZAP).
/// Make it before the servers bind, poll `socket`, and call `answer` when it is readable.
///
/// Each message carries its sender's key (`Socket.Received.user`). So `allows` also locks out a client that was connected before
/// its key was removed.
package final class AccessControl {
  /// A handshake that was refused.
  package struct Refusal: Hashable, Sendable {
    /// The client's key; nil when it sent none.
    package let key: CurveKey?
    /// The client's address as libzmq writes it: an IP address, or empty for `ipc://`.
    package let address: String
  }

  package let socket: Socket
  /// The number of handshakes that were refused so far.
  package private(set) var refusals = 0
  private var list: AllowList

  package init(_ list: AllowList, in context: Context) throws(ZeroMQError) {
    self.list = list
    socket = try Socket(.reply, in: context)
    try socket.bind("inproc://zeromq.zap.01")
  }

  package func allows(_ user: String?) -> Bool {
    guard let user, let key = CurveKey(user) else { return false }
    return list.allows(key)
  }

  /// Whether the sender of a message may speak as this worker.
  package func allows(_ user: String?, as worker: String) -> Bool {
    guard let user, let key = CurveKey(user) else { return false }
    return list.allows(key, as: worker)
  }

  /// Reads the allow-list again once its file has changed and then stayed the same for a second.
  ///
  /// - Returns: whether a new list is in force.
  package func refresh(now: ContinuousClock.Instant = .now) throws(ZeroMQError) -> Bool { try list.refresh(now: now) }

  /// Answers the waiting handshakes.
  ///
  /// - Returns: the handshakes that were refused.
  @discardableResult package func answer() throws(ZeroMQError) -> [Refusal] {
    var refused: [Refusal] = []
    while let request = try socket.receive() {
      let key = Self.key(in: request.frames)
      let isAllowed = key.map(list.allows) ?? false
      if !isAllowed {
        refusals += 1
        refused.append(Refusal(key: key, address: Self.address(in: request.frames)))
      }
      _ = try socket.send(Self.reply(to: request.frames, allowed: isAllowed ? key : nil))
    }
    return refused
  }

  /// The key in a request, whose frames are version, request id, domain, address, identity, mechanism and credentials.
  private static func key(in request: [[UInt8]]) -> CurveKey? {
    let isCurve = request.count == 7 && request[0] == Array("1.0".utf8) && request[5] == Array("CURVE".utf8)
    return isCurve && request[6].count == 32 ? CurveKey(bytes: request[6]) : nil
  }

  private static func address(in request: [[UInt8]]) -> String {
    request.count > 3 ? String(decoding: request[3].prefix(64), as: UTF8.self) : ""
  }

  /// The reply to a request: version, request id, status code, status text, user id and metadata.
  private static func reply(to request: [[UInt8]], allowed key: CurveKey?) -> [[UInt8]] {
    let requestID = request.count > 1 ? request[1] : []
    guard let key else {
      return [Array("1.0".utf8), requestID, Array("400".utf8), Array("key not allowed".utf8), [], []]
    }
    return [Array("1.0".utf8), requestID, Array("200".utf8), [], Array(key.description.utf8), []]
  }
}
