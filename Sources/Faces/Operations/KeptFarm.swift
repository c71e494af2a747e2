internal import FoundationEssentials
internal import Ledger
internal import LocalFarm
internal import Subprocess

/// A private farm that is started when it is first needed. Use it from the main thread.
final class KeptFarm {
  /// The path of its data directory.
  let path: String
  private let plan: PrivateFarm
  private let workers: Int
  private let account: Account?
  private let interruption: Interruption
  private var running: (directory: DataDirectory, farm: LocalFarm)?

  init(_ plan: PrivateFarm, at path: String, workers: Int, _ account: Account?, _ interruption: Interruption) {
    (self.plan, self.path, self.workers) = (plan, path, workers)
    (self.account, self.interruption) = (account, interruption)
  }

  /// The farm, whose processes `tend` starts.
  func start() throws -> LocalFarm { try started().farm }

  func directory() throws -> DataDirectory { try started().directory }

  /// Keeps the farm running if it was started.
  func tend() throws { try running?.farm.tend() }

  /// Ends the farm's processes, and removes what finished jobs left in it.
  func stop() {
    guard let (directory, farm) = running else { return }
    // What cannot be asked for now is found when the next farm stops.
    let url = try? farm.databaseURL()
    RenderSession.stop(farm, in: directory, url.map { PostgreSQLLedger(url: $0, role: "render") })
    running = nil
  }

  /// Ends the farm's processes.
  func drop() {
    running?.farm.stop()
    running = nil
  }

  private func started() throws -> (directory: DataDirectory, farm: LocalFarm) {
    if let running { return running }
    let directory = try DataDirectory(making: path, for: account)
    let patience = StartPatience(interruption: interruption.descriptor, notice: plan.notice)
    var environment = ProcessInfo.processInfo.environment
    if account != nil { environment["SPOOL_CACHE"] = directory.cache }
    let farm = LocalFarm(
      directory, workers: workers, roles: plan.roles(directory), environment: environment,
      prepare: { url in
        // The submission migrates as well, and reports why it cannot.
        do { try PostgreSQLLedger(url: url, role: "render").migrate() } catch { return false }
        return true
      }, patience: patience)
    running = (directory, farm)
    return (directory, farm)
  }
}
