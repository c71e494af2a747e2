/// Everything that is wrong with a document, in the order of docs/document.md.
package struct DocumentFaults: Error, Hashable, Sendable, CustomStringConvertible {
  /// What sort of fault it is, for programs that read it.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The text is no JSON, or larger than a document may be.
    case syntax
    case unknownKey
    case missingKey
    /// No asset, track, composition or choice has the name.
    case unknownName
    /// A value that cannot be, by itself or beside others.
    case value
    /// What is asked of a medium, it has not.
    case media
    /// The program has no such compositor, or it refuses its parameters.
    case compositor
  }

  package struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// Where in the document, such as `composition.tracks[1].segments[0].source.duration`; empty for all of it.
    package let path: String
    /// What is wrong, without a full stop.
    package let message: String
    package let kind: Kind
    /// What was probably meant, to be written instead; it is in the message too.
    package let suggestion: String?

    package init(path: String, message: String, _ kind: Kind = .value, suggestion: String? = nil) {
      (self.path, self.message, self.kind, self.suggestion) = (path, message, kind, suggestion)
    }

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

  init(_ message: String, at path: DocumentPath = .root, _ kind: Kind = .value) {
    self.init(faults: [Fault(path: path.description, message: message, kind)], omittedCount: 0)
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
  /// The first place that could not be judged, because what an asset is was not known.
  private(set) var unjudged: DocumentPath?

  func note(
    _ message: @autoclosure () -> String, at path: DocumentPath, _ kind: DocumentFaults.Kind = .value,
    suggestion: @autoclosure () -> String? = nil
  ) {
    count += 1
    guard count <= DocumentLimits.faults else { return }
    faults.append(.init(path: path.description, message: message(), kind, suggestion: suggestion()))
  }

  func leaveUnjudged(_ path: DocumentPath) { unjudged = unjudged ?? path }

  /// What was noted; nil when nothing was.
  var noted: DocumentFaults? { count > 0 ? DocumentFaults(faults: faults, omittedCount: count - faults.count) : nil }

  func throwIfFaulty() throws(DocumentFaults) { if let noted { throw noted } }
}
