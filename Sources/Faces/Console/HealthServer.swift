internal import Glibc
internal import Linux
package import Operations
package import Scheduling
internal import Synchronization
package import WebServer

/// A small server that tells others whether a coordinator or a worker lives and is ready: supervisors, and those who watch a farm.
/// `/healthz` asks whether it lives, `/readyz` whether it can do its work, and `/leads` whether it leads. The answer is 200 for yes and 503
/// for no, with all facts as JSON.
package final class HealthServer: Sendable {
  /// The part of the process that tells facts.
  package enum Teller: Hashable, Sendable {
    /// The loop of the process. Without it nothing lives.
    case loop
    /// The check of the segment store.
    case store
  }

  /// The port that it listens at.
  package let port: UInt16
  private let board: Board
  private let server: WebServer

  /// The connections at once, and the time that each may take. Those who ask are few and quick.
  private static let (connections, patience) = (16, Duration.seconds(5))

  /// Listens and serves.
  ///
  /// - Parameters:
  ///   - tellers: the parts that have to have told their facts before the process is ready.
  ///   - clock: milliseconds that only grow.
  /// - Throws: a complaint of the class `unavailable` when the address is taken.
  package init(
    at address: ListenAddress, tellers: Set<Teller>, clock: @escaping @Sendable () -> Int64 = { MonotonicClock.milliseconds }
  ) throws(Complaint) {
    let board = Board(tellers, clock)
    var options = WebServer.Options(address: address)
    (options.connections, options.bodyLimit, options.idleSeconds) = (Self.connections, 1024, 5)
    (options.requestPatience, options.answerPatience) = (Self.patience, Self.patience)
    // The signals of the process are for the thread that reads them. One that reached a thread of the server would end the process.
    server = try withoutSignals { [options] () throws(Complaint) in
      do throws(WebServerError) { return try WebServer(options, admit: { _ in nil }, respond: { board.answer($0) }) } catch {
        throw Complaint(error.place, error.reason, .unavailable)
      }
    }
    (self.board, port) = (board, server.port)
    writeLog("event=health address=\(address) port=\(port)")
  }

  deinit { server.stop() }

  /// Ends connections that take too long, from a thread of its own, until the process ends.
  package func tendForever() {
    withoutSignals { [server] in
      _ = JoinableThread {
        while true {
          usleep(1_000_000)
          server.tend()
        }
      }
    }
  }

  /// Notes facts in place of those that the same part told before.
  ///
  /// - Parameter milliseconds: the time for which they are believed. After that none of them is so.
  package func tell(_ facts: [HealthFact], by teller: Teller, for milliseconds: Int64 = 20_000) {
    board.tell(facts, by: teller, for: milliseconds)
  }
}

/// The facts that were told, and the answers that they give.
private final class Board: Sendable {
  private struct Told {
    var facts: [HealthFact]
    /// The moments in milliseconds at which the facts were told, and until which they are believed.
    var at: Int64
    var until: Int64
  }

  private struct Answer: Encodable {
    var isAlive: Bool
    var isReady: Bool
    var facts: [String: Bool]
  }

  private let told = Mutex<[HealthServer.Teller: Told]>([:])
  private let needed: Set<HealthServer.Teller>
  private let clock: @Sendable () -> Int64

  /// The milliseconds for which a loop that says nothing counts as alive. A statement of the database may take half a minute, and a turn of
  /// the loop may have several.
  private static let longestSilence: Int64 = 180_000

  init(_ tellers: Set<HealthServer.Teller>, _ clock: @escaping @Sendable () -> Int64) { (needed, self.clock) = (tellers, clock) }

  func tell(_ facts: [HealthFact], by teller: HealthServer.Teller, for milliseconds: Int64) {
    let now = clock()
    told.withLock { $0[teller] = Told(facts: facts, at: now, until: now + milliseconds) }
  }

  func answer(_ request: WebRequest) -> WebResponse {
    guard ["GET", "HEAD"].contains(request.method) else { return Problem(405, "method", "ask by GET").response }
    let answer = answer
    let isYes: Bool? =
      switch request.path {
      case "/healthz": answer.isAlive
      case "/readyz": answer.isReady
      case "/leads": answer.facts["leads"] ?? false
      default: nil
      }
    guard let isYes else { return Problem(404, "missing", "there are /healthz, /readyz and /leads").response }
    return JSONBody.response(answer, status: isYes ? 200 : 503).with("Cache-Control", "no-store")
  }

  private var answer: Answer {
    let (now, told) = (clock(), told.withLock { $0 })
    // A process that is still waiting for its database has told nothing, and lives.
    let isAlive = told[.loop].map { now - $0.at <= Self.longestSilence } ?? true
    var answer = Answer(isAlive: isAlive, isReady: isAlive && needed.isSubset(of: told.keys), facts: [:])
    for part in told.values {
      for fact in part.facts {
        let isSo = fact.isSo && now <= part.until
        answer.facts[fact.name] = isSo
        if fact.isNeeded && !isSo { answer.isReady = false }
      }
    }
    return answer
  }
}
