import Console
import FoundationEssentials
import Scheduling
import Synchronization
import Testing
import WebServer

/// A clock that stands until it is moved.
private final class StandingClock: Sendable {
  private let milliseconds = Mutex<Int64>(1000)

  var now: Int64 { milliseconds.withLock { $0 } }
  func pass(_ span: Int64) { milliseconds.withLock { $0 += span } }
}

@Suite struct `The health of a process` {
  private struct Answer: Decodable { let isAlive: Bool, isReady: Bool, facts: [String: Bool] }

  private let clock = StandingClock()

  private func server(_ tellers: Set<HealthServer.Teller>) throws -> HealthServer {
    try HealthServer(at: try #require(ListenAddress("127.0.0.1:0")), tellers: tellers, clock: { [clock] in clock.now })
  }

  private func ask(_ server: HealthServer, _ path: String, _ method: String = "GET") throws -> WebAnswer {
    let line = try Line(port: server.port)
    line.send("\(method) \(path) HTTP/1.1\r\nHost: whatever\r\n\r\n")
    return WebAnswer(line.readAll())
  }

  private func statuses(_ server: HealthServer) throws -> [Int] {
    try ["/healthz", "/readyz", "/leads"].map { try ask(server, $0).status }
  }

  @Test func `who has told nothing lives, and is ready when all parts have told that what is needed is so`() throws {
    let server = try server([.loop, .store])
    #expect(try statuses(server) == [200, 503, 503])
    server.tell([HealthFact("coordinator", true), HealthFact("leads", false, isNeeded: false)], by: .loop)
    #expect(try statuses(server) == [200, 503, 503])
    server.tell([HealthFact("store", false)], by: .store)
    #expect(try statuses(server) == [200, 503, 503])
    server.tell([HealthFact("store", true)], by: .store)
    #expect(try statuses(server) == [200, 200, 503])
    server.tell([HealthFact("coordinator", true), HealthFact("leads", true, isNeeded: false)], by: .loop)
    #expect(try statuses(server) == [200, 200, 200])
    let told = try ask(server, "/readyz").decoded(Answer.self)
    #expect(told.isAlive && told.isReady && told.facts == ["coordinator": true, "leads": true, "store": true])
  }

  @Test func `what was told long ago is not so any more, and a loop that stays silent lives no longer`() throws {
    let server = try server([.loop])
    server.tell([HealthFact("database", true), HealthFact("leads", true, isNeeded: false)], by: .loop)
    clock.pass(20_000)
    #expect(try statuses(server) == [200, 200, 200])
    clock.pass(1)
    #expect(try statuses(server) == [200, 503, 503])
    clock.pass(160_000)
    #expect(try statuses(server) == [503, 503, 503])
    server.tell([HealthFact("database", true)], by: .loop)
    #expect(try statuses(server) == [200, 200, 503])
  }

  @Test func `it answers nothing else`() throws {
    let server = try server([.loop])
    #expect(try ask(server, "/").status == 404 && ask(server, "/../etc/passwd").status == 404)
    #expect(try ask(server, "/healthz", "DELETE").status == 405)
    #expect(try ask(server, "/healthz", "HEAD").body.isEmpty)
  }
}
