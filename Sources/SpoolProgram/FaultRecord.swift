import Terminal
import Timeline

/// One thing that is wrong, as people and programs are told it.
struct FaultRecord: Encodable {
  /// The document whose fault it is, as it was named; nil when it is of something else. People are told it, programs know it.
  var document: String?
  /// Where: a path in the document, a file, an option.
  var path: String
  /// What sort of thing it is: docs/cli.md lists them.
  var kind: String
  /// What is wrong, without a full stop.
  var text: String
  /// What was probably meant, to be written instead.
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

  /// The line that it is on standard error, after "error: ".
  var line: String { ([document, path].compactMap(\.self).filter { !$0.isEmpty } + [text]).joined(separator: ": ") }
}

extension ExitCode {
  /// What sort of failure a code stands for, for programs that read it.
  static func kind(of code: Int32) -> String {
    switch code {
    case usage: "usage"
    case badDocument: "content"
    case noInput: "missing"
    case unavailable: "unavailable"
    case software: "bug"
    case cannotCreate: "output"
    case interrupted, outputClosed: "interrupted"
    default: "other"
    }
  }
}

extension StandardStream {
  /// Tells what a document says to no effect, a line each.
  func warn(_ warnings: [FaultRecord]) throws(StreamError) {
    for warning in warnings { try line("warning: \(warning.line)") }
  }
}
