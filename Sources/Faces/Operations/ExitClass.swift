/// The kind of end that an operation came to. Its raw value is the exit code of a program that ends so, after sysexits.h.
package enum ExitClass: Int32, Hashable, Sendable, CaseIterable {
  case ok = 0
  /// The operation did its work, and the answer is no: the movie differs, for example.
  case differs = 1
  /// The request contradicts itself, or asks for what there is not.
  case usage = 64
  /// The document or its media cannot be rendered.
  case badDocument = 65
  /// A document, a media file, a job or a worker is missing, or cannot be read.
  case noInput = 66
  /// The farm or its database cannot be reached or used.
  case unavailable = 69
  /// A bug of this program.
  case software = 70
  /// The output cannot be written, for example for lack of permission or disk space.
  case cannotCreate = 73
  /// The caller lacks a right, such as a role of the database, or a data folder is not the caller's alone.
  case notPermitted = 77
  case interrupted = 130
  /// The reader of the results has gone. The code is the one that a shell gives for SIGPIPE.
  case outputClosed = 141

  /// The class in a word, for programs.
  package var word: String {
    switch self {
    case .usage: "usage"
    case .badDocument: "content"
    case .noInput: "missing"
    case .unavailable: "unavailable"
    case .software: "bug"
    case .cannotCreate: "output"
    case .notPermitted: "permission"
    case .interrupted, .outputClosed: "interrupted"
    case .ok, .differs: "other"
    }
  }

  /// The gravest of the classes. A missing input outweighs a bad one, because it is what to look for first.
  static func gravest(_ classes: [ExitClass]) -> ExitClass {
    classes.contains(.noInput) ? .noInput : classes.max { $0.rawValue < $1.rawValue } ?? .software
  }
}
