package import Messages

/// The specifications of the jobs that were last asked for. They do not change, except that a retry may name another output, and
/// their documents may be large.
package final class SpecCache {
  /// Jobs, and bytes of their documents: a thousand people's short ones are all there, and of long ones the few that are in flight.
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

  /// What probing found in an asset is about as long as the document's part on it.
  private static func weight(_ spec: JobSpec) -> Int { spec.document.utf8.count + 1024 * spec.facts.count }
}
