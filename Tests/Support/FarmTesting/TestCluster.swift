internal import FoundationEssentials
internal import Glibc
internal import LocalFarm
internal import PostgreSQL

/// A private PostgreSQL server for all tests of a process, in a temporary directory that is removed with it. Each test makes
/// databases of its own.
package final class TestCluster: Sendable {
  /// The server of this process. The first test that asks for it starts it.
  package static let shared = Result { try TestCluster() }

  private let connectionString: String
  /// The path of the server's log, for all databases.
  package let log: String

  private init() throws {
    let directory = "/tmp/spool-test-\(getpid())-\(UInt32.random(in: 0 ... .max))"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: false)
    // The server runs as the user postgres if the tests run as root, so that user must be able to enter.
    try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: directory)
    log = "\(directory)/postgresql/log"
    connectionString = try Keeper.start(directory)
  }

  /// Makes a new database, which disappears with the server.
  /// - Returns: its connection string for libpq.
  package func makeDatabase() throws -> String {
    let name = "test_\(UInt64.random(in: 0 ... .max))"
    let administrator = try Connection(url: connectionString, applicationName: "spool test")
    try administrator.run("create database \(name)")
    return connectionString.replacing("dbname=postgres", with: "dbname=\(name)")
  }
}

/// Keeps the server on a thread of its own. The kernel ends a server with the thread that started it, and the test runner's
/// threads come and go.
// @unchecked: its thread writes before it posts `ready`, others read only after that, and `stop` runs at exit.
@safe private final class Keeper: @unchecked Sendable {
  private static nonisolated(unsafe) var kept: Keeper?  // set once, in the initialiser of `TestCluster.shared`

  private let directory: String
  private var cluster: PostgreSQLCluster?
  private var result: Result<String, PostgreSQLClusterError>?
  /// The semaphore is never freed, because the keeper stays until the process ends.
  private let ready: UnsafeMutablePointer<sem_t>

  private init(_ directory: String) {
    self.directory = directory
    unsafe ready = .allocate(capacity: 1)
    unsafe sem_init(ready, 0, 0)
  }

  /// Starts the server.
  ///
  /// - Returns: its connection string.
  static func start(_ directory: String) throws(PostgreSQLClusterError) -> String {
    let keeper = Keeper(directory)
    unsafe kept = keeper
    var thread = pthread_t()
    let code = unsafe pthread_create(
      &thread, nil,
      { argument in
        let keeper = unsafe Unmanaged<Keeper>.fromOpaque(argument!).takeRetainedValue()
        keeper.run()
        while true { pause() }
      }, Unmanaged.passRetained(keeper).toOpaque())
    precondition(code == 0, "a thread for the test server")
    unsafe sem_wait(keeper.ready)
    atexit { unsafe Keeper.kept?.stop() }
    guard let result = keeper.result else { preconditionFailure("the thread posts after it has a result") }
    return try result.get()
  }

  private func run() {
    result = Result { () throws(PostgreSQLClusterError) in
      // Nothing here outlives the tests, so nothing needs to reach the disk.
      let cluster = try PostgreSQLCluster(
        dataDirectory: directory, settings: ["fsync": "off", "synchronous_commit": "off", "full_page_writes": "off"])
      try cluster.start()
      self.cluster = cluster
      return cluster.connectionString
    }
    unsafe sem_post(ready)
  }

  private func stop() {
    cluster?.stop()
    try? FileManager.default.removeItem(atPath: directory)  // at exit there is nobody left to tell
  }
}
