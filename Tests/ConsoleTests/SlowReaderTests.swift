import Glibc
import Testing
import WebServer

@Suite(.serialized) struct `Clients that take their answers slowly` {
  /// A server whose answers are large, and one small one at `/small`.
  private static func server(_ change: (inout WebServer.Options) -> Void) throws -> WebServer {
    var options = WebServer.Options(address: try #require(ListenAddress("127.0.0.1:0")))
    options.crowdedPatience = .milliseconds(100)
    change(&options)
    let shared = [UInt8](repeating: 1, count: 8 << 20)
    return try WebServer(options, admit: { _ in nil }) { request in
      switch request.path {
      case "/small": WebResponse(200, "text/plain", Array("small".utf8))
      case "/shared": WebResponse(200, "text/plain", shared)
      default: WebResponse(200, "text/plain", [UInt8](repeating: 2, count: 8 << 20))
      }
    }
  }

  private static func ask(_ path: String, _ server: WebServer, patience: Int = 1) throws -> Line {
    let line = try Line(port: server.port, patience: patience)
    line.send("GET \(path) HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return line
  }

  /// Asks again and again while the server tends its connections, for five seconds at most.
  private static func isServed(_ server: WebServer) throws -> Bool {
    let end = ContinuousClock.now + .seconds(5)
    while ContinuousClock.now < end {
      server.tend()
      if try WebAnswer(ask("/small", server).readAll()).status == 200 { return true }
      usleep(30_000)
    }
    return false
  }

  @Test func `they are ended where they shut others out`() throws {
    let server = try Self.server { $0.connections = 8 }
    defer { server.stop() }
    let slow = try (0..<8).map { _ in try Self.ask("/shared", server) }
    for line in slow { #expect(!line.read().isEmpty) }
    #expect(try Self.isServed(server))
  }

  @Test func `they may go on while there is room for others`() throws {
    let server = try Self.server { $0.connections = 32 }
    defer { server.stop() }
    let slow = try (0..<8).map { _ in try Self.ask("/shared", server, patience: 5) }
    for line in slow { #expect(!line.read().isEmpty) }
    for _ in 0..<10 {
      #expect(try Self.isServed(server))
      usleep(30_000)
    }
    let bytes = slow.map { $0.readAll().count }
    #expect(bytes.allSatisfy { $0 > 7 << 20 }, "\(bytes)")
  }

  @Test func `those who send their request drop by drop are ended, too, where they shut others out`() throws {
    let server = try Self.server { $0.connections = 8 }
    defer { server.stop() }
    let slow = try (0..<8).map { _ in try Line(port: server.port) }
    for line in slow { line.send("GET /sma") }
    #expect(try Self.isServed(server))
  }

  @Test func `one address cannot take all connections`() throws {
    let server = try Self.server { ($0.connections, $0.connectionsOfAddress) = (32, 4) }
    defer { server.stop() }
    let held = try (0..<4).map { _ in try Line(port: server.port) }
    #expect(try Self.ask("/small", server).readAll().isEmpty, "the fifth connection of an address is closed at once")
    withExtendedLifetime(held) {}
  }

  @Test func `the memory of their answers is bounded, and the same answer is held once`() throws {
    let server = try Self.server { $0.heldLimit = 10 << 20 }
    defer { server.stop() }
    let shared = try (0..<6).map { _ in try Self.ask("/shared", server) }
    for line in shared { #expect(WebAnswer(line.read()).status == 200) }
    let own = try Self.ask("/own", server)
    #expect(WebAnswer(own.read()).status == 200, "two answers are less than twice the limit")
    let refused = WebAnswer(try Self.ask("/other", server).readAll())
    #expect(refused.status == 503 && refused.headers["retry-after"] == "5")
    #expect(try Self.isServed(server), "small answers are held by nobody")
  }
}
