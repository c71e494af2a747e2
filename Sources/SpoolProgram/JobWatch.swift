import Glibc
import Ledger
import LocalFarm
import SystemWords
import Terminal

/// Follows a job to its end while the farm that works on it is looked after.
struct JobWatch {
  enum Ending {
    case ended(JobStatus)
    case interrupted
  }

  /// How long the database may be away before the watch gives up: twice what a restart of the farm's own takes at worst.
  static let longestOutageSeconds = 30.0

  private let farm: LocalFarm
  private let interruption: Interruption
  var display: ProgressDisplay
  /// The farm's ledger, once it is known where that is.
  private(set) var ledger: PostgreSQLLedger?
  private var database: String?
  private let startedAt = monotonicSeconds()
  private var availableAt = monotonicSeconds()

  init(_ farm: LocalFarm, _ interruption: Interruption, display: ProgressDisplay) {
    (self.farm, self.interruption, self.display) = (farm, interruption, display)
  }

  /// Asks `request` until the ledger answers, within `longestOutageSeconds`.
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
    // Since when the same thing is waited for: first all chunks, then the join.
    var (since, isJoining) = (startedAt, false)
    while true {
      guard try tendFarm() else { return .interrupted }
      let status = try attempt { ledger throws(LedgerError) in try ledger.status(job: job) } ?? nil
      if let status {
        if status.state.isFinal { return .ended(status) }
        try display.show(status, at: monotonicSeconds() - startedAt)
      }
      if !isJoining, let status, status.chunkCount > 0, status.chunksDone == status.chunkCount {
        farm.prepareStop()
        (since, isJoining) = (monotonicSeconds(), true)
      }
      if try pause(milliseconds: Self.pollMilliseconds(since: since)) { return .interrupted }
    }
  }

  /// - Returns: false when interrupted.
  private mutating func tendFarm() throws -> Bool {
    let begin = monotonicSeconds()
    do throws(LocalFarmError) {
      try farm.tend()
      // What it takes to make and start the database is bounded there.
      availableAt += monotonicSeconds() - begin
      return true
    } catch {
      guard case .database(.interrupted) = error else { throw error }
      return try !interruption.hasCome()
    }
  }

  /// Often at first, so that what is short is not waited for longer than it takes, then ever less often.
  private static func pollMilliseconds(since start: Double) -> Int {
    Int(min(250, max(10, (monotonicSeconds() - start) * 1000 / 50)))
  }

  /// - Returns: nil while the database is away.
  private mutating func attempt<Answer>(_ request: (PostgreSQLLedger) throws(LedgerError) -> Answer) throws -> Answer? {
    do {
      if let url = try farm.databaseURL(), url != database {
        (database, ledger) = (url, PostgreSQLLedger(url: url, role: "render", interruption: interruption.descriptor))
      }
      guard let ledger else { throw LedgerError.unavailable("the farm does not say where its database is") }
      let answer = try request(ledger)
      availableAt = monotonicSeconds()
      return answer
    } catch let error as LedgerError {
      guard case .unavailable = error,
        interruption.isWaiting || monotonicSeconds() - availableAt < Self.longestOutageSeconds
      else { throw error }
      return nil
    }
  }

  /// Sleeps, but not longer than nothing happens. - Returns: whether to stop.
  private func pause(milliseconds: Int) throws -> Bool {
    var entries = ([interruption.descriptor] + farm.descriptors).map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    guard unsafe poll(&entries, nfds_t(entries.count), Int32(milliseconds)) >= 0 || errno == EINTR else {
      throw Complaint("the job", "cannot be waited for: \(SystemWords.of(errno))", ExitCode.software)
    }
    return try interruption.hasCome()
  }
}

extension JobState {
  var isFinal: Bool {
    switch self {
    case .queued, .running: false
    case .done, .failed, .cancelled: true
    }
  }
}

/// CLOCK_MONOTONIC, for durations.
func monotonicSeconds() -> Double {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Double(now.tv_sec) + Double(now.tv_nsec) / 1e9
}
