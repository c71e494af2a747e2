/// The rules of the house that can be checked in a source's text. `swift format` checks the layout.
enum HouseRules {
  static let lineLimit = 400

  /// Names that do not say what a thing is.
  static let emptyWords: Set<String> = [
    "Utils", "Util", "Utilities", "Helper", "Helpers", "Manager", "Common", "Base", "Impl", "Service", "Info", "Misc",
  ]

  /// Types, files and folders whose names have an empty word, such as `FrameManager`. One name is Core Media's.
  static func emptyNames(in file: SourceFile) -> [String] {
    // The library has names of Apple's, and one of Swift's.
    let appleNames = [
      "CodingUserInfoKey",
      "CMSampleTimingInfo", "CGImageAlphaInfo", "CGImageByteOrderInfo", "CGImagePixelFormatInfo", "CGBitmapInfo",
      "PHImageManager",
      "PHCachingImageManager", "PHAssetResourceManager", "AVAudioCommonFormat", "VTEncodeInfoFlags", "VTDecodeInfoFlags",
      "AVSampleCursorSyncInfo", "AVSampleCursorDependencyInfo", "AVSampleCursorChunkInfo",
      "CIRenderInfo", "AVAudioConverterPrimeInfo", "InfoKey",
    ]
    guard file.mentions(emptyWords) || emptyWords.contains(where: file.path.contains) else { return [] }
    let declared = file.lines.compactMap { line in
      line.firstMatch(of: /\b(?:struct|class|enum|actor|protocol|typealias|extension) ([A-Z][A-Za-z0-9]*)/).map { String($0.1) }
    }
    let folders = file.path.split { "/.+".contains($0) }.map(String.init)
    return (declared + folders).filter { !emptyWords.isDisjoint(with: words(of: $0)) && !appleNames.contains($0) }.map {
      "\(file.path): \($0)"
    }
  }

  /// The words of a name in upper camel case.
  static func words(of name: String) -> [String] {
    name.matches(of: /[A-Z]+(?![a-z])|[A-Z]?[a-z0-9]+/).map { String($0.0) }
  }

