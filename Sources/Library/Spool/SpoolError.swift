internal import SpoolCalls

/// The failure of a call of the program `spool`.
public struct SpoolError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The program's exit code (docs/cli.md); nil where it could not be started, was ended by a signal, or gave no answer.
  public let exitCode: Int32?
  public let faults: [SpoolFault]
  /// The asset at fault by its name in the document, and the time in it in seconds; nil where the program names none.
  public let asset: String?
  public let time: String?

  public var description: String {
    faults.map { [$0.path, $0.text].filter { !$0.isEmpty }.joined(separator: ": ") }.joined(separator: "\n")
  }

  init(_ failure: CallFailure) {
    (exitCode, asset, time) = (failure.exitCode, failure.asset, failure.time)
    faults = failure.faults.map { SpoolFault(path: $0.path, kind: nil, text: $0.text, suggestion: $0.suggestion) }
  }

  init(reason: String) {
    (exitCode, asset, time) = (nil, nil, nil)
    faults = [SpoolFault(path: "", kind: nil, text: reason, suggestion: nil)]
  }
}

/// A fault of an edit, or a warning about it, with its place.
public struct SpoolFault: Hashable, Sendable, Codable {
  /// The path in the document, or the file or option that the fault is of.
  public var path: String
  /// The kind of the fault (docs/cli.md); nil where the program does not tell it.
  public var kind: String?
  public var text: String
  /// The text to write instead, where one thing was probably meant.
  public var suggestion: String?
}
