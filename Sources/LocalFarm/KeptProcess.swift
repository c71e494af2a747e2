internal import Glibc
internal import Subprocess

/// A process that is to run as long as the farm does: started again when it ends, within `RestartPolicy`'s bounds.
/// Belongs to the thread that made it, which must be one that lives as long as the farm.
final class KeptProcess {
  let name: String
  private let command: Command
  private let log: String
  private var policy = RestartPolicy()
  private var child: ChildProcess?
  private var startedAtMilliseconds: Int64 = 0
  private var nextStartMilliseconds: Int64 = 0

  /// - Parameter log: the file that its standard error is appended to.
  init(_ name: String, _ command: Command, log: String) {
    var command = command
    (command.output, command.errorOutput) = (.null, .file(log))
    (self.name, self.command, self.log) = (name, command, log)
  }

  /// Polls readable when the process has ended; nil while none runs.
  var exitDescriptor: Int32? { child?.exitDescriptor }

  /// Notices the process's end, and starts it when it does not run and its pause is over.
  func tend(at now: Int64) throws(LocalFarmError) {
    if let status = try status() {
      child = nil
      switch policy.ended(afterMilliseconds: now - startedAtMilliseconds, now: now) {
      case .giveUp: throw .keepsEnding(name, status.description, log: log)
      case .start(let time): nextStartMilliseconds = time
      }
    }
    if child == nil, now >= nextStartMilliseconds { try start(at: now) }
  }

  private func status() throws(LocalFarmError) -> ExitStatus? {
    do throws(SubprocessError) {
      return try child?.poll()
    } catch {
      throw .cannotStart(name, error.description)
    }
  }

  private func start(at now: Int64) throws(LocalFarmError) {
    do throws(SubprocessError) {
      child = try ChildProcess(command)
      startedAtMilliseconds = now
    } catch {
      throw .cannotStart(name, error.description)
    }
  }

  /// Asks the process to end now.
  func ask() {
    // The first lets a worker finish what it runs, the second does not.
    for signal in [SIGTERM, SIGINT] { child?.signal(signal) }
  }

  /// Waits for the end of an asked process until `deadline`, then kills it.
  func end(by deadline: Int64) {
    guard let child else { return }
    var entry = pollfd(fd: child.exitDescriptor, events: Int16(POLLIN), revents: 0)
    let rest = max(0, deadline - monotonicMilliseconds())
    // Interrupted or late: either way what still runs is killed by the last reference.
    _ = unsafe poll(&entry, 1, Int32(clamping: rest))
    self.child = nil
  }
}

/// CLOCK_MONOTONIC.
func monotonicMilliseconds() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
