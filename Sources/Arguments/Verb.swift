/// A verb of the program. Its arguments are properties marked `@Option`, `@Flag` or `@Positional`; the order in which
/// they are declared is the order of the help page.
package protocol Verb: SendableMetatype {
  init()
  static var page: Page { get }
  func run() throws
}

/// What the help page says beyond the arguments.
package struct Page: Sendable {
  package var name: String
  /// One line, without a full stop.
  package var summary: String
  /// Paragraphs.
  package var description: [String]
  package var examples: [Example]
  package var environment: [Variable]
  package var exitCodes: [ExitCode]
  /// Hidden verbs work, but no list names them.
  package var isHidden: Bool

  package struct Example: Sendable {
    package var line: String
    package var meaning: String

    package init(_ line: String, _ meaning: String) { (self.line, self.meaning) = (line, meaning) }
  }

  package struct Variable: Sendable {
    package var name: String
    package var meaning: String

    package init(_ name: String, _ meaning: String) { (self.name, self.meaning) = (name, meaning) }
  }

  package struct ExitCode: Sendable {
    package var code: Int32
    package var meaning: String

    package init(_ code: Int32, _ meaning: String) { (self.code, self.meaning) = (code, meaning) }
  }

  package init(
    _ name: String, _ summary: String, description: [String], examples: [Example] = [], environment: [Variable] = [],
    exitCodes: [ExitCode] = [], isHidden: Bool = false
  ) {
    (self.name, self.summary, self.description, self.examples) = (name, summary, description, examples)
    (self.environment, self.exitCodes, self.isHidden) = (environment, exitCodes, isHidden)
  }
}

extension Verb {
  /// The arguments in the order of their declaration.
  var arguments: [any Declared] { Mirror(reflecting: self).children.compactMap { $0.value as? any Declared } }

  /// What help and completions show.
  package static var declarations: [Declaration] { Self().arguments.map(\.declaration).filter { !$0.isHidden } }

  /// Reads the words after the verb.
  ///
  /// - Throws: `UsageError` for the first word that does not fit; after that the verb must not be run.
  package static func parse(_ words: [String]) throws(UsageError) -> Self {
    let verb = Self()
    let arguments = verb.arguments
    let given = try Words.sort(words, among: arguments.map(\.declaration))
    for argument in arguments { try argument.take(given[argument.declaration.title] ?? []) }
    return verb
  }
}
