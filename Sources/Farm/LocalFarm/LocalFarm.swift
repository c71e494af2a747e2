internal import Glibc
internal import Linux
internal import Subprocess

/// The farm of one machine: a database, a coordinator and workers. They are children of this process and end with it, in whatever
/// way it ends. When another process runs the farm of the data folder, this one uses that farm, and takes it over once that
/// process ends.
///
/// Use it from the main thread, because children end with the thread that started them.
package final class LocalFarm {
  /// The program's arguments for each role.
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
  /// The lock of the farm; nil while another process runs the farm.
  private var lock: FarmLock?
  private var database: KeptDatabase?
  /// The address on which the coordinator listens.
  private var endpoint = ""
  private var processes: [KeptProcess] = []
  /// Prepares the database, for which the coordinator waits; nil when there is nothing, or no more, to prepare.
  private var prepare: ((_ database: String) -> Bool)?

  /// The time in milliseconds that the processes have to end after they are asked. None of them has anything to lose.
  private static let endMilliseconds: Int64 = 2_000

  /// Starts nothing; `tend` does.
  ///
  /// - Parameters:
  ///   - workers: the number of worker processes; at least one.
  ///   - environment: the whole environment of the farm's processes.
  ///   - prepare: prepares the database when the farm runs as another account, whose coordinator lacks the right. It returns
  ///     false when
  ///     it must be called again.
  ///   - patience: how long the caller of `tend` waits for the database.
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

  /// The connection string of the farm's database; nil while the process that runs the farm has not announced it. It may change
  /// when another process takes the farm over.
  package func databaseURL() throws(LocalFarmError) -> String? {
    if let database { return database.url }
    return try FarmLock.runningFarm(of: directory.path)?.database
  }

  /// Descriptors that poll readable when a process of the farm has ended.
  package var descriptors: [Int32] { processes.compactMap(\.exitDescriptor) + (database?.exitDescriptor.map { [$0] } ?? []) }

  /// Keeps the farm running: starts processes that should run, and takes the farm over when nobody runs it. Call it when one of
  /// the descriptors is readable, and several times a second.
  ///
  /// - Throws: when a part of the farm cannot be kept running; `.database(.interrupted)` when nobody waits any more.
  package func tend() throws(LocalFarmError) {
    if lock == nil { try takeOver() }
    let now = MonotonicClock.milliseconds
    for process in processes { try process.tend(at: now) }
    // The database comes last, because this waits for it. The other processes start meanwhile.
    try database?.tend(at: now)
    if lock != nil, let database, let prepare, prepare(database.url) { self.prepare = nil }
  }

  /// Starts the farm's processes, or notices that another process runs the farm, and waits for nothing, unless a database has to be made. `tend`
  /// goes on from there.
  package func begin() throws(LocalFarmError) {
    if lock == nil { try takeOver() }
    let now = MonotonicClock.milliseconds
    for process in processes { try process.tend(at: now) }
    try database?.launch(at: now)
  }

  /// Does a part of what `stop` does while the farm still works: the disk takes about 0.1 s to write what was committed.
  package func prepareStop() { database?.checkpoint() }

  /// Ends the farm if it is this process's: asks its processes to end, then kills those that have not.
  package func stop() {
    for process in processes { process.ask() }
    let deadline = MonotonicClock.milliseconds + Self.endMilliseconds
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
    startCoordinator(of: database)
    for number in 1...workerCount {
      let name = "local-\(number)"
      processes.append(process(name, roles.worker(name, endpoint, directory.segments), as: directory.account))
    }
  }

  /// The coordinator gets the group of the database's server, so that it can reach the server's socket. No other process of the
  /// farm gets it.
  private func startCoordinator(of database: KeptDatabase) {
    let account = directory.account?.inGroup(database.group)
    let waiting = prepare == nil ? [] : ["--schema", "parent"]
    processes.append(process("coordinator", roles.coordinator(database.guestURL, endpoint) + waiting, as: account))
  }

  private func process(_ name: String, _ arguments: [String], as account: Account?) -> KeptProcess {
    let identity = account.map { ["--account", $0.numbers] } ?? []
    let command = Command(executable, arguments + identity + ["--parent", String(getpid())], environment: environment)
    return KeptProcess(name, command, log: "\(directory.logs)/\(name).log")
  }
}
