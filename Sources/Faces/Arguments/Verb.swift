/// A verb of the program. Its arguments are properties marked `@Option`, `@Flag` or `@Positional`. The help page has them in the
/// order of their declaration.
package protocol Verb: SendableMetatype {
  init()
  static var page: Page { get }
  func run() throws
}

/// The content of a verb's help page besides its arguments.
package struct Page: Sendable {
  package var name: String
  /// One line without a full stop.
  package var summary: String
  /// The description's paragraphs.
  package var description: [String]
  package var examples: [Example]
  package var environment: [Variable]
  package var exitCodes: [ExitCode]
  /// Whether lists leave the verb out. It works all the same.
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

  /// The declarations that help and completions show.
  package static var declarations: [Declaration] { Self().arguments.map(\.declaration).filter { !$0.isHidden } }

  /// Reads the words after the verb.
  ///
  /// - Throws: `UsageError` for the first word that does not fit.
  package static func parse(_ words: [String]) throws(UsageError) -> Self {
    let verb = Self()
    let arguments = verb.arguments
    let given = try Words.sort(words, among: arguments.map(\.declaration))
    for argument in arguments { try argument.take(given[argument.declaration.title] ?? []) }
    return verb
  }
}
