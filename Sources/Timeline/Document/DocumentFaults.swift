/// Everything that is wrong with a document, in the order of docs/document.md.
package struct DocumentFaults: Error, Hashable, Sendable, CustomStringConvertible {
  package struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// Where in the document, such as `composition.tracks[1].segments[0].source.duration`; empty for all of it.
    package let path: String
    /// What is wrong, without a full stop.
    package let message: String

    package var description: String { path.isEmpty ? message : "\(path): \(message)" }
  }

  /// Never empty.
  package let faults: [Fault]
  /// How many more there are than `DocumentLimits.faults`, which are counted only.
  package let omittedCount: Int

  package init(faults: [Fault], omittedCount: Int = 0) {
    self.faults = faults
    self.omittedCount = omittedCount
  }

  init(_ message: String, at path: DocumentPath = .root) {
    self.init(faults: [Fault(path: path.description, message: message)], omittedCount: 0)
  }

  package var description: String {
    let lines = faults.map(\.description) + (omittedCount > 0 ? ["and \(omittedCount) more"] : [])
    return lines.joined(separator: "\n")
  }
}

/// Collects faults while a document is read. Confined to the reader that made it.
final class FaultLog {
  private var faults: [DocumentFaults.Fault] = []
  private(set) var count = 0

  func note(_ message: @autoclosure () -> String, at path: DocumentPath) {
    count += 1
    if count <= DocumentLimits.faults { faults.append(.init(path: path.description, message: message())) }
  }

  func throwIfFaulty() throws(DocumentFaults) {
    guard count > 0 else { return }
    throw DocumentFaults(faults: faults, omittedCount: count - faults.count)
  }
}
