import Glibc
import Testing
import ZeroMQ

private let seconds = 10_000

/// A folder of its own for each test, which is removed at the test's end.
private final class Folder {
  let path: String

  init() throws {
    var template = Array("/tmp/spool-zeromq-XXXXXX".utf8CString)
    try #require(unsafe mkdtemp(&template) != nil)
    path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  func write(_ name: String, _ text: String) throws -> String {
    let file = "\(path)/\(name)"
    let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    defer { close(descriptor) }
    try #require(unsafe Glibc.write(descriptor, text, text.utf8.count) == text.utf8.count)
    return file
  }

  deinit {
    for name in ["key", "allowed", "socket"] { unsafe unlink("\(path)/\(name)") }
    unsafe rmdir(path)
  }
}

/// The next message that comes in time, ten seconds unless given. Meanwhile it answers the handshakes of `access`.
private func next(from socket: Socket, access: AccessControl? = nil, within milliseconds: Int = seconds) throws -> Socket
  .Received?
{
  let clock = ContinuousClock()
  let deadline = clock.now + .milliseconds(milliseconds)
  while clock.now < deadline {
    if let message = try socket.receive() { return message }
    var items = [PollItem.socket(socket)]
    if let access { items.append(.socket(access.socket)) }
    _ = try poll(items, timeout: .milliseconds(50))
    try access?.answer()
  }
  return nil
}

struct ZeroMQTests {
  @Test func `a router knows a dealer by its routing id and answers it`() throws {
    let (context, folder) = (try Context(), try Folder())
    let router = try Socket(.router, in: context)
    try router.bind("ipc://\(folder.path)/socket")
    let dealer = try Self.dealer("anna", context, "ipc://\(folder.path)/socket")
    #expect(try Self.sendWhenConnected(dealer, [[1, 2]]))
    let message = try #require(try next(from: router))
    #expect(message.frames == [Array("anna".utf8), [1, 2]])
    #expect(message.user == nil)
    #expect(try router.send([Array("anna".utf8), [3]]))
    #expect(try next(from: dealer)?.frames == [[3]])
  }

  @Test func `a router says when it does not know the peer`() throws {
    let context = try Context()
    let router = try Socket(.router, in: context)
    #expect(try router.send([Array("nobody".utf8), [1]]) == false)
  }

  @Test func `a dealer without a connection takes nothing`() throws {
    let (context, folder) = (try Context(), try Folder())
    let dealer = try Self.dealer("anna", context, "ipc://\(folder.path)/nobody")
    #expect(try dealer.send([[1]]) == false)
  }

  @Test func `a second socket of the same routing id takes over`() throws {
    let (context, folder) = (try Context(), try Folder())
    let router = try Socket(.router, in: context)
    try router.bind("ipc://\(folder.path)/socket")
    let first = try Self.dealer("anna", context, "ipc://\(folder.path)/socket")
    #expect(try Self.sendWhenConnected(first, [[1]]))
    #expect(try next(from: router)?.frames.last == [1])
    let second = try Self.dealer("anna", context, "ipc://\(folder.path)/socket")
    #expect(try Self.sendWhenConnected(second, [[2]]))
    #expect(try next(from: router)?.frames.last == [2])
    #expect(try router.send([Array("anna".utf8), [3]]))
    #expect(try next(from: second)?.frames == [[3]])
  }

  @Test func `a frame beyond the limit is dropped with its connection, and the next message comes`() throws {
    let (context, folder) = (try Context(), try Folder())
    var options = SocketOptions()
    options.longestMessage = 1000
    let router = try Socket(.router, in: context, options)
    try router.bind("ipc://\(folder.path)/socket")
    let dealer = try Self.dealer("anna", context, "ipc://\(folder.path)/socket")
    #expect(try Self.sendWhenConnected(dealer, [[UInt8](repeating: 0, count: 1001)]))
    // The message is sent again and again, because one that meets the broken connection is lost with it.
    var message: Socket.Received?
    for _ in 0..<100 where message == nil {
      _ = try dealer.send([[7]])
      message = try next(from: router, within: 100)
    }
    #expect(message?.frames.last == [7])
  }

