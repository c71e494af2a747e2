import FarmTesting
import Testing
import Transfer

/// The client runs against a server in Python that fails as it is told.
@Suite struct HTTPClientTests {
  private let directory = TemporaryDirectory()
  private let server: FaultyServer
  private let content: [UInt8] = (0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 7) }

  init() throws {
    try content.write(toFile: directory.file("a"))
    server = try FaultyServer(folder: directory.path)
  }

  private func get(_ path: String, range: Range<Int64>? = nil, retries: Retries = Self.quick) throws -> [UInt8] {
    let client = try HTTPClient(stallSeconds: 1)
    return try retries.run { () throws(TransferError) in
      var (bytes, request) = ([UInt8](), HTTPRequest(.get, server.url + path))
      request.range = range
      _ = try client.perform(request) { piece in
        bytes += piece
        return true
      }
      return bytes
    }
  }

  private static var quick: Retries {
    var retries = Retries()
    (retries.tries, retries.firstMilliseconds) = (3, 1)
    return retries
  }

  @Test(arguments: ["/o/a", "/cc/a", "/55/a", "/s/a", "/l/a", "/c5/a"])
  func `passing trouble is tried again until all is there`(path: String) throws {
    #expect(try get(path) == content)
  }

  @Test(arguments: [("/ccc/a", "/ccc/count"), ("/555/a", "/555/count")])
  func `after three tries it is given up as passing trouble`(path: String, count: String) throws {
    let error = try #require(throws: TransferError.self) { try get(path) }
    #expect(error.kind == .transient && error.place == server.url + path)
    #expect(try get(count) == Array("3".utf8))
  }

  @Test(arguments: [
    ("/3/a", TransferError.Kind.refused, "the server refuses it", 403), ("/4/a", .missing, "there is no such thing there", 404),
  ])
  func `a refusal is final`(path: String, kind: TransferError.Kind, reason: String, status: Int) throws {
    let error = TransferError(kind, at: server.url + path, "\(reason) (HTTP status \(status))", status: status)
    #expect(throws: error) { try get(path) }
  }

  @Test func `a range is got, and nothing where the server ignores ranges`() throws {
    #expect(try get("/o/a", range: 1000..<1500) == Array(content[1000..<1500]))
    let error = try #require(throws: TransferError.self) { try get("/r/a", range: 1000..<1500) }
    #expect(error.kind == .unranged)
  }

  @Test func `more headers than make sense are told as that`() throws {
    #expect(throws: TransferError(.invalid, at: server.url + "/h/a", "the server sends more than 64 KiB of headers")) {
      try get("/h/a")
    }
  }

  @Test func `a redirection is not followed by itself`() throws {
    let response = try HTTPClient().perform(HTTPRequest(.get, server.url + "/6/a"))
    #expect((response.status, response.headers["location"]) == (302, "/o/gone"))
  }

  @Test func `a private address is refused where that is asked for`() throws {
    var request = HTTPRequest(.get, server.url + "/o/a")
    request.reach = .internet
    let error = try #require(throws: TransferError.self) { _ = try HTTPClient().perform(request) }
    #expect(error.kind == .refused && error.reason == "its address is a private one: its host must be allowed by name")
  }

  @Test func `a private address is refused though a connection to it is open`() throws {
    let client = try HTTPClient()
    _ = try client.perform(HTTPRequest(.get, server.url + "/o/a"))
    var request = HTTPRequest(.get, server.url + "/oo/a")
    request.reach = .internet
    let error = try #require(throws: TransferError.self) { _ = try client.perform(request) }
    #expect(error.kind == .refused && error.reason == "its address is a private one: its host must be allowed by name")
    #expect(try server.requests(of: "oo") == 0)
  }

  @Test(
    arguments: [
      ([8, 8, 8, 8], Reach.internet), ([10, 1, 2, 3], .networks), ([127, 0, 0, 1], .networks), ([100, 64, 0, 1], .networks),
      ([169, 254, 169, 254], .everywhere), ([100, 100, 100, 200], .everywhere), ([224, 0, 0, 1], .networks),
      ([0x26, 0x06] + Array(repeating: 1, count: 14), .internet), (Array(repeating: 0, count: 15) + [1], .networks),
      ([0xfe, 0x80] + Array(repeating: 0, count: 13) + [1], .everywhere),
      ([0xfd] + Array(repeating: 0, count: 14) + [1], .networks),
      ([0xfd, 0, 0x0e, 0xc2] + Array(repeating: 0, count: 10) + [2, 0x54], .everywhere),
      ([168, 63, 129, 16], .everywhere), ([192, 0, 0, 192], .everywhere),
      ([0xfd, 0x20, 0, 0xce] + Array(repeating: 0, count: 10) + [2, 0x54], .everywhere),
      // IPv4 addresses in forms of IPv6.
      (Array(repeating: 0, count: 10) + [0xff, 0xff, 169, 254, 169, 254], .everywhere),
      ([0, 0x64, 0xff, 0x9b] + Array(repeating: 0, count: 8) + [10, 0, 0, 1], .networks),
      ([0, 0x64, 0xff, 0x9b, 0, 1, 0, 0, 0, 0, 0, 0, 169, 254, 169, 254], .everywhere),
      ([0, 0x64, 0xff, 0x9b, 0, 1, 0, 0, 0, 169, 254, 169, 254, 0, 0, 0], .everywhere),
      ([0, 0x64, 0xff, 0x9b, 0, 1, 0, 0, 0, 0, 0, 0, 8, 8, 8, 8], .networks),
      ([0x20, 0x02, 192, 168, 1, 1] + Array(repeating: 0, count: 10), .networks),
    ] as [([UInt8], Reach)])
  func `an address is within reach by what it is`(bytes: [UInt8], narrowest: Reach) {
    let reaches: [Reach] = [.internet, .networks, .everywhere]
    #expect(reaches.first { NetworkAddress(bytes: bytes).isWithin($0) } == narrowest)
  }

  @Test func `user, password and query are not told`() throws {
    let url = server.url.replacing("http://", with: "http://anna:secret@") + "/4/a?token=secret"
    let error = try #require(throws: TransferError.self) { _ = try HTTPClient().perform(HTTPRequest(.get, url)) }
    #expect(error.place == server.url + "/4/a")
  }

  @Test func `waits grow to a bound`() throws {
    var (retries, pauses) = (Retries(), [Int]())
    (retries.tries, retries.firstMilliseconds, retries.longestMilliseconds) = (6, 100, 500)
    let error = TransferError(.transient, at: "x", "y")
    #expect(throws: error) { try retries.run(pause: { pauses.append($0) }) { () throws(TransferError) in throw error } }
    #expect(
      zip(pauses, [50...100, 100...200, 200...400, 250...500, 250...500]).allSatisfy { $1.contains($0) } && pauses.count == 5)
  }
}
