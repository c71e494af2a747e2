import Linux

/// The help of the options of programs that run for long and write a log.
enum LogWishes {
  static let level = "The least weight of what is logged."
  static let form = "The form of the log: name=value, or a JSON object a line."
}
