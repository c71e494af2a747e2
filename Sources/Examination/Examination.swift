internal import FoundationEssentials
internal import Glibc
internal import Media
internal import Remote
package import Subprocess

/// A process that reads media for somebody's command, contained as an attempt is, and what it reports. Ends with its last reference.
///
/// Belongs to one thread, which must outlive it.
package final class Examination {
  package enum Event {
    case report(ExaminationReport)
    /// Nothing was heard of it.
    case silence
    /// It said that it had done all.
    case done
    /// It ended before that: how, in words.
    case broken(String)
    /// It made no progress, and was killed: the same.
    case hung(String)
  }

  private let child: ChildProcess
  private let leash: Leash
  private let output: Descriptor
  private let supply: MediaSupply?
  private let setting: ExaminationSetting
  private var lines: LineReader
  private var errors: TailReader?
  /// Read, but not taken.
  private var reports: ArraySlice<ExaminationReport> = []
  private var freight: Int64 = 0
  private var silentMilliseconds: Int64 = 0
  private var isKilled = false

  /// Bytes of a line: the facts of a file with as many tracks as there may be.
  private static let longestReport = 4 << 20
  /// Bytes of standard error that are kept for the reason of its end.
  private static let lastWords = 4096

  /// - Parameter picture: the file that a picture is to be in, as long as its samples are.
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
    let arguments =
      ["examine"] + setting.roots.flatMap { ["--media-root", $0] } + setting.arguments
      + (lineCount == 0 ? [] : ["--media-lines", "\(lineCount)"])
      + (setting.account.map { ["--account", $0.numbers, "--handed-media", "\(handed.count)"] } ?? [])
      + ["--parent", "\(getpid())", "--leash", "\(2 + passed.count)"]
    // A backtrace is another process's work, which this one cannot start.
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
    try child.limit(.coreFile, toAtMost: 0)
    try child.limit(.openFiles, toAtMost: 1024 + handed.count)
    try child.limit(.fileSize, toAtMost: picture?.byteCount ?? 0)
    try child.limit(.addressSpace, toAtMost: setting.addressSpace)
  }

  /// The files of the order, where another user reads them than the caller.
  ///
  /// - Throws: `MediaError` about the first that may not be read.
  private static func open(_ order: ExaminationOrder, _ setting: ExaminationSetting) throws -> [Descriptor] {
    guard setting.account != nil else { return [] }
    let files = order.files
    try raiseOpenFileLimit(to: 1024 + 3 * files.count)
    return try files.map { path in
      // A movie may lie outside the roots of its edit's media.
      let isMovie = if case .movie(path, _, _) = order { true } else { false }
      return Descriptor(owning: try SourcePolicy(roots: isMovie ? ["/"] : setting.roots).descriptor(of: path))
    }
  }

  /// What comes next, or silence after `milliseconds`. A report is only its word: whoever takes one that was due calls `hasAdvanced`.
  package func next(within milliseconds: Int = 1000) throws(SubprocessError) -> Event {
    if let report = reports.popFirst() { return .report(report) }
    // The end first: what is read after it is all there was.
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

  /// It has told what it was asked for: it lives.
  package func hasAdvanced() { silentMilliseconds = 0 }

  private func read() throws(SubprocessError) {
    try errors?.read()
    for case .text(let line) in try lines.read() {
      // Compositors of the user's own may print what they like.
      if let report = try? JSONDecoder().decode(ExaminationReport.self, from: Data(line.utf8)) { reports.append(report) }
    }
  }

  private func wait(milliseconds: Int) {
    let numbers =
      [child.exitDescriptor] + (lines.isAtEnd ? [] : [output.number])
      + (errors.map(\.isAtEnd) ?? true ? [] : [child.errorOutput?.number].compactMap(\.self))
    var entries = numbers.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let start = monotonicMilliseconds()
    // Interrupted or not, all are looked at again.
    _ = unsafe poll(&entries, nfds_t(entries.count), Int32(milliseconds))
    // This process may have been stopped meanwhile, and heard nothing for that.
    silentMilliseconds += min(monotonicMilliseconds() - start, Int64(milliseconds))
  }

  private func words(about status: ExitStatus) -> String {
    let words = errors?.text.shown() ?? ""
    let memory = "it held at most \(child.peakMemoryBytes >> 20) MiB of memory"
    let details = [words, status == .signalled(SIGABRT) || status == .signalled(SIGSEGV) ? memory : ""].filter { !$0.isEmpty }
    return "the process that reads it ended with \(status)" + (details.isEmpty ? "" : ": " + details.joined(separator: "; "))
  }
}

private func monotonicMilliseconds() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1000 + Int64(now.tv_nsec) / 1_000_000
}
