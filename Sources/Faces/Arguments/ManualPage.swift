/// Manual pages in the language of man(7), from the same declarations as the help pages.
package enum ManualPage {
  /// The manual page of a program, named after it, and one of each of its listed verbs.
  ///
  /// - Returns: the names of the files, such as `spool-render.1`, and what they hold.
  package static func all(of program: Program) -> [(file: String, text: String)] {
    [("\(program.name).1", overview(of: program))]
      + program.listed.map { ("\(program.name)-\($0.page.name).1", page(of: $0, in: program)) }
  }

  private static func page(of verb: any Verb.Type, in program: Program) -> String {
    let page = verb.page
    let positionals = verb.declarations.filter { $0.shape == .positional && !$0.isHidden }
    let options = verb.declarations.filter { $0.shape != .positional && !$0.isHidden }
    return head("\(program.name)-\(page.name)", program)
      + section("NAME", "\(program.name)-\(page.name) \\- \(text(page.summary))")
      + section("SYNOPSIS", synopsis("\(program.name) \(page.name)", positionals + options))
      + section("DESCRIPTION", page.description.map(text).joined(separator: "\n.PP\n"))
      + section("ARGUMENTS", positionals.map { item($0.name, $0.explanation) }.joined(separator: "\n"))
      + section("OPTIONS", options.map { item(spelling($0), $0.explanation) }.joined(separator: "\n"))
      + section("ENVIRONMENT", page.environment.map { item($0.name, $0.meaning) }.joined(separator: "\n"))
      + section(
        "EXAMPLES",
        page.examples.map { ".PP\n.nf\n.RS\n$ \(text($0.line))\n.RE\n.fi\n.PP\n\(text($0.meaning))" }.joined(separator: "\n"))
      + section("EXIT STATUS", page.exitCodes.map { item(String($0.code), $0.meaning) }.joined(separator: "\n"))
      + section("SEE ALSO", ".BR \(program.name) (1)")
  }

  private static func overview(of program: Program) -> String {
    head(program.name, program)
      + section("NAME", "\(program.name) \\- \(text(program.summary))")
      + section("SYNOPSIS", ".B \(program.name)\n.I COMMAND\n[\\fIARGUMENTS\\fR]")
      + section("DESCRIPTION", program.description.map(text).joined(separator: "\n.PP\n"))
      + section(
        "COMMANDS",
        program.listed.map { ".TP\n.BR \(program.name)\\-\($0.page.name) (1)\n\(text($0.page.summary))" }.joined(separator: "\n"))
  }

  private static func head(_ name: String, _ program: Program) -> String {
    ".TH \"\(name.uppercased())\" \"1\" \"\" \"\(program.name) \(program.version)\" \"\(program.name)\"\n.nh\n.ad l\n"
  }

  private static func section(_ title: String, _ body: String) -> String { body.isEmpty ? "" : ".SH \(title)\n\(body)\n" }

  private static func item(_ name: String, _ meaning: String) -> String { ".TP\n\\fB\(text(name))\\fR\n\(text(meaning))" }

  private static func synopsis(_ start: String, _ declarations: [Declaration]) -> String {
    let words = declarations.map { declaration in
      let bare = declaration.shape == .positional ? declaration.name : declaration.spellings.first ?? ""
      let value = declaration.takesValue && declaration.shape != .positional ? " \(declaration.placeholder)" : ""
      let repeated = declaration.isRepeated ? "..." : ""
      return text(declaration.isRequired ? bare + value + repeated : "[\(bare)\(value)]\(repeated)")
    }
    return "\\fB\(text(start))\\fR " + words.joined(separator: " ")
  }

  private static func spelling(_ declaration: Declaration) -> String {
    declaration.spellings.joined(separator: ", ") + (declaration.takesValue ? " \(declaration.placeholder)" : "")
  }

  /// Text as man shows it: a backslash and a hyphen are letters, and no line begins with a dot or an apostrophe.
  private static func text(_ words: String) -> String {
    let escaped = words.replacing("\\", with: "\\e").replacing("-", with: "\\-")
    return escaped.hasPrefix(".") || escaped.hasPrefix("'") ? "\\&\(escaped)" : escaped
  }
}
