internal import Messages
internal import Subprocess

/// A process of the attempts' program that has no order yet. To load the program takes longer than many an attempt, so a worker has some
/// processes that did that ahead. Like any attempt's process, one does the work of a single attempt and ends with its worker.
final class WaitingAttempt {
  let child: ChildProcess
  let leash: Leash
  private let line: FileLine
  private let options: WorkerOptions

  init(_ options: WorkerOptions) throws(SubprocessError) {
    self.options = options
    (leash, line) = (try Leash(), try FileLine())
    child = try ChildProcess(
      options.command(options.program, ["--order", "4"], input: .null), passing: [leash.end, line.end])
  }

  /// Gives the process its order, its limits and the group that it is to join.
  ///
  /// - Returns: false when the process has ended meanwhile, by nobody's order.
  func take(_ order: AttemptOrder, _ group: AttemptGroup?) throws -> Bool {
    guard try child.poll() == nil else { return false }
    try line.send(.memory(order.line()), with: "\(options.limits(for: order).word)\n\(group?.path ?? "")")
    return true
  }
}
