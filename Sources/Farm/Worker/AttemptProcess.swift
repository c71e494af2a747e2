internal import Glibc
internal import Messages
internal import Scheduling
internal import Subprocess

/// The process of one attempt, with its reports, its last words and its end.
final class AttemptProcess {
  /// The bytes of standard error that are told in the reason of a failure.
  private static let lastWordBytes = 4096

  private let child: ChildProcess
  private let leash: Leash
  /// The attempt's control group. It is nil when the worker has none; then the kernel limits the address space instead.
  private let group: AttemptGroup?
  private let memoryLimit: Int?
  private var output: LineReader
  private var errors: TailReader
  private var witness = KeyWitness()

  /// - Parameter waiting: a process that takes the order; nil where one is to be started.
  init(_ order: AttemptOrder, _ options: WorkerOptions, _ waiting: WaitingAttempt? = nil) throws {
    let group = try options.attemptGroups?.makeGroup(for: order.key, memoryBytes: options.attemptMemoryBytes)
    if let waiting, try waiting.take(order, group) {
      (child, leash) = (waiting.child, waiting.leash)
    } else {
      let program = order.needsCourier ? options.courier ?? options.program : options.program
      let more = ["--limits", options.limits(for: order).word] + (group.map { ["--control-group", $0.path] } ?? [])
      leash = try Leash()
      child = try ChildProcess(options.command(program, more, input: .bytes(try order.line())), passing: [leash.end])
    }
    (self.group, memoryLimit) = (group, options.attemptMemoryBytes)
    guard let output = child.output, let errors = child.errorOutput else { preconditionFailure("both streams are pipes") }
    self.output = LineReader(output, limit: Wire.longestReport)
    self.errors = TailReader(errors, limit: AttemptLog.tailBytes, head: AttemptLog.headBytes)
  }

  /// The descriptors to wait for: the end of the process, and its streams that have not ended.
  var descriptors: [Int32] {
    [child.exitDescriptor] + (output.isAtEnd ? [] : [child.output?.number].compactMap(\.self))
      + (errors.isAtEnd ? [] : [child.errorOutput?.number].compactMap(\.self))
  }

  /// The reports that arrived. An unreadable line is logged and skipped.
  func reports(_ log: (Note) -> Void) throws(SubprocessError) -> [AttemptReport] {
    try errors.read()
    var reports: [AttemptReport] = []
    for line in try output.read() {
      do {
        guard case .text(let text) = line else { throw WireError.malformed("a line of more than \(output.limit) bytes") }
        if let report = witness.believed(try AttemptReport(line: text)) { reports.append(report) }
      } catch {
        log(Note("unreadable_report", ["process": "\(child.processID)", "reason": "\(error)"]))
      }
    }
    return reports
  }

  /// The status with which the process ended; nil while it runs. Reports may still be unread.
  func end() throws(SubprocessError) -> ExitStatus? { try child.poll() }

  /// The end of the attempt with its last words. Call it once all output was read.
  func explained(_ status: ExitStatus) -> AttemptEnd {
    if status == .signalled(SIGKILL), let shortage = group?.shortage {
      return .killedForMemory(shortage, heldMebibytes: peakMemoryBytes >> 20)
    }
    return switch status {
    case .exited(let code): .exited(code, lastWords: lastWords)
    case .signalled(let signal): .signalled(signal, lastWords: lastWords + memoryUse)
    }
  }

  /// The bytes of standard error that were read.
  var writtenBytes: Int { errors.byteCount }

  /// The record of what the process wrote to standard error, as far as it was read; nil when it wrote nothing.
  var log: AttemptLog? {
    errors.byteCount == 0 ? nil : AttemptLog(text: errors.excerpt, byteCount: errors.byteCount)
  }

  private var lastWords: String { String(decoding: errors.text.utf8.suffix(Self.lastWordBytes), as: UTF8.self) }

  private var peakMemoryBytes: Int { group?.peakMemoryBytes ?? child.peakMemoryBytes }

  /// The memory use, for the report of a crash: a process that gets no memory mostly crashes without saying so.
  private var memoryUse: String {
    let limit = memoryLimit.map { " of the \($0 >> 20) MiB it may have" } ?? ""
    return "\nit held at most \(peakMemoryBytes >> 20) MiB of memory\(limit)"
  }

  /// Sends a line to the process, which may read it or not.
  func amend(_ amendment: OrderAmendment) throws { _ = try leash.send(amendment.line()) }

  func stop() { child.signal(SIGTERM) }

  func kill() {
    child.signal(SIGKILL)
    group?.kill()
  }

  /// Kills what the process left behind.
  ///
  /// - Returns: nil when nothing is left; else the group, whose `remove` is to be called again.
  func leftover() -> AttemptGroup? { group?.remove() ?? true ? nil : group }
}

extension WorkerOptions {
  /// The limits of the process that carries out the order.
  func limits(for order: AttemptOrder) -> ResourceLimits {
    ResourceLimits(
      openFiles: attemptOpenFiles + (handsMedia ? order.spec.facts.count : 0), fileBytes: attemptFileBytes,
      addressSpace: attemptGroups == nil ? attemptMemoryBytes : nil)
  }

  /// The command of an attempt's process, whose leash is its descriptor 3.
  ///
  /// - Parameter more: further arguments.
  func command(_ program: Program, _ more: [String], input: Command.Input) -> Command {
    var command = Command(
      program.executable, program.arguments + ["--parent", "\(getpid())", "--leash", "3"] + more,
      environment: program.environment, input: input, output: .pipe, errorOutput: .pipe)
    command.leadsSession = true
    return command
  }
}
