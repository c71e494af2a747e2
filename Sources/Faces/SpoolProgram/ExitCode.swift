import Operations

/// The exit codes of the program, for the pages of its verbs.
enum ExitCode {
  static let ok = ExitClass.ok.rawValue
  static let differs = ExitClass.differs.rawValue
  static let usage = ExitClass.usage.rawValue
  static let badDocument = ExitClass.badDocument.rawValue
  static let noInput = ExitClass.noInput.rawValue
  static let unavailable = ExitClass.unavailable.rawValue
  static let software = ExitClass.software.rawValue
  static let cannotCreate = ExitClass.cannotCreate.rawValue
  static let notPermitted = ExitClass.notPermitted.rawValue
  static let interrupted = ExitClass.interrupted.rawValue
}
