internal import Glibc
internal import Messages
internal import Scheduling
internal import Subprocess

/// The process that sweeps the segment store: what it is told and what it found. It is read only once it has ended.
final class StoreSweep {
  private let child: ChildProcess
  private var output: LineReader
  private var errors: TailReader
  private var jobs: [String] = []

  /// - Parameter program: `--parent PID` is appended to its arguments.
  init(_ order: SweepOrder, _ program: WorkerOptions.Program) throws {
    child = try ChildProcess(
      Command(
        program.executable, program.arguments + ["--parent", "\(getpid())"],
        environment: program.environment, input: .bytes(try order.line()), output: .pipe, errorOutput: .pipe))
    guard let output = child.output, let errors = child.errorOutput else { preconditionFailure("both streams are pipes") }
    // More than a job's name has.
    self.output = LineReader(output, limit: 256)
    self.errors = TailReader(errors, limit: 4096)
  }

  /// What to wait for: the end, and streams that have not ended.
  var descriptors: [Int32] {
    [child.exitDescriptor] + (output.isAtEnd ? [] : [child.output?.number].compactMap(\.self))
      + (errors.isAtEnd ? [] : [child.errorOutput?.number].compactMap(\.self))
  }

  /// The jobs that have files in the store, once it has ended; nil while it runs.
  func found(_ log: (Note) -> Void) throws(SubprocessError) -> [String]? {
    // The end first: what is read after it is all there was.
    let status = try child.poll()
    try errors.read()
    for case .text(let job) in try output.read() where jobs.count < OverJob.mostAtOnce { jobs.append(job) }
    guard let status else { return nil }
    if !status.isSuccess { log(Note("sweep_failed", ["end": "\(status)", "reason": errors.text])) }
    return jobs
  }

  func kill() { child.signal(SIGKILL) }
}