  @Test func `of a coordinator that sends and sends, few messages are held`() throws {
    let (context, folder) = (try Context(), try Folder())
    let router = try Socket(.router, in: context)
    try router.bind("ipc://\(folder.path)/socket")
    let dealer = try Self.dealer("anna", context, "ipc://\(folder.path)/socket")
    #expect(try Self.sendWhenConnected(dealer, [[1]]))
    _ = try next(from: router)
    let message = [Array("anna".utf8), [UInt8](repeating: 7, count: 64 << 10)]
    let taken = try Self.sendUntilRefused(message, by: router)
    // Messages wait at both ends, and a few in the kernel between them.
    let options = SocketOptions()
    #expect(taken <= Int(options.sentMessages + options.receivedMessages) + 16)
    // None of these messages is lost.
    for _ in 0..<taken { #expect(try next(from: dealer)?.frames.last?.count == 64 << 10) }
  }

  /// A ROUTER queues all messages. A full queue would stop a connection in the middle, and that can abort libzmq
  /// (docs/decisions/0074-no-pings-of-zeromq.md).
  @Test func `a router takes whatever comes`() throws {
    let (context, folder) = (try Context(), try Folder())
    let router = try Socket(.router, in: context)
    try router.bind("ipc://\(folder.path)/socket")
    let dealer = try Self.dealer("eve", context, "ipc://\(folder.path)/socket")
    #expect(try Self.sendWhenConnected(dealer, [[7]]))
    #expect(try 1 + Self.sendUntilRefused([[7]], by: dealer) >= 3000)
  }

  /// - Returns: how many messages were taken, at most 3000, until none was taken for a third of a second.
  private static func sendUntilRefused(_ message: [[UInt8]], by socket: Socket) throws -> Int {
    var (taken, refused) = (0, 0)
    while refused < 300, taken < 3000 {
      if try socket.send(message) {
        (taken, refused) = (taken + 1, 0)
      } else {
        refused += 1
        usleep(1000)
      }
    }
    return taken
  }

  @Test func `a message of too many frames comes without frames`() throws {
    let (context, folder) = (try Context(), try Folder())
    let router = try Socket(.router, in: context)
    try router.bind("ipc://\(folder.path)/socket")
    let dealer = try Self.dealer("anna", context, "ipc://\(folder.path)/socket")
    #expect(try Self.sendWhenConnected(dealer, Array(repeating: [1], count: 40)))
    #expect(try next(from: router)?.frames == [])
  }

  @Test func `poll tells which of sockets and descriptors is readable`() throws {
    let context = try Context()
    let router = try Socket(.router, in: context)
    var ends: [Int32] = [0, 0]
    try #require(unsafe pipe(&ends) == 0)
    defer { ends.forEach { close($0) } }
    #expect(try poll([.socket(router), .descriptor(ends[0])], timeout: .milliseconds(0)) == [false, false])
    unsafe write(ends[1], "x", 1)
    #expect(try poll([.socket(router), .descriptor(ends[0])], timeout: .milliseconds(seconds)) == [false, true])
  }

  @Test func `an endpoint that is taken is an error that names it`() throws {
    let context = try Context()
    let first = try Socket(.router, in: context)
    try first.bind("tcp://127.0.0.1:*")
    let endpoint = try first.lastEndpoint
    let second = try Socket(.router, in: context)
    let error = try #require(throws: ZeroMQError.self) { try second.bind(endpoint) }
    #expect(error.code == EADDRINUSE)
    #expect(error.description == "\(endpoint): cannot be listened at: Address already in use")
  }

  static func dealer(_ name: String, _ context: Context, _ endpoint: String, _ security: SocketOptions.Security = .none) throws
    -> Socket
  {
    var options = SocketOptions()
    options.routingID = Array(name.utf8)
    options.security = security
    let dealer = try Socket(.dealer, in: context, options)
    try dealer.connect(endpoint)
    return dealer
  }

  /// Sends as soon as the connection is made, within ten seconds.
  static func sendWhenConnected(_ dealer: Socket, _ frames: [[UInt8]], access: AccessControl? = nil) throws -> Bool {
    let clock = ContinuousClock()
    let deadline = clock.now + .milliseconds(seconds)
    while clock.now < deadline {
      if try dealer.send(frames) { return true }
      // The socket is readable only when there is something to receive, so this waits a millisecond at a time.
      _ = try poll([.socket(access?.socket ?? dealer)], timeout: .milliseconds(1))
      try access?.answer()
    }
    return false
  }
}

struct CurveTests {
  @Test func `an allowed key gets in and is named with each message`() throws {
    let farm = try Farm()
    let keys = try CurveKeyPair.generate()
    let access = try farm.open(allowing: [keys.public])
    let dealer = try ZeroMQTests.dealer("anna", farm.context, farm.endpoint, .client(keys, server: farm.keys.public))
    #expect(try ZeroMQTests.sendWhenConnected(dealer, [[1]], access: access))
    let message = try #require(try next(from: farm.router, access: access))
    #expect(message.frames.last == [1])
    #expect(message.user == keys.public.description)
    #expect(access.allows(message.user))
  }

