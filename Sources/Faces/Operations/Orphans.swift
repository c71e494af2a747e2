internal import Glibc
internal import Ledger

/// The jobs of renders that were killed. A private farm cancels them, because nobody waits for their movies.
enum Orphans {
  /// The name under which a render submits its jobs: its process ID and start time. No other process has both before the machine
  /// restarts.
  static var ownName: String { name(of: getpid()) ?? "render \(getpid())" }

  /// Cancels the jobs whose renders are gone.
  ///
  /// - Returns: these jobs.
  static func cancel(in ledger: any FarmDesk) throws(LedgerError) -> [JobStatus] {
    var orphans: [JobStatus] = []
    for job in try ledger.jobs(limit: jobLimit) where !job.state.isFinal && isGone(job.submitter) {
      guard try ledger.cancel(job: job.id) != nil else { continue }
      orphans.append(job)
    }
    return orphans
  }

  /// The number of jobs that are looked at. Each start of a farm looks, so older jobs ended long ago.
  private static let jobLimit = 100

  /// Whether the render of this name is gone.
  static func isGone(_ submitter: String) -> Bool {
    let words = submitter.split(separator: " ")
    guard words.count >= 2, words[0] == "render", let processID = Int32(words[1]) else { return false }
    return name(of: processID) != submitter
  }

  /// The name of the render with this process ID; nil when there is no such process.
  private static func name(of processID: Int32) -> String? {
    let descriptor = unsafe open("/proc/\(processID)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    // The start time is field 22. The second field, the program's name, may contain spaces, so the fields are counted from the
    // last parenthesis.
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[end...].split(separator: " ")
    return fields.count > 20 ? "render \(processID) \(fields[20])" : nil
  }
}
