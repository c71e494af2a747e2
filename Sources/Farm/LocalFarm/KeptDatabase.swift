internal import Linux

/// The farm's database server. When it ends, it is started again, within the limits of `RestartPolicy`.
final class KeptDatabase {
  private let cluster: PostgreSQLCluster
  private var policy = RestartPolicy()
  private var startedAtMilliseconds: Int64?
  private var nextStartMilliseconds: Int64 = 0

  /// Makes the database if there is none. Does not start the server.
  init(_ directory: DataDirectory, _ patience: StartPatience) throws(LocalFarmError) {
    do throws(PostgreSQLClusterError) {
      cluster = try PostgreSQLCluster(dataDirectory: directory.path, guest: directory.account, patience: patience)
    } catch {
      throw LocalFarmError(error)
    }
  }

  var url: String { cluster.connectionString }
  /// The connection string for the farm's coordinator.
  var guestURL: String { cluster.guestConnectionString }
  /// The group of the server. Where the farm is another user's, members of this group reach its socket.
  var group: UInt32 { cluster.group }

  /// A descriptor that polls readable when the server has ended; nil while none runs.
  var exitDescriptor: Int32? { cluster.exitDescriptor }

  /// Begins to start the server that does not run, and waits for nothing; `tend` does.
  func launch(at now: Int64) throws(LocalFarmError) {
    guard startedAtMilliseconds == nil, now >= nextStartMilliseconds else { return }
    do throws(PostgreSQLClusterError) { try cluster.launch() } catch { throw LocalFarmError(error) }
  }

  /// Notices when the server has ended. Starts it when it does not run and its pause is over, and waits until it answers.
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
      startedAtMilliseconds = MonotonicClock.milliseconds
    } catch {
      throw LocalFarmError(error)
    }
  }

  func checkpoint() { cluster.checkpoint() }

  func stop() { cluster.stop() }
}
