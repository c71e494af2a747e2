package import Messages

/// The specifications of the jobs that were last asked for. They do not change, except that a retry may name another output, and
/// their documents may be large.
package final class SpecCache {
  /// The most specifications. Jobs at the front of the queue are claimed in turns, and a few cover what is being given out.
  private static let limit = 16
  private var specs: [String: JobSpec] = [:]

  package init() {}

  package subscript(job: String) -> JobSpec? {
    get { specs[job] }
    set {
      if specs.count >= Self.limit { specs.removeAll(keepingCapacity: true) }
      specs[job] = newValue
    }
  }
}
