import Ledger
import Rendering
import Synchronization

/// People who submit at the same time, each on a thread and a connection of their own, as fast as the database takes it.
final class Crowd: Sendable {
  /// What one of them saw.
  private struct Experience: Sendable {
    /// Of each submission, in their order.
    var waits: [Duration] = []
    /// Why it stopped early.
    var fault: String?
  }

  private let told = Mutex<[Experience]>([])
  private let people: Int

  /// Nobody begins before `start`.
  init(people: Int) { self.people = people }

  /// Jobs of one chunk, of the submitters person-0, person-1 and so on.
  func start(each: Int, database: String) {
    for person in 0..<people {
      begin(each, database) { _ in LoadedFarm.submission(chunks: 1, submitter: "person-\(person)") }
    }
  }

  /// The same jobs, which are numbered, from everybody.
  func start(each: Int, database: String, _ job: @escaping @Sendable (_ number: Int) -> JobSubmission) {
    for _ in 0..<people { begin(each, database, job) }
  }

  var isOver: Bool { told.withLock { $0.count == people } }
  var waits: [Duration] { told.withLock { $0.flatMap(\.waits) } }
  var fault: String? { told.withLock { $0.lazy.compactMap(\.fault).first } }

  /// None of the threads is joined: they are over when all have told.
  private func begin(_ each: Int, _ database: String, _ job: @escaping @Sendable (_ number: Int) -> JobSubmission) {
    _ = JoinableThread { [self] in
      let experience = Self.submit(each, to: database, job)
      told.withLock { $0.append(experience) }
    }
  }

  private static func submit(_ count: Int, to database: String, _ job: (_ number: Int) -> JobSubmission) -> Experience {
    let ledger = PostgreSQLLedger(url: database, role: "person")
    var experience = Experience()
    for number in 0..<count {
      let start = ContinuousClock.now
      do {
        _ = try ledger.submit(job(number))
      } catch {
        experience.fault = "\(error)"
        return experience
      }
      experience.waits.append(.now - start)
    }
    return experience
  }
}
