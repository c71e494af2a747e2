/// One declared argument. The parser, the help page and the completions are made from it.
package struct Declaration: Hashable, Sendable {
  package enum Shape: Hashable, Sendable {
    case positional
    case option
    /// A flag. A negatable one also has the form `--no-NAME`.
    case flag(negatable: Bool)
  }

  package enum Presence: Hashable, Sendable {
    case required
    /// The argument may be left out. `default` is the default value as the help page shows it; nil when there is none to show.
    case optional(default: String?)
    /// The argument may be given any number of times, but at least `minimum` times.
    case repeated(minimum: Int)
  }

  package let shape: Shape
  package let presence: Presence
  /// The long name of an option, without dashes; the placeholder of a positional argument.
  package let name: String
  package let short: Character?
  package let placeholder: String
  package let help: String
  package let completion: Completion
  /// Whether help and completions leave the argument out. It works all the same.
  package var isHidden = false

  /// The argument's name in messages.
  package var title: String { shape == .positional ? name : "--\(name)" }

  /// Every spelling that the command line accepts, with the long ones last.
  package var spellings: [String] {
    guard shape != .positional else { return [] }
    let negation = shape == .flag(negatable: true) ? ["--no-\(name)"] : []
    return (short.map { ["-\($0)"] } ?? []) + ["--\(name)"] + negation
  }

  var takesValue: Bool { shape == .option }
  var isRepeated: Bool { if case .repeated = presence { true } else { false } }
  var isRequired: Bool {
    switch presence {
    case .required: true
    case .optional: false
    case .repeated(let minimum): minimum > 0
    }
  }
}

/// A property of a verb that is filled from the command line.
protocol Declared {
  var declaration: Declaration { get }
  /// Takes the texts that were given for the argument, in order. There are none when it was left out.
  func take(_ texts: [String]) throws(UsageError)
}

/// Holds a parsed value until the verb reads it. It is made, filled and read on one thread.
final class Slot<Value> {
  private let title: String
  private var filled: Value?

  init(_ title: String) { self.title = title }

  func fill(_ value: Value) { filled = value }

  var value: Value {
    guard let filled else { preconditionFailure("\(title) was read before the command line was parsed") }
    return filled
  }
}

extension Declaration {
  /// The help with what goes without saying on a command line: the choices, the default, and whether it may be repeated or left out.
  var explanation: String {
    var text = help
    if case .choices(let names) = completion { text += " One of: \(names.joined(separator: ", "))." }
    if case .repeated = presence { text += " May be repeated." }
    if case .optional(let shown?) = presence { text += " Default: \(shown)." }
    if isRequired, shape != .positional { text += " Required." }
    return text
  }
}
