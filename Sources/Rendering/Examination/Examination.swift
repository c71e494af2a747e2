internal import FoundationEssentials
internal import Glibc
internal import Linux
internal import Media
internal import Remote
package import Subprocess

/// A process that reads media for a command, and its reports. It is contained as an attempt is, and it ends when the last
/// reference goes.
///
/// Use it from one thread, which must outlive it.
package final class Examination {
  package enum Event {
    case report(ExaminationReport)
    /// No report came.
    case silence
    /// The process ended well: it has done everything.
    case done
    /// The process ended before that. The text says how.
    case broken(String)
    /// The process made no progress and was killed. The text says how long it was silent.
    case hung(String)
  }

  private let child: ChildProcess
  private let leash: Leash
  private let output: Descriptor
  private let supply: MediaSupply?
  private let setting: ExaminationSetting
  private var lines: LineReader
  private var errors: TailReader?
  /// Reports that were read and not taken yet.
  private var reports: ArraySlice<ExaminationReport> = []
  private var freight: Int64 = 0
  private var silentMilliseconds: Int64 = 0
  private var isKilled = false

  /// The most bytes of a report's line: enough for the facts of a file with as many tracks as there may be.
  private static let longestReport = 4 << 20
  /// The number of bytes of standard error that are kept, as a reason for the process's end.
  private static let lastWords = 4096

  /// - Parameter picture: the file for a picture. It is as long as the picture's samples.
  package init(
    _ order: ExaminationOrder, _ setting: ExaminationSetting, picture: (file: Descriptor, byteCount: Int)? = nil
  ) throws {
    self.setting = setting
    let sources = setting.library == nil ? [] : order.remoteSources
    let supply = sources.isEmpty ? nil : MediaSupply()
    self.supply = supply
    var passed: [Descriptor] = []
    if let supply, let library = setting.library {
      for _ in 0..<min(sources.count, order.mostAtOnce) { passed.append(try supply.start(sources, from: library)) }
    }
    let lineCount = passed.count
    passed += picture.map { [$0.file] } ?? []
    let handed = try Self.open(order, setting)
    passed += handed
    leash = try Leash()
    passed.append(leash.end)
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.withoutEscapingSlashes]
    let limits = ResourceLimits(
      openFiles: 1024 + handed.count, fileBytes: max(picture?.byteCount ?? 0, Int(order.largestFont)),
      addressSpace: setting.addressSpace)
    let arguments =
      ["examine"] + setting.roots.flatMap { ["--media-root", $0] } + setting.arguments
      + (lineCount == 0 ? [] : ["--media-lines", "\(lineCount)"])
      + (setting.account.map { ["--account", $0.numbers, "--handed-media", "\(handed.count)"] } ?? [])
      + ["--limits", limits.word, "--parent", "\(getpid())", "--leash", "\(2 + passed.count)"]
    // A backtrace would need another process, which this one cannot start.
    let environment = Command.harmlessEnvironment().merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
    var command = Command(
      setting.executable, arguments, environment: environment,
      input: .bytes(Array(try encoder.encode(order))), output: .pipe,
      errorOutput: setting.sharesErrorOutput ? .inherited : .pipe)
    command.leadsSession = true
    child = try ChildProcess(command, passing: passed)
    guard let output = child.output else { preconditionFailure("its output is a pipe") }
    self.output = output
    lines = LineReader(output, limit: Self.longestReport)
    errors = child.errorOutput.map { TailReader($0, limit: Self.lastWords) }
  }

  /// Opens the order's files when another user than the caller reads them.
  ///
  /// - Throws: `MediaError` about the first file that may not be read.
  private static func open(_ order: ExaminationOrder, _ setting: ExaminationSetting) throws -> [Descriptor] {
    guard setting.account != nil else { return [] }
    let files = order.files
    try raiseOpenFileLimit(to: 1024 + 3 * files.count)
    return try files.map { path in
      // A movie may lie outside the roots of its edit's media.
      let isMovie = if case .movie(let movie, _, _) = order { movie.files.contains(path) } else { false }
      return Descriptor(owning: try SourcePolicy(roots: isMovie ? ["/"] : setting.roots).descriptor(of: path))
    }
  }

  /// The next event, or silence after `milliseconds` (at most 1000). A report cannot be trusted: a caller that was waiting for it
  /// calls `hasAdvanced`.
  package func next(within milliseconds: Int = 1000) throws(SubprocessError) -> Event {
    if let report = reports.popFirst() { return .report(report) }
    // The end is looked for first: what is read after it is all that the process wrote.
    let status = try child.poll()
    try read()
    if let report = reports.popFirst() { return .report(report) }
    if let status {
      guard !isKilled else { return .hung("no progress for \(setting.patienceSeconds) s; killed") }
      return status == .exited(0) ? .done : .broken(words(about: status))
    }
    if let moved = supply?.freight, moved != freight { (freight, silentMilliseconds) = (moved, 0) }
    if silentMilliseconds >= Int64(setting.patienceSeconds) * 1000 {
      isKilled = true
      child.signal(SIGKILL)
    }
    wait(milliseconds: min(milliseconds, 1000))
    return .silence
  }

  /// Notes that the process has made progress, so that the patience starts anew.
  package func hasAdvanced() { silentMilliseconds = 0 }

  private func read() throws(SubprocessError) {
    try errors?.read()
    for case .text(let line) in try lines.read() {
      // Custom compositors may print other lines, which are skipped.
      if let report = try? JSONDecoder().decode(ExaminationReport.self, from: Data(line.utf8)) { reports.append(report) }
    }
  }

  private func wait(milliseconds: Int) {
    let numbers =
      [child.exitDescriptor] + (lines.isAtEnd ? [] : [output.number])
      + (errors.map(\.isAtEnd) ?? true ? [] : [child.errorOutput?.number].compactMap(\.self))
    let start = MonotonicClock.milliseconds
    // A wait that fails needs no handling, because everything is looked at again.
    Readiness.waitToRead(numbers, within: .milliseconds(milliseconds))
    // This process may have been stopped meanwhile, so at most the time asked for counts as silence.
    silentMilliseconds += min(MonotonicClock.milliseconds - start, Int64(milliseconds))
  }

  private func words(about status: ExitStatus) -> String {
    let words = errors?.text.shown() ?? ""
    let memory = "it held at most \(child.peakMemoryBytes >> 20) MiB of memory"
    let details = [words, status == .signalled(SIGABRT) || status == .signalled(SIGSEGV) ? memory : ""].filter { !$0.isEmpty }
    return "the process that reads it ended with \(status)" + (details.isEmpty ? "" : ": " + details.joined(separator: "; "))
  }
}
