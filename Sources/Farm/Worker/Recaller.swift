internal import Glibc
internal import Messages
internal import Scheduling
internal import Subprocess

/// The process that looks for segments of one job which were made before. It is asked for each by a line on its leash, and answers by lines on its
/// standard output. It serves no other job: what it reads of a job is a stranger's.
final class Recaller {
  /// The most such processes at once.
  static let most = 4
  /// The time after which a process ends that is not asked any more.
  private static let longestIdle = Duration.seconds(10)

  private let child: ChildProcess
  private let leash: Leash
  private var output: LineReader
  private var errors: TailReader
  private var waiting: Set<AttemptKey> = []
  private var asked = ContinuousClock.now

  /// Starts the process.
  ///
  /// - Parameter order: an order of its job.
  init(_ order: AttemptOrder, _ program: WorkerOptions.Program, limits: ResourceLimits) throws {
    var command = Command(
      program.executable, program.arguments + ["--limits", limits.word, "--parent", "\(getpid())", "--leash", "3"],
      environment: program.environment, input: .bytes(try order.line()), output: .pipe, errorOutput: .pipe)
    command.leadsSession = true
    leash = try Leash()
    child = try ChildProcess(command, passing: [leash.end])
    guard let output = child.output, let errors = child.errorOutput else { preconditionFailure("both streams are pipes") }
    self.output = LineReader(output, limit: Wire.longestReport)
    self.errors = TailReader(errors, limit: 4096)
  }

  /// The descriptors to wait for: the end of the process, and its streams that have not ended.
  var descriptors: [Int32] {
    [child.exitDescriptor] + (output.isAtEnd ? [] : [child.output?.number].compactMap(\.self))
      + (errors.isAtEnd ? [] : [child.errorOutput?.number].compactMap(\.self))
  }

  /// Asks for an attempt's segment.
  ///
  /// - Returns: whether it could be asked.
  func ask(_ order: AttemptOrder) throws -> Bool {
    guard try leash.send(RecallQuestion(key: order.key, work: order.work).line()) else { return false }
    waiting.insert(order.key)
    asked = .now
    return true
  }

  /// The answers that arrived since the last call, and whether the process has ended. It then answers nil to whatever it was still asked.
  func answers(_ log: (Note) -> Void) throws(SubprocessError) -> (answers: [RecallAnswer], hasEnded: Bool) {
    // The end is asked for first, so that the following reads take everything that was written.
    let status = try child.poll()
    try errors.read()
    var answers: [RecallAnswer] = []
    for line in try output.read() {
      do throws(WireError) {
        guard case .text(let text) = line else { throw .malformed("a line of more than \(output.limit) bytes") }
        let answer = try RecallAnswer(line: text)
        if waiting.remove(answer.key) != nil { answers.append(answer) }
      } catch { log(Note("unreadable_answer", ["process": "\(child.processID)", "reason": "\(error)"])) }
    }
    guard let status else { return (answers, false) }
    if !status.isSuccess { log(Note("recall_failed", ["end": "\(status)", "reason": errors.text])) }
    return (answers + waiting.sorted().map { RecallAnswer(key: $0, proof: nil) }, true)
  }

  /// Whether nothing is asked of it.
  var isIdle: Bool { waiting.isEmpty }

  /// The time at which it was last asked.
  var lastAsked: ContinuousClock.Instant { asked }

  /// Whether nothing was asked of it for so long that it is not needed any more.
  var isForgotten: Bool { isIdle && .now - asked > Self.longestIdle }

  func kill() { child.signal(SIGKILL) }
}
