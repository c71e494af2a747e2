/// One argument as it was declared: what the parser, the help page and the completions read.
package struct Declaration: Hashable, Sendable {
  package enum Shape: Hashable, Sendable {
    case positional
    case option
    /// With a negation, `--no-NAME` exists as well.
    case flag(negatable: Bool)
  }

  package enum Presence: Hashable, Sendable {
    case required
    /// With the default as the help page shows it, nil when absence means just that.
    case optional(default: String?)
    /// Any number of times, at least `minimum`.
    case repeated(minimum: Int)
  }

  package let shape: Shape
  package let presence: Presence
  /// An option's long name without dashes; a positional's placeholder.
  package let name: String
  package let short: Character?
  package let placeholder: String
  package let help: String
  package let completion: Completion
  /// Hidden ones work, but neither help nor completions show them.
  package var isHidden = false

  /// How it is called in messages.
  package var title: String { shape == .positional ? name : "--\(name)" }

  /// Every spelling that the command line accepts, long ones last.
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

/// A property of a verb that the command line fills.
protocol Declared {
  var declaration: Declaration { get }
  /// Takes the texts that were given for it, in order; none when it was left out.
  func take(_ texts: [String]) throws(UsageError)
}

/// Where a parsed value lies until the verb reads it. Made, filled and read on one thread.
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
