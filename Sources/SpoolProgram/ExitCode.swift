/// What the program returns, after sysexits.h.
enum ExitCode {
  static let ok: Int32 = 0
  /// What was asked for was done, and its answer is no: the movie differs, say.
  static let differs: Int32 = 1
  static let usage: Int32 = 64
  /// The document or its media do not mean anything renderable.
  static let badDocument: Int32 = 65
  /// A document or a media file is missing or cannot be read.
  static let noInput: Int32 = 66
  /// The farm or its database cannot be had.
  static let unavailable: Int32 = 69
  /// Our bug.
  static let software: Int32 = 70
  /// The output cannot be written: no permission, disk full.
  static let cannotCreate: Int32 = 73
  /// Somebody else's rights are needed, or would be lent: a role of the database, a data directory.
  static let notPermitted: Int32 = 77
  static let interrupted: Int32 = 130
  /// Standard output's reader left: as if SIGPIPE had ended the program.
  static let outputClosed: Int32 = 141
}
