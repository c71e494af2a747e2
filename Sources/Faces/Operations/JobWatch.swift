internal import Glibc
internal import Ledger
internal import Linux
internal import LocalFarm

/// Follows a job to its end and keeps the farm running meanwhile.
struct JobWatch {
  enum Ending {
    case ended(JobStatus)
    case interrupted
    /// Nobody wants the job any more.
    case stale
  }

  /// How many seconds the database may be away before the watch gives up: about twice as long as restarts of the farm's own
  /// database take at worst.
  static let longestOutageSeconds = 30.0

  private let farm: LocalFarm
  private let interruption: Interruption
  private let isStale: () -> Bool
  private let show: (JobStatus, _ seconds: Double) throws(Complaint) -> Void
  /// The farm's ledger; nil until the database's address is known.
  private(set) var ledger: PostgreSQLLedger?
  private var database: String?
  private let startedAt = MonotonicClock.seconds
  private var availableAt = MonotonicClock.seconds

  /// - Parameters:
  ///   - isStale: tells several times a second whether nobody wants the job any more.
  ///   - show: is told the job's state now and then, and the seconds since the watch began.
  init(
    _ farm: LocalFarm, _ interruption: Interruption, isStale: @escaping () -> Bool = { false },
    show: @escaping (JobStatus, _ seconds: Double) throws(Complaint) -> Void
  ) {
    (self.farm, self.interruption, self.isStale, self.show) = (farm, interruption, isStale, show)
  }

  /// Repeats `request` until the ledger answers, within `longestOutageSeconds`.
  ///
  /// - Returns: nil when interrupted.
  mutating func patiently<Answer>(_ request: (PostgreSQLLedger) throws(LedgerError) -> Answer) throws -> Answer? {
    while true {
      guard try tendFarm() else { return nil }
      if let answer = try attempt(request) { return answer }
      if try pause(milliseconds: 5) { return nil }
    }
  }

  mutating func follow(_ job: String) throws -> Ending {
    // The moment at which the present wait began: first for all chunks, then for the mux.
    var (since, isMuxing) = (startedAt, false)
    while true {
      guard try tendFarm() else { return .interrupted }
      let status = try attempt { ledger throws(LedgerError) in try ledger.status(job: job) } ?? nil
      if let status {
        if status.state.isFinal { return .ended(status) }
        try show(status, MonotonicClock.seconds - startedAt)
      }
      if isStale() { return .stale }
      if !isMuxing, let status, status.chunkCount > 0, status.chunksDone == status.chunkCount {
        farm.prepareStop()
        (since, isMuxing) = (MonotonicClock.seconds, true)
      }
      if try pause(milliseconds: Self.pollMilliseconds(since: since)) { return .interrupted }
    }
  }

  /// - Returns: false when interrupted.
  private mutating func tendFarm() throws -> Bool {
    let begin = MonotonicClock.seconds
    do throws(LocalFarmError) {
      try farm.tend()
      // The time for making and starting the database has limits of its own, so it does not count as an outage.
      availableAt += MonotonicClock.seconds - begin
      return true
    } catch {
      guard case .database(.interrupted) = error else { throw error }
      return try !interruption.hasCome()
    }
  }

  /// The pause between two requests: short at first, so that a short job is noticed soon, then longer, up to 250 ms.
  private static func pollMilliseconds(since start: Double) -> Int {
    Int(min(250, max(10, (MonotonicClock.seconds - start) * 1000 / 50)))
  }

  /// - Returns: nil while the database is away.
  private mutating func attempt<Answer>(_ request: (PostgreSQLLedger) throws(LedgerError) -> Answer) throws -> Answer? {
    do {
      if let url = try farm.databaseURL(), url != database {
        (database, ledger) = (url, PostgreSQLLedger(url: url, role: "render", interruption: interruption.descriptor))
      }
      guard let ledger else { throw LedgerError.unavailable("the farm does not say where its database is") }
      let answer = try request(ledger)
      availableAt = MonotonicClock.seconds
      return answer
    } catch let error as LedgerError {
      guard case .unavailable = error,
        interruption.isWaiting || MonotonicClock.seconds - availableAt < Self.longestOutageSeconds
      else { throw error }
      return nil
    }
  }

  /// Waits for that long, or until something happens.
  ///
  /// - Returns: whether to stop.
  private func pause(milliseconds: Int) throws -> Bool {
    let descriptors = [interruption.descriptor] + farm.descriptors
    guard Readiness.waitToRead(descriptors, within: .milliseconds(milliseconds)) != nil else {
      throw Complaint("the job", "cannot be waited for: \(SystemWords.of(errno))", .software)
    }
    return try interruption.hasCome()
  }
}
