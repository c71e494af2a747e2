import Ledger
import Linux
import Synchronization

/// People who all submit at once, as fast as the database allows. Each has a thread and a connection.
final class Crowd: Sendable {
  /// The experience of one of them.
  private struct Experience: Sendable {
    /// The time that each submission took, in their order.
    var waits: [Duration] = []
    /// The error that ended it early; nil when there was none.
    var fault: String?
  }

  private let told = Mutex<[Experience]>([])
  private let people: Int

  /// Makes a crowd. Nobody begins before `start`.
  init(people: Int) { self.people = people }

  /// Has each person submit jobs of one chunk, under the names person-0, person-1 and so on.
  func start(each: Int, database: String) {
    for person in 0..<people {
      begin(each, database) { _ in LoadedFarm.submission(chunks: 1, submitter: "person-\(person)") }
    }
  }

  /// Has each person submit the same numbered jobs.
  func start(each: Int, database: String, _ job: @escaping @Sendable (_ number: Int) -> JobSubmission) {
    for _ in 0..<people { begin(each, database, job) }
  }

  var isOver: Bool { told.withLock { $0.count == people } }
  var waits: [Duration] { told.withLock { $0.flatMap(\.waits) } }
  var fault: String? { told.withLock { $0.lazy.compactMap(\.fault).first } }

  /// Begins a person's thread. It is not joined, because it is over once the person has told.
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
