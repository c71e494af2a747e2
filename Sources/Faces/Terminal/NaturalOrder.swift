/// The order in which people read names: numbers in them count as numbers, so that `render-2` comes before `render-10`.
package struct NaturalOrder: Comparable {
  private let name: String
  private let parts: [Part]

  /// A run of digits, without the zeros before it, or another run of characters.
  private enum Part: Equatable {
    case number(Substring)
    case words(Substring)
  }

  package init(_ name: String) {
    self.name = name
    var (parts, rest): ([Part], Substring) = ([], name[...])
    while let first = rest.first {
      let isNumber = first.isASCIIDigit
      let run = rest.prefix { $0.isASCIIDigit == isNumber }
      parts.append(isNumber ? .number(run.drop { $0 == "0" }) : .words(run))
      rest = rest[run.endIndex...]
    }
    self.parts = parts
  }

  /// Names that differ only in zeros before their numbers are in the order of their characters.
  package static func < (first: NaturalOrder, second: NaturalOrder) -> Bool {
    for (one, other) in zip(first.parts, second.parts) where one != other {
      return switch (one, other) {
      case (.number(let one), .number(let other)): one.count != other.count ? one.count < other.count : one < other
      case (.number, .words): true
      case (.words, .number): false
      case (.words(let one), .words(let other)): one < other
      }
    }
    return first.parts.count != second.parts.count ? first.parts.count < second.parts.count : first.name < second.name
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
