/// The exit codes of the program, after sysexits.h.
enum ExitCode {
  static let ok: Int32 = 0
  /// The command did its work, and the answer is no: the movie differs, for example.
  static let differs: Int32 = 1
  static let usage: Int32 = 64
  /// The document or its media cannot be rendered.
  static let badDocument: Int32 = 65
  /// A document or a media file is missing or cannot be read.
  static let noInput: Int32 = 66
  /// The farm or its database cannot be reached or used.
  static let unavailable: Int32 = 69
  /// A bug of this program.
  static let software: Int32 = 70
  /// The output cannot be written, for example for lack of permission or disk space.
  static let cannotCreate: Int32 = 73
  /// The caller lacks a right, such as a role of the database, or a data folder is not the caller's alone.
  static let notPermitted: Int32 = 77
  static let interrupted: Int32 = 130
  /// The reader of standard output has gone. The code is the one that a shell gives for SIGPIPE.
  static let outputClosed: Int32 = 141
}
