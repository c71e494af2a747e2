import Console
import Examination
import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import Messages
import Operations
import PostgreSQL
import Scheduling
import SpoolCompositing
import WebServer

/// A console on a real port of this machine, with a farm in a database of its own.
final class ConsoleBench {
  let database: String
  /// The ledger by which the tests play the coordinator's part.
  let ledger: PostgreSQLLedger
  let server: WebServer
  private let console: Console
  private let directory = TemporaryDirectory()

  /// - Parameters:
  ///   - tokens: the tokens with their roles; nil for a server without.
  ///   - plays: whether it has a store of segments, `store`, and reads media, as far as they lie below its folder.
  ///   - hasRoots: whether it may read movies, as far as they lie below its folder.
  init(
    tokens: [String: Role]? = nil, anyone: Role = .operate, origins: [String] = [], requestPatience: Duration = .seconds(30),
    plays: Bool = false, hasRoots: Bool = true
  ) throws {
    database = try TestCluster.shared.get().makeDatabase()
    ledger = PostgreSQLLedger(url: database)
    try ledger.migrate()
    var options = Console.Options(folder: directory.path)
    (options.anyone, options.origins) = (tokens == nil ? anyone : .none, origins)
    options.movieRoots = hasRoots ? [directory.path] : []
    if plays { options.store = "\(directory.path)/store" }
    if let tokens {
      let lines = tokens.map { "\($0.value.rawValue) \($0.key)-name \(Self.hexadecimal(SecretDigest(of: $0.key).values))" }
      let path = "\(directory.path)/tokens"
      try lines.joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
      options.tokens = try TokenFile(path: path)
    }
    var setting = ExaminationSetting(roots: [plays ? directory.path : "/nonexistent"], library: nil)
    if plays { setting.executable = SpoolProgram.executable }
    let console = Console(
      options, database: { [database] () throws(Complaint) in database },
      media: { [setting] in MediaAccess(compositors: CompositorRegistry()) { _ in setting } })
    self.console = console
    guard let address = ListenAddress("127.0.0.1:0") else { preconditionFailure("this is an address") }
    var serving = WebServer.Options(address: address)
    serving.requestPatience = requestPatience
    serving.refusal = { Console.refusal($0, $1) }
    server = try WebServer(serving, admit: { console.admit($0) }, respond: { console.respond($0) })
  }

  /// The folder below which the console may read movies.
  var folder: String { directory.path }

  /// The store of segments, where the console plays from one.
  var store: String { "\(directory.path)/store" }

  deinit {
    console.stop()
    server.stop()
  }

  static func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  /// Changes what the database holds, for states that take long to reach.
  func run(_ script: String) throws { try Connection(url: database, applicationName: "spool test").run(script) }

  /// Enters a job with chunks of ten frames, and no sound.
  func submit(_ id: String, submitter: String = "tester", output: String? = nil, chunks count: Int = 2) throws {
    let chunks = (0..<count).map { JobSubmission.Task(kind: .picture, frames: FrameRange(first: $0 * 10, count: 10), cost: 1) }
    let spec = JobSpec(
      document: #"{"spool":1}"#, facts: [:], output: output ?? "/out/\(id).mp4", overwrites: true, keepsSegments: false)
    _ = try ledger.submit(
      JobSubmission(
        id: id, spec: spec, submitter: submitter, frameCount: 10 * count,
        tasks: chunks + [TaskKind.mux, .publish].map { JobSubmission.Task(kind: $0, cost: 1) }))
  }

  /// Makes a job done, without its work.
  func finish(_ job: String) throws {
    try Connection(url: database, applicationName: "test").run(
      """
      update spool.job set state = 'done', started_at = now(), ended_at = now(), parts_left = 0, chunks_done = chunk_count where id = '\(job)'
      """)
  }

  func get(_ path: String, _ headers: [String: String] = [:]) throws -> WebAnswer { try send("GET", path, headers) }

  func post(_ path: String, _ body: String, _ headers: [String: String] = [:]) throws -> WebAnswer {
    try send("POST", path, ["Content-Type": "application/json"].merging(headers) { $1 }, body)
  }

  func send(_ method: String, _ path: String, _ headers: [String: String], _ body: String? = nil) throws -> WebAnswer {
    var fields = ["Host": "127.0.0.1:\(server.port)"].merging(headers) { $1 }
    if let body { fields["Content-Length"] = String(body.utf8.count) }
    let head = fields.map { "\($0.key): \($0.value)\r\n" }.sorted().joined()
    return try exchange("\(method) \(path) HTTP/1.1\r\n\(head)\r\n\(body ?? "")")
  }

  /// Sends bytes and reads until the server closes the connection.
  func exchange(_ text: String) throws -> WebAnswer {
    let line = try Line(port: server.port)
    line.send(text)
    return WebAnswer(line.readAll())
  }
}

/// A connection to the server, as anybody can make one.
final class Line {
  let number: Int32

  /// - Parameter patience: the seconds for which it reads nothing before it gives up.
  init(port: UInt16, patience: Int = 20) throws {
    number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    (address.sin_family, address.sin_port) = (sa_family_t(AF_INET), port.bigEndian)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    var limit = timeval(tv_sec: patience, tv_usec: 0)
    unsafe setsockopt(number, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    let code = unsafe withUnsafeBytes(of: address) { bytes in
      unsafe connect(number, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count))
    }
    guard code == 0 else { throw Refused(description: "nobody listens at port \(port)") }
  }

  struct Refused: Error, CustomStringConvertible { let description: String }

  deinit { close(number) }

  /// Sends the text as far as the server takes it.
  func send(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let count = unsafe bytes.withUnsafeBytes {
        unsafe Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
      }
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// The bytes that have come; empty at the end, or where none come for as long as it is patient.
  func read() -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: 65536)
    let count = unsafe recv(number, &buffer, buffer.count, 0)
    return Array(buffer.prefix(max(0, count)))
  }

  func readAll() -> [UInt8] {
    var bytes: [UInt8] = []
    while case let more = read(), !more.isEmpty { bytes += more }
    return bytes
  }
}

/// An answer of the server.
struct WebAnswer {
  let status: Int
  let headers: [String: String]
  let body: String

  init(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = (parts.first ?? "").split(separator: "\r\n")
    status = lines.first.flatMap { $0.split(separator: " ").dropFirst().first }.flatMap { Int($0) } ?? 0
    headers = Dictionary(
      lines.dropFirst().compactMap { line in
        line.firstRange(of: ": ").map { (line[..<$0.lowerBound].lowercased(), String(line[$0.upperBound...])) }
      }, uniquingKeysWith: { $1 })
    body = parts.count > 1 ? String(parts[1]) : ""
  }

  func decoded<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try JSONDecoder().decode(type, from: Data(body.utf8))
  }
}