  /// Code that ends the process for input from outside, and notes about unfinished work.
  static func shortcuts(in file: SourceFile) -> [String] {
    guard file.mentions(["try!", "as!", "fatalError", "@testable", "TODO", "FIXME", "XXX", "HACK"]) else { return [] }
    return file.places { line in
      line.contains(/\btry!|\bas!|\bfatalError\(|@testable|\b(?:TODO|FIXME|XXX|HACK)\b/)
    }
  }

  /// Words by which code writes past the streams and the log, which make text safe to show.
  static let ways = [
    "print(", "puts(", "printf(", "perror(", "dump(", "STDOUT_FILENO", "STDERR_FILENO", "FileHandle", "stdout", "stderr",
    "/dev/tty",
  ]

  /// Places where a file writes past the streams, or shows a page as built in.
  static func voices(in file: SourceFile) -> [String] {
    guard file.mentions(ways + [".builtIn("]) else { return [] }
    return file.places { line in
      guard !isComment(line) else { return false }
      return line.contains(/(?:^|[^\w.])(?:debugPrint|print|f?puts|[fdv]?d?printf|perror|dump)\(|\bSTD(?:OUT|ERR)_FILENO\b/)
        || line.contains(/\bFileHandle\b|(?:^|[^\w.])(?:stdout|stderr)\b|\/dev\/(?:tty|stdout|stderr)|\.builtIn\(/)
    }
  }

  /// Statements for the database that are no constants. Only such a statement could hold a value of a running program.
  static func madeStatements(in file: SourceFile) -> [String] {
    guard file.mentions(["Statement("]) else { return [] }
    return file.places { line in
      line.contains(/(?:^|[^A-Za-z])Statement\(/) && !line.contains(/static let \w+ = Statement\(/) && !isComment(line)
    }
  }

  /// Claims that the compiler cannot check, and dropped errors, without a reason on their line or in a comment above it.
  static func unexplainedClaims(in file: SourceFile) -> [String] {
    guard file.mentions(["@unchecked", "nonisolated(unsafe)", "try?"]) else { return [] }
    return zip(["" as Substring] + file.lines, file.lines).enumerated().compactMap { index, pair in
      let (above, line) = pair
      guard line.contains(/@unchecked Sendable|nonisolated\(unsafe\)|\btry\?/), !isComment(line) else { return nil }
      return line.contains("//") || isComment(above) ? nil : "\(file.path):\(index + 1)"
    }
  }

  /// Places where a message would show a library's or Swift's own words: a text for a code, the name of a call, a bare code, or
  /// the dump of a value.
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

  /// Errors without a description of their own. Printing one shows Swift's dump of it.
  static func muteErrors(in file: SourceFile) -> [String] {
    guard file.mentions([": Error"]) else { return [] }
    return file.lines.compactMap { line in
      guard let found = line.firstMatch(of: /\b(?:struct|enum|class) ([A-Z][A-Za-z]*): (?:[A-Z][A-Za-z]*, )*Error\b[^{]*/) else {
        return nil
      }
      return found.0.contains("CustomStringConvertible") ? nil : "\(file.target): \(found.1)"
    }
  }

  /// Functions and initializers with more than three arguments that have no label. The order of some arguments is a convention of
  /// its own: the numbers of a rectangle, a matrix and the corners, and the four tags of a colour.
  static func unlabelledArguments(in file: SourceFile) -> [String] {
    let conventions: Set = [
      "_ x _ y _ width _ height", "_ a _ b _ c _ d _ tx _ ty", "_ topLeft _ topRight _ bottomRight _ bottomLeft",
      "_ primaries _ transfer _ matrix _ range",
    ]
    let lines = file.lines
    return lines.indices.filter { index in
      guard mayDeclare(lines[index]), !isComment(lines[index]),
        let start = lines[index].firstRange(of: /\b(?:func [^ (<]+|init[?!]?)(?:<[^>(]*>)?\(/)
      else { return false }
      // The arguments may go on in the lines below.
      var (text, depth) = ("", 1)
      for character in ([lines[index][start.upperBound...]] + lines[(index + 1)...].prefix(12)).joined(separator: " ") {
        if character == "(" || character == "[" { depth += 1 }
        if character == ")" || character == "]" { depth -= 1 }
        if depth == 0 { break }
        if depth == 1 { text.append(character) }
      }
      let unlabelled = text.matches(of: /(?:^|,) *(?:@\w+ )*(_ \w+):/).map(\.1)
      return unlabelled.count > 3 && !conventions.contains(unlabelled.joined(separator: " "))
    }.map { "\(file.path):\($0 + 1)" }
  }

  static let functionLimit = 60

  /// Functions of more lines than the limit.
  ///
  /// - Parameter tables: the names of functions that are tables, which may be longer.
  static func longFunctions(in file: SourceFile, tables: Set<String>) -> [String] {
    let lines = file.lines
    return lines.indices.compactMap { index in
      guard mayDeclare(lines[index]), lines[index].hasSuffix("{") || lines[index].hasSuffix("("), !isComment(lines[index]),
        let name = lines[index].firstMatch(of: /^ *(?:@?[A-Za-z]+(?:\([a-z]+\))? )*(?:func ([^ (<]+)|init[?!]?[(<])/),
        !tables.contains(String(name.1 ?? "init"))
      else { return nil }
      let margin = lines[index].prefix { $0 == " " }
      let end = lines[index...].firstIndex { $0 == margin + "}" } ?? index
      return end - index < functionLimit ? nil : "\(file.path):\(index + 1): \(end - index + 1) lines"
    }
  }

  /// Doc comments whose first words leave out the subject, or put something else before it, such as "Of the last frame", "In which
  /// the farm works" and "With three sounds".
  static func commentsWithoutSubject(in file: SourceFile) -> [String] {
    let lines = file.lines
    let isDocumentation = lines.map { $0.drop { $0 == " " }.hasPrefix("///") }
    return lines.indices.filter { index in
      guard isDocumentation[index], index == 0 || !isDocumentation[index - 1] else { return false }
      return lines[index].contains(
        /^ *\/\/\/ +(?:Of|That|To|As|Than|Who|Whom|Whose|What|Where|Which|When|While|Why|If|Since|Until|Because|So that)\b/)
        || lines[index].contains(/^ *\/\/\/ +(?:And|Or|But|Not|With|At|By|From|Into|On|Under|(?:For|In) which)\b/)
    }.map { "\(file.path):\($0 + 1)" }
  }

  /// Tests that are not named by a raw identifier, and suites and tests with a second name for display.
  static func testNames(in file: SourceFile) -> [String] {
    guard file.mentions(["@Test", "@Suite"]) else { return [] }
    var awaitsName = false
    return file.places { line in
      guard !isComment(line) else { return false }
      if line.contains(/@(?:Test|Suite)\(\s*"/) { return true }
      if line.contains(/@Test\b/) { awaitsName = true }
      guard awaitsName, let name = line.firstMatch(of: /\bfunc(?: (.)| *$)/) else { return false }
      awaitsName = false
      // Only a sentence is so long that it stands on the next line.
      return name.1 != nil && name.1 != "`"
    }
  }

  /// Whether the line may begin a function or an initializer. Most lines do not, and a regular expression for every line would take
  /// seconds.
  private static func mayDeclare(_ line: Substring) -> Bool {
    // "func" and "init", each as four bytes.
    let wanted: [UInt32] = [0x6675_6e63, 0x696e_6974]
    var word: UInt32 = 0
    return line.utf8.contains { byte in
      word = word << 8 | UInt32(byte)
      return wanted.contains(word)
    }
  }

  private static func isComment(_ line: Substring) -> Bool { line.drop { $0 == " " }.hasPrefix("//") }
}
