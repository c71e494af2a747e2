internal import Glibc
internal import Linux
internal import Subprocess

/// A process that runs as long as the farm does. When it ends, it is started again, within the limits of `RestartPolicy`. Use it
/// from the thread that made it. That thread must live as long as the farm, because the child ends with it.
final class KeptProcess {
  let name: String
  private let command: Command
  private let log: String
  private var policy = RestartPolicy()
  private var child: ChildProcess?
  private var startedAtMilliseconds: Int64 = 0
  private var nextStartMilliseconds: Int64 = 0

  /// - Parameter log: the file to which the process's standard error is appended.
  init(_ name: String, _ command: Command, log: String) {
    var command = command
    (command.output, command.errorOutput) = (.null, .file(log))
    (self.name, self.command, self.log) = (name, command, log)
  }

  /// A descriptor that polls readable when the process has ended; nil while none runs.
  var exitDescriptor: Int32? { child?.exitDescriptor }

  /// Notices when the process has ended. Starts it when it does not run and its pause is over.
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
    // SIGTERM lets a worker finish its attempts; SIGINT ends it at once.
    for signal in [SIGTERM, SIGINT] { child?.signal(signal) }
  }

  /// Waits until `deadline` for a process that was asked to end, then kills it.
  func end(by deadline: Int64) {
    guard let child else { return }
    Readiness.waitToRead([child.exitDescriptor], within: .milliseconds(deadline - MonotonicClock.milliseconds))
    self.child = nil  // this drops the last reference, which kills a process that still runs
  }
}
