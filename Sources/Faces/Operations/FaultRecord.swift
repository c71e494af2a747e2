package import Scenes
package import Timeline

/// One fault, in the form in which people and programs are told of it.
package struct FaultRecord: Hashable, Sendable, Codable {
  /// The document with the fault, as the user named it; nil for a fault of something else. It is shown to people only, since
  /// programs know it.
  package var document: String?
  /// The place of the fault: a path in the document, a file or an option.
  package var path: String
  /// The kind of fault. docs/cli.md lists the kinds.
  package var kind: String
  /// The description of the fault, without a full stop.
  package var text: String
  /// The text that was probably meant, to be written instead.
  package var suggestion: String?

  package init(document: String? = nil, path: String, kind: String, text: String, suggestion: String? = nil) {
    (self.document, self.path, self.kind, self.text, self.suggestion) = (document, path, kind, text, suggestion)
  }

  package init(_ fault: DocumentFaults.Fault, of document: String) {
    self.init(
      document: document, path: fault.path, kind: fault.kind.rawValue, text: fault.message, suggestion: fault.suggestion)
  }

  package init(_ warning: DocumentWarning, of document: String) {
    self.init(document: document, path: warning.path, kind: warning.kind.rawValue, text: warning.message)
  }

  private enum CodingKeys: String, CodingKey { case path, kind, text, suggestion }

  /// The text of the fault's line on standard error, after "error: ".
  package var line: String { ([document, path].compactMap(\.self).filter { !$0.isEmpty } + [text]).joined(separator: ": ") }
}