  @Test func `an unknown key is refused`() throws {
    let farm = try Farm()
    let access = try farm.open(allowing: [try CurveKeyPair.generate().public])
    let stranger = try ZeroMQTests.dealer("eve", farm.context, farm.endpoint, .client(.generate(), server: farm.keys.public))
    while access.refusals == 0 {
      _ = try poll([.socket(access.socket)], timeout: .milliseconds(seconds))
      try access.answer()
    }
    #expect(try stranger.send([[1]]) == false)
    #expect(try next(from: farm.router, access: access, within: 200) == nil)
  }

  @Test func `a client without a key is refused`() throws {
    let farm = try Farm()
    let access = try farm.open(allowing: [])
    let stranger = try ZeroMQTests.dealer("eve", farm.context, farm.endpoint)
    _ = try stranger.send([[1]])
    #expect(try next(from: farm.router, access: access, within: 300) == nil)
  }

  @Test func `a client that expects another server's key does not talk to this one`() throws {
    let farm = try Farm()
    let keys = try CurveKeyPair.generate()
    let access = try farm.open(allowing: [keys.public])
    let deceived = try ZeroMQTests.dealer(
      "anna", farm.context, farm.endpoint, .client(keys, server: CurveKeyPair.generate().public))
    #expect(try next(from: farm.router, access: access, within: 300) == nil)
    #expect(try deceived.send([[1]]) == false)
  }

  @Test func `a key taken from the list is locked out, connected or not`() throws {
    let farm = try Farm()
    let keys = try CurveKeyPair.generate()
    let access = try farm.open(allowing: [keys.public])
    let dealer = try ZeroMQTests.dealer("anna", farm.context, farm.endpoint, .client(keys, server: farm.keys.public))
    #expect(try ZeroMQTests.sendWhenConnected(dealer, [[1]], access: access))
    let message = try #require(try next(from: farm.router, access: access))
    _ = try farm.folder.write("allowed", "# nobody\n")
    let now = ContinuousClock.now
    #expect(try !access.refresh(now: now) && access.allows(message.user))
    #expect(try access.refresh(now: now + .seconds(1)) && !access.allows(message.user))
    let again = try ZeroMQTests.dealer("anna2", farm.context, farm.endpoint, .client(keys, server: farm.keys.public))
    while access.refusals == 0 {
      _ = try poll([.socket(access.socket)], timeout: .milliseconds(seconds))
      try access.answer()
    }
    #expect(try again.send([[1]]) == false)
  }

  @Test func `a list that is being written locks nobody out`() throws {
    let farm = try Farm()
    let keys = try (0..<3).map { _ in try CurveKeyPair.generate().public }
    let access = try farm.open(allowing: keys)
    let lines = keys.map { "\($0) a worker\n" }.joined()
    // `cp` and editors write so: first nothing, then a part that may end anywhere, then everything.
    for length in [0, 40, 50, 60, 100] {
      _ = try farm.folder.write("allowed", String(lines.prefix(length)))
      _ = try? access.refresh()  // whether it complains is checked by the next test
      #expect(keys.allSatisfy { access.allows($0.description) }, "after \(length) bytes")
    }
  }

  @Test(
    arguments: [("", "is empty"), (" ", "its last line has no end"), ("$0\n$1", "its last line has no end"), ("x\n", "not a")])
  func `a list that holds nothing, or half a line, replaces none`(text: String, reason: String) throws {
    let (folder, keys) = (try Folder(), try (0..<2).map { _ in try CurveKeyPair.generate().public })
    var list = try AllowList(path: folder.write("allowed", "\(keys[0])\n\(keys[1])\n"))
    let text = text.replacing("$0", with: keys[0].description).replacing("$1", with: keys[1].description)
    _ = try folder.write("allowed", text)
    let start = ContinuousClock.now
    // It complains once a second.
    var complaints: [String] = []
    for tenth in 0..<30 {
      do throws(ZeroMQError) {
        #expect(try !list.refresh(now: start + .milliseconds(100 * tenth)))
      } catch { complaints.append(error.reason) }
    }
    #expect(complaints.count == 2 && complaints.allSatisfy { $0.hasPrefix(reason) }, "\(complaints)")
    #expect(keys.allSatisfy { list.allows($0) })
  }

