/// The farm's database server, started again when it ends, within `RestartPolicy`'s bounds.
final class KeptDatabase {
  private let cluster: PostgreSQLCluster
  private var policy = RestartPolicy()
  private var startedAtMilliseconds: Int64?
  private var nextStartMilliseconds: Int64 = 0

  /// Makes the database if there is none; starts nothing.
  init(_ directory: DataDirectory, _ patience: StartPatience) throws(LocalFarmError) {
    do throws(PostgreSQLClusterError) {
      cluster = try PostgreSQLCluster(dataDirectory: directory.path, guest: directory.account, patience: patience)
    } catch {
      throw .database(error)
    }
  }

  var url: String { cluster.connectionString }
  /// The same for the farm's coordinator.
  var guestURL: String { cluster.guestConnectionString }
  /// The server's, whose members reach its socket where the farm is another user's.
  var group: UInt32 { cluster.group }

  /// Polls readable when the server has ended; nil while none runs.
  var exitDescriptor: Int32? { cluster.exitDescriptor }

  /// Notices the server's end, and starts it when it does not run and its pause is over: waits until it answers.
  func tend(at now: Int64) throws(LocalFarmError) {
    do throws(PostgreSQLClusterError) {
      if let started = startedAtMilliseconds, let status = try cluster.poll() {
        startedAtMilliseconds = nil
        switch policy.ended(afterMilliseconds: now - started, now: now) {
        case .giveUp: throw PostgreSQLClusterError(at: "postgres", "keeps ending (\(status))")
        case .start(let time): nextStartMilliseconds = time
        }
      }
      guard startedAtMilliseconds == nil, now >= nextStartMilliseconds else { return }
      try cluster.start()
      startedAtMilliseconds = monotonicMilliseconds()
    } catch {
      throw .database(error)
    }
  }

  func checkpoint() { cluster.checkpoint() }

  func stop() { cluster.stop() }
}
