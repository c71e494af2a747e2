internal import Glibc
internal import Subprocess

/// The farm of one machine: a database, a coordinator and workers, children of this process that end with it however it
/// ends. Where another process runs the farm of the data directory, that one is used, and run on by us once it leaves.
///
/// Belongs to the main thread: children end with the thread that started them.
package final class LocalFarm {
  /// What this program's arguments are for each role.
  package struct Roles {
    package var coordinator: (_ database: String, _ endpoint: String) -> [String]
    package var worker: (_ name: String, _ endpoint: String, _ segments: String) -> [String]

    package init(
      coordinator: @escaping (_ database: String, _ endpoint: String) -> [String],
      worker: @escaping (_ name: String, _ endpoint: String, _ segments: String) -> [String]
    ) {
      (self.coordinator, self.worker) = (coordinator, worker)
    }
  }

  private let directory: DataDirectory
  private let workerCount: Int
  private let roles: Roles
  private let executable: String
  private let environment: [String: String]
  private let patience: StartPatience
  /// Nil while another process runs the farm.
  private var lock: FarmLock?
  private var database: KeptDatabase?
  /// Where the coordinator listens.
  private var endpoint = ""
  private var processes: [KeptProcess] = []
  /// What is to be done in the database before the coordinator is started; nil once it is.
  private var prepare: ((_ database: String) -> Bool)?

  /// How long the processes may take to end when asked. None has anything to lose.
  private static let endMilliseconds: Int64 = 2_000

  /// Starts nothing; `tend` does.
  /// - Parameters:
  ///   - workers: how many processes; at least one.
  ///   - environment: of the farm's processes, all of it.
  ///   - prepare: makes ready the database of a farm that is not its caller's own, whose coordinator may not; returns false when that
  ///     is to be tried again.
  ///   - patience: of whoever calls `tend`, for the database.
  package init(
    _ directory: DataDirectory, workers: Int, roles: Roles, executable: String = "/proc/self/exe",
    environment: [String: String], prepare: ((_ database: String) -> Bool)? = nil, patience: StartPatience = StartPatience()
  ) {
    precondition(workers > 0)
    self.patience = patience
    (self.directory, workerCount, self.roles) = (directory, workers, roles)
    (self.executable, self.environment) = (executable, environment)
    self.prepare = directory.account == nil ? nil : prepare
  }

  /// Whether this process runs the farm.
  package var isOurs: Bool { lock != nil }

  /// How libpq reaches the farm's database; nil while whoever runs the farm has not said so yet. It may change when the farm
  /// changes hands.
  package func databaseURL() throws(LocalFarmError) -> String? {
    if let database { return database.url }
    return try FarmLock.runningFarm(of: directory.path)?.database
  }

  /// Poll readable when a process of the farm has ended.
  package var descriptors: [Int32] { processes.compactMap(\.exitDescriptor) + (database?.exitDescriptor.map { [$0] } ?? []) }

  /// Looks after the farm: starts what does not run and should, takes the farm over when nobody runs it. To be called when
  /// a descriptor is readable, and several times a second.
  ///
  /// - Throws: when a part of the farm cannot be kept running; `.database(.interrupted)` when the patience ended.
  package func tend() throws(LocalFarmError) {
    if lock == nil { try takeOver() }
    let now = monotonicMilliseconds()
    for process in processes { try process.tend(at: now) }
    // Last, since it waits for the database: the other processes start meanwhile.
    try database?.tend(at: now)
    if lock != nil, let database, let prepare, prepare(database.url) {
      self.prepare = nil
      startCoordinator(of: database)
    }
  }

  /// Does what can be done of `stop` while the farm still works: a disk takes a tenth of a second to hold what was written.
  package func prepareStop() { database?.checkpoint() }

  /// Ends the farm if it is ours: in order, then by force.
  package func stop() {
    for process in processes { process.ask() }
    let deadline = monotonicMilliseconds() + Self.endMilliseconds
    for process in processes { process.end(by: deadline) }
    processes = []
    database?.stop()
    (database, lock) = (nil, nil)
  }

  private func takeOver() throws(LocalFarmError) {
    guard let taken = try FarmLock.take(directory) else { return }
    try directory.requireRoomForDatabase()
    let endpoint = "ipc://" + (try directory.makeSocketDirectory(environment: environment)) + "/coordinator"
    let database = try KeptDatabase(directory, patience)
    try taken.announce(FarmLock.Holder(processID: getpid(), database: database.url), in: directory)
    (self.database, lock, self.endpoint) = (database, taken, endpoint)
    if prepare == nil { startCoordinator(of: database) }
    for number in 1...workerCount {
      let name = "local-\(number)"
      processes.append(process(name, roles.worker(name, endpoint, directory.segments), as: directory.account))
    }
  }

  /// In the group of the database's server, and nobody else of the farm, it reaches the server's socket.
  private func startCoordinator(of database: KeptDatabase) {
    let account = directory.account?.inGroup(database.group)
    processes.append(process("coordinator", roles.coordinator(database.guestURL, endpoint), as: account))
  }

  private func process(_ name: String, _ arguments: [String], as account: Account?) -> KeptProcess {
    let identity = account.map { ["--account", $0.numbers] } ?? []
    let command = Command(executable, arguments + identity + ["--parent", String(getpid())], environment: environment)
    return KeptProcess(name, command, log: "\(directory.logs)/\(name).log")
  }
}