  @Test func `a list counts once it rests`() throws {
    let (folder, keys) = (try Folder(), try (0..<3).map { _ in try CurveKeyPair.generate().public })
    var list = try AllowList(path: folder.write("allowed", "\(keys[0])\n"))
    let start = ContinuousClock.now
    for (milliseconds, count) in [(0, 1), (900, 2), (1800, 3)] {
      _ = try folder.write("allowed", keys[..<count].map { "\($0)\n" }.joined())
      #expect(try !list.refresh(now: start + .milliseconds(milliseconds)) && !list.allows(keys[1]))
    }
    #expect(try !list.refresh(now: start + .milliseconds(2700)))
    #expect(try list.refresh(now: start + .milliseconds(2800)) && keys.allSatisfy { list.allows($0) })
    #expect(try !list.refresh(now: start + .seconds(9)))
  }

  @Test func `a key is for the workers that its lines name, and one without names for all others`() throws {
    let (folder, keys) = (try Folder(), try (0..<4).map { _ in try CurveKeyPair.generate().public })
    let list = try AllowList(
      path: folder.write("allowed", "\(keys[0]) anna  rack3-*\n\(keys[0]) ben\n\(keys[1]) carl\n\n# all others\n\(keys[2])\n"))
    func names(_ key: CurveKey) -> [String] {
      ["anna", "annab", "ben", "rack3-", "rack3-7", "rack37", "carl", ""].filter { list.allows(key, as: $0) }
    }
    #expect(names(keys[0]) == ["anna", "ben", "rack3-", "rack3-7"])
    #expect(names(keys[1]) == ["carl"])
    #expect(names(keys[2]) == ["annab", "rack37", ""])
    #expect(names(keys[3]) == [] && !list.allows(keys[3]))
  }

  @Test func `a secret key survives its file, and the public half follows from it`() throws {
    let (folder, keys) = (try Folder(), try CurveKeyPair.generate())
    try keys.write(secretKeyFile: "\(folder.path)/key")
    #expect(try CurveKeyPair(secretKeyFile: "\(folder.path)/key").public == keys.public)
  }

  @Test func `a secret key that others can read is refused`() throws {
    let (folder, keys) = (try Folder(), try CurveKeyPair.generate())
    let path = "\(folder.path)/key"
    try keys.write(secretKeyFile: path)
    unsafe chmod(path, 0o644)
    #expect(try #require(throws: ZeroMQError.self) { _ = try CurveKeyPair(secretKeyFile: path) }.code == EPERM)
  }

  @Test(arguments: ["", "short\n", String(repeating: "~", count: 40)])
  func `what is no key is refused by file and line`(_ text: String) throws {
    let folder = try Folder()
    #expect(throws: ZeroMQError.self) { _ = try CurveKeyPair(secretKeyFile: folder.write("key", text)) }
    let list = try folder.write("allowed", "# the farm\n\n\(text.isEmpty ? "x" : text)\n")
    #expect(try #require(throws: ZeroMQError.self) { _ = try AllowList(path: list) }.subject == "\(list):3")
  }

  /// A CURVE server and its allow-list file.
  private final class Farm {
    let folder: Folder
    let context: Context
    let keys: CurveKeyPair
    var router: Socket { opened! }
    var endpoint: String { "ipc://\(folder.path)/socket" }
    private var opened: Socket?

    init() throws { (folder, context, keys) = (try Folder(), try Context(), try CurveKeyPair.generate()) }

    func open(allowing allowed: [CurveKey]) throws -> AccessControl {
      try allow(allowed)
      let access = try AccessControl(AllowList(path: "\(folder.path)/allowed"), in: context)
      var options = SocketOptions()
      options.security = .server(keys, access)
      opened = try Socket(.router, in: context, options)
      try router.bind(endpoint)
      return access
    }

    func allow(_ allowed: [CurveKey]) throws {
      _ = try folder.write("allowed", allowed.map { "\($0) a worker\n" }.joined())
    }
  }
}
