package import JSON

/// The faults of a document, in the order in which they were found.
package struct DocumentFaults: Error, Hashable, Sendable, CustomStringConvertible {
  /// The sort of a fault, for programs that read it.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The text is no JSON, no JSON object, or larger than a document may be.
    case syntax
    case unknownKey
    case missingKey
    /// No asset, track, composition or choice has this name.
    case unknownName
    /// A value is impossible, by itself or together with others.
    case value
    /// An asset, or a nested composition, does not have what the document asks of it.
    case media
    /// The program has no such compositor, or the compositor refuses its parameters.
    case compositor
  }

  package struct Fault: Hashable, Sendable, CustomStringConvertible {
    /// The place in the document, such as `composition.tracks[1].segments[0].source.duration`; empty for the whole document.
    package let path: String
    /// The fault in words, without a full stop.
    package let message: String
    package let kind: Kind
    /// The text that was probably meant, and may be written instead. The message has it too.
    package let suggestion: String?

    package init(path: String, message: String, _ kind: Kind = .value, suggestion: String? = nil) {
      (self.path, self.message, self.kind, self.suggestion) = (path, message, kind, suggestion)
    }

    package var description: String { path.isEmpty ? message : "\(path): \(message)" }
  }

  /// The faults that are told, at most `DocumentLimits.faults`; never empty.
  package let faults: [Fault]
  /// The number of further faults, which are only counted.
  package let omittedCount: Int

  package init(faults: [Fault], omittedCount: Int = 0) {
    self.faults = faults
    self.omittedCount = omittedCount
  }

  package init(_ message: String, at path: JSONPath = .root, _ kind: Kind = .value) {
    self.init(faults: [Fault(path: path.description, message: message, kind)], omittedCount: 0)
  }

  package var description: String {
    let lines = faults.map(\.description) + (omittedCount > 0 ? ["and \(omittedCount) more"] : [])
    return lines.joined(separator: "\n")
  }
}

/// Collects the faults of a document while it is read or resolved. It is used on one thread only.
package final class FaultLog {
  private var faults: [DocumentFaults.Fault] = []
  package private(set) var count = 0
  /// The first place that could not be judged, because an asset was not known.
  package private(set) var unjudged: JSONPath?

  package func note(
    _ message: @autoclosure () -> String, at path: JSONPath, _ kind: DocumentFaults.Kind = .value,
    suggestion: @autoclosure () -> String? = nil
  ) {
    count += 1
    guard count <= DocumentLimits.faults else { return }
    faults.append(.init(path: path.description, message: message(), kind, suggestion: suggestion()))
  }

  package func leaveUnjudged(_ path: JSONPath) { unjudged = unjudged ?? path }

  package init() {}

  /// The faults that were noted; nil when there is none.
  package var noted: DocumentFaults? { count > 0 ? DocumentFaults(faults: faults, omittedCount: count - faults.count) : nil }

  package func throwIfFaulty() throws(DocumentFaults) { if let noted { throw noted } }
}
