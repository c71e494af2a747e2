/// An option with a value: `--name VALUE`, `--name=VALUE`, `-n VALUE` or `-nVALUE`. The property's type says how often it is
/// given: an optional may be left out, and an array repeats. Any other option is required unless it has a default.
@propertyWrapper package struct Option<Value>: Declared {
  let declaration: Declaration
  private let slot: Slot<Value>
  private let convert: (Declaration, [String]) throws(UsageError) -> Value

  package var wrappedValue: Value { slot.value }

  package init(_ name: String, short: Character? = nil, _ format: Format<Value>, _ help: String) {
    self.init(name, short: short, format, presence: .required, help: help) { declaration, texts throws(UsageError) in
      guard let text = texts.first else { throw .missing(declaration) }
      return try format.value(text, for: declaration)
    }
  }

  package init<Element>(_ name: String, short: Character? = nil, _ format: Format<Element>, _ help: String)
  where Value == Element? {
    self.init(name, short: short, format, presence: .optional(default: nil), help: help) {
      declaration, texts throws(UsageError) in
      guard let text = texts.first else { return nil }
      return try format.value(text, for: declaration)
    }
  }

  /// An option for this program's own use. It works, but help and completions do not show it.
  package init<Element>(hidden name: String, _ format: Format<Element>) where Value == Element? {
    self.init(name, short: nil, format, presence: .optional(default: nil), help: "", isHidden: true) {
      declaration, texts throws(UsageError) in
      guard let text = texts.first else { return nil }
      return try format.value(text, for: declaration)
    }
  }

  /// - Parameter shown: the default as the help page shows it.
  package init(
    _ name: String, short: Character? = nil, _ format: Format<Value>, default fallback: Value, shown: String, _ help: String
  ) {
    self.init(name, short: short, format, presence: .optional(default: shown), help: help) {
      declaration, texts throws(UsageError) in
      guard let text = texts.first else { return fallback }
      return try format.value(text, for: declaration)
    }
  }

  package init<Element>(
    _ name: String, short: Character? = nil, _ format: Format<Element>, minimum: Int = 0, _ help: String
  ) where Value == [Element] {
    self.init(name, short: short, format, presence: .repeated(minimum: minimum), help: help) {
      declaration, texts throws(UsageError) in
      guard texts.count >= minimum else { throw .missing(declaration) }
      return try format.values(texts, for: declaration)
    }
  }

  private init<Element>(
    _ name: String, short: Character?, _ format: Format<Element>, presence: Declaration.Presence, help: String,
    isHidden: Bool = false, convert: @escaping (Declaration, [String]) throws(UsageError) -> Value
  ) {
    declaration = Declaration(
      shape: .option, presence: presence, name: name, short: short, placeholder: format.placeholder, help: help,
      completion: format.completion, isHidden: isHidden)
    slot = Slot("--\(name)")
    self.convert = convert
  }

  func take(_ texts: [String]) throws(UsageError) {
    slot.fill(try convert(declaration, texts))
  }
}

/// An argument that is known by its position. Optional ones must be the last of a verb. Behind a repeated one there may be one that is
/// required, which is the last word.
@propertyWrapper package struct Positional<Value>: Declared {
  let declaration: Declaration
  private let slot: Slot<Value>
  private let convert: (Declaration, [String]) throws(UsageError) -> Value

  package var wrappedValue: Value { slot.value }

  package init(_ name: String, _ format: Format<Value>, _ help: String) {
    self.init(name, format, presence: .required, help: help) { declaration, texts throws(UsageError) in
      guard let text = texts.first else { throw .missing(declaration) }
      return try format.value(text, for: declaration)
    }
  }

  package init<Element>(_ name: String, _ format: Format<Element>, _ help: String) where Value == Element? {
    self.init(name, format, presence: .optional(default: nil), help: help) { declaration, texts throws(UsageError) in
      guard let text = texts.first else { return nil }
      return try format.value(text, for: declaration)
    }
  }

  package init<Element>(_ name: String, _ format: Format<Element>, minimum: Int, _ help: String) where Value == [Element] {
    self.init(name, format, presence: .repeated(minimum: minimum), help: help) { declaration, texts throws(UsageError) in
      guard texts.count >= minimum else { throw .missing(declaration) }
      return try format.values(texts, for: declaration)
    }
  }

  private init<Element>(
    _ name: String, _ format: Format<Element>, presence: Declaration.Presence, help: String,
    convert: @escaping (Declaration, [String]) throws(UsageError) -> Value
  ) {
    declaration = Declaration(
      shape: .positional, presence: presence, name: name, short: nil, placeholder: name, help: help,
      completion: format.completion)
    slot = Slot(name)
    self.convert = convert
  }

  func take(_ texts: [String]) throws(UsageError) {
    slot.fill(try convert(declaration, texts))
  }
}

/// An option without a value, which is given or not. When it is negatable, the last of `--name` and `--no-name` counts.
@propertyWrapper package struct Flag: Declared {
  let declaration: Declaration
  private let slot: Slot<Bool>
  private let fallback: Bool

  package var wrappedValue: Bool { slot.value }

  package init(_ name: String, short: Character? = nil, _ help: String) {
    self.init(name, short, negatable: false, fallback: false, help)
  }

  package init(_ name: String, negatableDefault fallback: Bool, _ help: String) {
    self.init(name, nil, negatable: true, fallback: fallback, help)
  }

  private init(_ name: String, _ short: Character?, negatable: Bool, fallback: Bool, _ help: String) {
    declaration = Declaration(
      shape: .flag(negatable: negatable), presence: .optional(default: fallback ? "--\(name)" : nil), name: name,
      short: short, placeholder: "", help: help, completion: .none)
    slot = Slot("--\(name)")
    self.fallback = fallback
  }

  func take(_ texts: [String]) throws(UsageError) {
    slot.fill(texts.last.map { $0 != Self.negated } ?? fallback)
  }

  /// The text that the parser notes for `--no-NAME`. Any other text stands for `--NAME`.
  static let negated = "no"
}

extension Format {
  fileprivate func value(_ text: String, for declaration: Declaration) throws(UsageError) -> Value {
    guard let value = read(text) else { throw .malformed(declaration, text, expectation) }
    return value
  }

  fileprivate func values(_ texts: [String], for declaration: Declaration) throws(UsageError) -> [Value] {
    var values: [Value] = []
    for text in texts { values.append(try value(text, for: declaration)) }
    return values
  }
}
