/// The program with its verbs, its help and its version.
package struct Program: Sendable {
  package let name: String
  package let version: String
  package let summary: String
  package let description: [String]
  package let verbs: [any Verb.Type]

  package init(name: String, version: String, summary: String, description: [String], verbs: [any Verb.Type]) {
    (self.name, self.version, self.summary) = (name, version, summary)
    (self.description, self.verbs) = (description, verbs)
  }

  /// The meaning of a command line.
  package enum Request {
    /// Text for standard output: help or the version.
    case text(String)
    case run(any Verb)
  }

  /// - Parameter words: the command line without the program's own name.
  package func request(_ words: [String]) throws(UsageError) -> Request {
    guard let name = words.first else { throw .noVerb }
    let rest = Array(words.dropFirst())
    switch name {
    case "--version": return .text("\(self.name) \(version)\n")
    case "--help", "-h": return .text(HelpPage.overview(of: self))
    case "help":
      guard let topic = rest.first else { return .text(HelpPage.overview(of: self)) }
      return .text(HelpPage.page(of: try verb(named: topic), in: self))
    default: break
    }
    guard !name.hasPrefix("-") else {
      throw .unknownOption(name, suggestion: Suggestion.nearest(to: name, among: ["--help", "--version"]))
    }
    let verb = try verb(named: name)
    if rest.prefix(while: { $0 != "--" }).contains(where: { $0 == "--help" || $0 == "-h" }) {
      return .text(HelpPage.page(of: verb, in: self))
    }
    return .run(try verb.parse(rest))
  }

  /// A sentence that names the help page to read after a usage error.
  package func hint(for words: [String]) -> String {
    let known = words.first.flatMap { word in listed.first { $0.page.name == word } }
    return "see '\(name) \(known.map { "\($0.page.name) " } ?? "")--help'"
  }

  /// The verbs that lists show, which are all but the hidden ones.
  var listed: [any Verb.Type] { verbs.filter { !$0.page.isHidden } }

  private func verb(named name: String) throws(UsageError) -> any Verb.Type {
    guard let verb = verbs.first(where: { $0.page.name == name }) else {
      throw .unknownVerb(name, suggestion: Suggestion.nearest(to: name, among: listed.map { $0.page.name } + ["help"]))
    }
    return verb
  }
}
