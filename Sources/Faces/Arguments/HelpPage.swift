/// Help pages in the style of manual pages. They are made from the declarations.
enum HelpPage {
  /// The width of a page in columns. Every terminal has as many.
  private static let width = 80

  static func page(of verb: any Verb.Type, in program: Program) -> String {
    let page = verb.page
    let declarations = verb.declarations
    let positionals = declarations.filter { $0.shape == .positional }
    let options = declarations.filter { $0.shape != .positional }
    return sections([
      ("NAME", ["  \(program.name) \(page.name) - \(page.summary)"]),
      ("SYNOPSIS", synopsis(program.name, page.name, declarations)),
      ("DESCRIPTION", paragraphs(page.description)),
      ("ARGUMENTS", table(positionals.map { ($0.name, $0.explanation) })),
      ("OPTIONS", table(options.map { (spelling($0), $0.explanation) } + [("-h, --help", "Print this page.")])),
      ("ENVIRONMENT", table(page.environment.map { ($0.name, $0.meaning) })),
      ("EXAMPLES", examples(page.examples)),
      ("EXIT STATUS", table(page.exitCodes.map { (String($0.code), $0.meaning) })),
    ])
  }

  static func overview(of program: Program) -> String {
    sections([
      ("NAME", ["  \(program.name) - \(program.summary)"]),
      ("SYNOPSIS", ["  \(program.name) COMMAND [ARGUMENTS]", "  \(program.name) help COMMAND", "  \(program.name) --version"]),
      ("DESCRIPTION", paragraphs(program.description)),
      ("COMMANDS", table(program.listed.map { ($0.page.name, $0.page.summary) })),
    ])
  }

  private static func sections(_ sections: [(title: String, lines: [String])]) -> String {
    sections.filter { !$0.lines.isEmpty }
      .map { ([$0.title] + $0.lines).joined(separator: "\n") + "\n" }
      .joined(separator: "\n")
  }

  private static func synopsis(_ program: String, _ verb: String, _ declarations: [Declaration]) -> [String] {
    let start = "\(program) \(verb)"
    let words = declarations.map { declaration -> String in
      let bare = declaration.shape == .positional ? declaration.name : bareSpelling(declaration)
      let repeated = declaration.isRepeated ? "..." : ""
      return declaration.isRequired ? bare + repeated : "[\(bare)]\(repeated)"
    }
    return wrap(words, first: "  \(start)", rest: String(repeating: " ", count: start.count + 2))
  }

  private static func bareSpelling(_ declaration: Declaration) -> String {
    let value = declaration.takesValue ? " \(declaration.placeholder)" : ""
    guard declaration.shape == .flag(negatable: true) else { return (declaration.spellings.first ?? "") + value }
    return declaration.spellings.joined(separator: "|")
  }

  private static func spelling(_ declaration: Declaration) -> String {
    let indent = declaration.short == nil ? "    " : ""
    return indent + declaration.spellings.joined(separator: ", ") + (declaration.takesValue ? " \(declaration.placeholder)" : "")
  }

  private static func paragraphs(_ texts: [String]) -> [String] {
    texts.enumerated().flatMap { index, text in (index == 0 ? [] : [""]) + filled(text, indent: 2) }
  }

  private static func examples(_ examples: [Page.Example]) -> [String] {
    examples.enumerated().flatMap { index, example in
      (index == 0 ? [] : [""]) + ["  $ \(example.line)"] + filled(example.meaning, indent: 6)
    }
  }

  /// A table with two columns. When the left text is too wide for its column, the right text begins on the next line.
  private static func table(_ rows: [(String, String)]) -> [String] {
    let left = min(24, (rows.map(\.0.count).max() ?? 0) + 4)
    return rows.flatMap { name, text -> [String] in
      let lines = filled(text, indent: left)
      guard name.count + 4 <= left else { return ["  \(name)"] + lines }
      let padding = String(repeating: " ", count: left - 2 - name.count)
      return ["  \(name)\(padding)\(lines.first?.dropFirst(left) ?? "")"] + lines.dropFirst()
    }
  }

  private static func filled(_ text: String, indent: Int) -> [String] {
    let margin = String(repeating: " ", count: indent)
    return wrap(text.split(separator: " ").map(String.init), first: String(margin.dropLast()), rest: String(margin.dropLast()))
  }

  /// The words one space apart, broken into lines. The first line begins with `first`, the others with `rest`, each with a space
  /// behind.
  private static func wrap(_ words: [String], first: String, rest: String) -> [String] {
    var lines = [first]
    for word in words {
      let last = lines[lines.count - 1]
      if last.count + 1 + word.count > width, lines.count > 1 || last != first {
        lines.append("\(rest) \(word)")
      } else {
        lines[lines.count - 1] = "\(last) \(word)"
      }
    }
    return lines
  }
}
