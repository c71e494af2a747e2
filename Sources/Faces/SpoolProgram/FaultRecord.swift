import Scenes
import Terminal
import Timeline

/// One fault, in the form in which people and programs are told of it.
struct FaultRecord: Encodable {
  /// The document with the fault, as the user named it; nil for a fault of something else. It is shown to people only, since
  /// programs know it.
  var document: String?
  /// The place of the fault: a path in the document, a file or an option.
  var path: String
  /// The kind of fault. docs/cli.md lists the kinds.
  var kind: String
  /// The description of the fault, without a full stop.
  var text: String
  /// The text that was probably meant, to be written instead.
  var suggestion: String?

  init(document: String? = nil, path: String, kind: String, text: String, suggestion: String? = nil) {
    (self.document, self.path, self.kind, self.text, self.suggestion) = (document, path, kind, text, suggestion)
  }

  init(_ fault: DocumentFaults.Fault, of document: String) {
    self.init(
      document: document, path: fault.path, kind: fault.kind.rawValue, text: fault.message, suggestion: fault.suggestion)
  }

  init(_ warning: DocumentWarning, of document: String) {
    self.init(document: document, path: warning.path, kind: warning.kind.rawValue, text: warning.message)
  }

  private enum CodingKeys: String, CodingKey { case path, kind, text, suggestion }

  /// The text of the fault's line on standard error, after "error: ".
  var line: String { ([document, path].compactMap(\.self).filter { !$0.isEmpty } + [text]).joined(separator: ": ") }
}

extension ExitCode {
  /// The kind of failure that an exit code stands for, for programs.
  static func kind(of code: Int32) -> String {
    switch code {
    case usage: "usage"
    case badDocument: "content"
    case noInput: "missing"
    case unavailable: "unavailable"
    case software: "bug"
    case cannotCreate: "output"
    case notPermitted: "permission"
    case interrupted, outputClosed: "interrupted"
    default: "other"
    }
  }
}

extension StandardStream {
  /// Writes a line for each warning.
  func warn(_ warnings: [FaultRecord]) throws(StreamError) {
    for warning in warnings { try line("warning: \(warning.line)") }
  }
}
