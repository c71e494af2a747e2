package import Messages

/// Specifications of the jobs asked for last: they never change, and a document can be large. Bounded.
package final class SpecCache {
  /// Jobs of the front of the queue are claimed in turns; a few cover what is in flight.
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
