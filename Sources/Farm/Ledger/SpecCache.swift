package import Messages

/// The specifications of the jobs that were last asked for. Documents may be large, and a specification does not change, except
/// that a retry may name another output. A cache that is full is emptied.
package final class SpecCache {
  /// The most jobs, and the most bytes of their specifications. A thousand people's short documents all fit; of long ones, those
  /// of the few jobs that are worked on.
  private static let (mostJobs, mostBytes) = (4096, 64 << 20)
  private var specs: [String: JobSpec] = [:]
  private var bytes = 0

  package init() {}

  package subscript(job: String) -> JobSpec? {
    get { specs[job] }
    set {
      if let former = specs.removeValue(forKey: job) { bytes -= Self.weight(former) }
      guard let newValue else { return }
      bytes += Self.weight(newValue)
      if specs.count >= Self.mostJobs || bytes > Self.mostBytes {
        specs.removeAll(keepingCapacity: true)
        bytes = Self.weight(newValue)
      }
      specs[job] = newValue
    }
  }

  /// The approximate size of a specification in bytes. The facts about an asset count as 1 KiB.
  private static func weight(_ spec: JobSpec) -> Int { spec.document.utf8.count + 1024 * spec.facts.count }
}
