import Glibc
import Ledger

/// The jobs of renders that did not live to see their end. A private farm gives them up: nobody waits for their movies.
enum Orphans {
  /// How a render signs its jobs: its process id and start time, which together no other process of this boot has.
  static var ownName: String { name(of: getpid()) ?? "render \(getpid())" }

  /// Cancels the jobs whose renders are gone.
  ///
  /// - Returns: those jobs.
  static func cancel(in ledger: any Ledger) throws(LedgerError) -> [JobStatus] {
    var orphans: [JobStatus] = []
    for job in try ledger.jobs(limit: jobLimit) where !job.state.isFinal && isGone(job.submitter) {
      guard try ledger.cancel(job: job.id) != nil else { continue }
      orphans.append(job)
    }
    return orphans
  }

  /// Older jobs have long ended: every start of a farm looks.
  private static let jobLimit = 100

  /// Whether the render that has this name is gone.
  static func isGone(_ submitter: String) -> Bool {
    let words = submitter.split(separator: " ")
    guard words.count >= 2, words[0] == "render", let processID = Int32(words[1]) else { return false }
    return name(of: processID) != submitter
  }

  /// Nil when there is no such process.
  private static func name(of processID: Int32) -> String? {
    let descriptor = unsafe open("/proc/\(processID)/stat", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { _ = close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe read(descriptor, &bytes, bytes.count)
    // Field 22, starttime; the second field, the program's name, may hold spaces, but ends with the last parenthesis.
    let text = String(decoding: bytes.prefix(max(0, count)), as: UTF8.self)
    guard let end = text.lastIndex(of: ")") else { return nil }
    let fields = text[end...].split(separator: " ")
    return fields.count > 20 ? "render \(processID) \(fields[20])" : nil
  }
}
