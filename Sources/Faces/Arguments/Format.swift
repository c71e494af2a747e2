/// How the text of an argument becomes a value, and what to say when the text is wrong.
package struct Format<Value>: Sendable {
  /// The name of the value in usage lines, such as `FILE` or `N`.
  package let placeholder: String
  /// The end of the message "'x' is not …".
  package let expectation: String
  package let completion: Completion
  let read: @Sendable (String) -> Value?

  /// - Parameter read: returns the value, or nil when the text is not as expected.
  package init(
    _ placeholder: String, expectation: String, completion: Completion = .none, read: @escaping @Sendable (String) -> Value?
  ) {
    (self.placeholder, self.expectation) = (placeholder, expectation)
    (self.completion, self.read) = (completion, read)
  }
}

/// The kind of values that a shell offers to complete.
package enum Completion: Hashable, Sendable {
  case none
  case files
  case directories
  case choices([String])
  /// The names of a kind that the program itself lists: `PROGRAM offer KIND`.
  case offered(String)
}

extension Format where Value == String {
  package static let file = Format("FILE", expectation: "a path", completion: .files, read: notEmpty)
  package static let directory = Format("DIR", expectation: "a path", completion: .directories, read: notEmpty)

  package static func text(_ placeholder: String) -> Format {
    Format(placeholder, expectation: "a text of at least one character", read: notEmpty)
  }

  /// - Parameter kind: the kind of names that the program lists for completions.
  package static func name(_ placeholder: String, offering kind: String) -> Format {
    Format(placeholder, expectation: "a text of at least one character", completion: .offered(kind), read: notEmpty)
  }

  private static let notEmpty: @Sendable (String) -> String? = { $0.isEmpty ? nil : $0 }
}

extension Format where Value == Int {
  package static func integer(_ range: ClosedRange<Int>, _ placeholder: String = "N") -> Format {
    Format(placeholder, expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
      Int(text).flatMap { range.contains($0) ? $0 : nil }
    }
  }
}

extension Format where Value: CaseIterable & RawRepresentable & Sendable, Value.RawValue == String {
  package static func choice(_ placeholder: String) -> Format {
    let names = Value.allCases.map(\.rawValue)
    return Format(placeholder, expectation: "one of " + names.joined(separator: ", "), completion: .choices(names)) {
      Value(rawValue: $0)
    }
  }
}
