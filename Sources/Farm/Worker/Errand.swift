internal import Glibc
internal import Scheduling
internal import Subprocess

/// A process that the worker starts to get some lines: the jobs in the segment store, or fonts of this machine. They count only
/// once it has ended.
final class Errand {
  private let child: ChildProcess
  /// The name of its failure in the log.
  private let name: String
  private let mostLines: Int
  private var output: LineReader
  private var errors: TailReader
  private var lines: [String] = []

  /// - Parameters:
  ///   - name: the name of its failure in the log.
  ///   - order: the bytes of its standard input.
  ///   - program: the program; `--parent PID` is appended to its arguments.
  ///   - mostLines: the most lines that are kept, of at most 256 bytes each.
  ///   - limits: what the process may have; nil limits nothing.
  init(
    _ name: String, _ order: [UInt8], _ program: WorkerOptions.Program, mostLines: Int, limits: ResourceLimits? = nil
  ) throws {
    (self.name, self.mostLines) = (name, mostLines)
    child = try ChildProcess(
      Command(
        program.executable, program.arguments + (limits.map { ["--limits", $0.word] } ?? []) + ["--parent", "\(getpid())"],
        environment: program.environment, input: .bytes(order), output: .pipe, errorOutput: .pipe))
    guard let output = child.output, let errors = child.errorOutput else { preconditionFailure("both streams are pipes") }
    self.output = LineReader(output, limit: 256)
    self.errors = TailReader(errors, limit: 4096)
  }

  /// The descriptors to wait for: the end of the process, and its streams that have not ended.
  var descriptors: [Int32] {
    [child.exitDescriptor] + (output.isAtEnd ? [] : [child.output?.number].compactMap(\.self))
      + (errors.isAtEnd ? [] : [child.errorOutput?.number].compactMap(\.self))
  }

  /// The lines that it wrote, once it has ended; nil while it runs.
  func found(_ log: (Note) -> Void) throws(SubprocessError) -> [String]? {
    // The end is asked for first, so that the following reads take everything that was written.
    let status = try child.poll()
    try errors.read()
    for case .text(let line) in try output.read() where lines.count < mostLines { lines.append(line) }
    guard let status else { return nil }
    if !status.isSuccess { log(Note(name, ["end": "\(status)", "reason": errors.text])) }
    return lines
  }

  func kill() { child.signal(SIGKILL) }
}
