/// The rules of the house that a reader of text can hold; `swift format` holds the layout.
enum HouseRules {
  static let lineLimit = 400

  /// Names that say nothing about what a thing is.
  static let emptyWords: Set<String> = [
    "Utils", "Util", "Utilities", "Helper", "Helpers", "Manager", "Common", "Base", "Impl", "Service", "Info", "Misc",
  ]

  /// Types, files and folders named with an empty word, such as `FrameManager`.
  static func emptyNames(in file: SourceFile) -> [String] {
    guard file.mentions(emptyWords) || emptyWords.contains(where: file.path.contains) else { return [] }
    let declared = file.lines.compactMap { line in
      line.firstMatch(of: /\b(?:struct|class|enum|actor|protocol|typealias|extension) ([A-Z][A-Za-z0-9]*)/).map { String($0.1) }
    }
    let folders = file.path.split { "/.+".contains($0) }.map(String.init)
    return (declared + folders).filter { !emptyWords.isDisjoint(with: words(of: $0)) }.map { "\(file.path): \($0)" }
  }

  /// The words of a name in upper camel case.
  static func words(of name: String) -> [String] {
    name.matches(of: /[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/).map { String($0.0) }
  }

  /// Code that ends the process on what the world sent, and notes of work not done.
  static func shortcuts(in file: SourceFile) -> [String] {
    guard file.mentions(["try!", "as!", "fatalError", "@testable", "TODO", "FIXME", "XXX", "HACK"]) else { return [] }
    return file.places { line in
      line.contains(/\btry!|\bas!|\bfatalError\(|@testable|\b(?:TODO|FIXME|XXX|HACK)\b/)
    }
  }

  /// Words by which a program speaks past the streams and the log that make plain what it says.
  static let ways = [
    "print(", "puts(", "printf(", "perror(", "dump(", "STDOUT_FILENO", "STDERR_FILENO", "FileHandle", "stdout", "stderr",
    "/dev/tty",
  ]

  /// Where a file speaks by itself, or by pages that were not built in.
  static func voices(in file: SourceFile) -> [String] {
    guard file.mentions(ways + [".builtIn("]) else { return [] }
    return file.places { line in
      guard !isComment(line) else { return false }
      return line.contains(/(?:^|[^\w.])(?:debugPrint|print|f?puts|[fdv]?d?printf|perror|dump)\(|\bSTD(?:OUT|ERR)_FILENO\b/)
        || line.contains(/\bFileHandle\b|(?:^|[^\w.])(?:stdout|stderr)\b|\/dev\/(?:tty|stdout|stderr)|\.builtIn\(/)
    }
  }

  /// Claims the compiler cannot check, and errors dropped, that carry no reason on their line or in a comment above it.
  static func unexplainedClaims(in file: SourceFile) -> [String] {
    guard file.mentions(["@unchecked", "nonisolated(unsafe)", "try?"]) else { return [] }
    return zip(["" as Substring] + file.lines, file.lines).enumerated().compactMap { index, pair in
      let (above, line) = pair
      guard line.contains(/@unchecked Sendable|nonisolated\(unsafe\)|\btry\?/), !isComment(line) else { return nil }
      return line.contains("//") || isComment(above) ? nil : "\(file.path):\(index + 1)"
    }
  }

  /// Where a message would hold what a library or Swift calls a thing: the libraries' own texts for codes, a call's name, a bare code, a
  /// dump of a value.
  static func rawWords(in file: SourceFile) -> [String] {
    let words = [
      "strerror", "av_err2str", "cairo_status_to_string", "debugDescription", "String(describing",
      "String(reflecting",
      "localizedDescription", "SQLSTATE", "call)", "errno)", "status)", "code)",
    ]
    guard file.mentions(words) else { return [] }
    return file.places { line in
      guard !isComment(line) else { return false }
      return line.contains(
        /strerror|av_err2str|cairo_status_to_string|(?:^|[^A-Za-z])debugDescription(?:$|[^A-Za-z])|localizedDescription/)
        || line.contains(/String\((?:describing|reflecting):|\\\((?:error\.)?call\)|\\\(errno\)|(?:errno|SQLSTATE|gave) \\\(/)
    }
  }

  /// Errors that say nothing of themselves: whoever prints one shows Swift's dump of it.
  static func muteErrors(in file: SourceFile) -> [String] {
    guard file.mentions([": Error"]) else { return [] }
    return file.lines.compactMap { line in
      guard let found = line.firstMatch(of: /\b(?:struct|enum|class) ([A-Z][A-Za-z]*): (?:[A-Z][A-Za-z]*, )*Error\b[^{]*/) else {
        return nil
      }
      return found.0.contains("CustomStringConvertible") ? nil : "\(file.target): \(found.1)"
    }
  }

  private static func isComment(_ line: Substring) -> Bool { line.drop { $0 == " " }.hasPrefix("//") }
}
