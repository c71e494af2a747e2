/// The names of the pictures of a sequence: a pattern such as "shot-%04d.png" with the number of the picture in it.
package struct PictureNames: Hashable, Sendable {
  /// The pattern.
  package let pattern: String
  /// The number of the first picture.
  package var first: Int

  private let prefix: String
  private let suffix: String
  /// The least number of digits, which zeros fill.
  private let digits: Int

  /// The largest number of a first picture.
  package static let mostFirst = 999_999_999
  /// The most bytes of a pattern. A file name may have 255, and numbers take some.
  private static let longestPattern = 200

  /// Nil for a text that is no pattern: it has one place for a number, `%d` or `%06d` with one to nine digits, no other percent sign and no
  /// slash, and does not begin with a dot.
  package init?(_ pattern: String, first: Int = 0) {
    guard let match = pattern.wholeMatch(of: /([^%\/]*)%(?:0([1-9]))?d([^%\/]*)/), !pattern.hasPrefix("."),
      pattern.utf8.count <= Self.longestPattern, !pattern.utf8.contains(0), (0...Self.mostFirst).contains(first)
    else { return nil }
    (self.pattern, self.first) = (pattern, first)
    (prefix, suffix) = (String(match.1), String(match.3))
    digits = match.2.flatMap { Int($0) } ?? 1
  }

  /// The usual pattern of a file type.
  package static func usual(_ type: FileType) -> PictureNames {
    guard let names = PictureNames("%06d.\(type.endings[0])") else { preconditionFailure("it is a pattern") }
    return names
  }

  /// The name of a picture, counted from 0.
  package func name(_ index: Int) -> String {
    let number = String(first + index)
    return prefix + String(repeating: "0", count: max(0, digits - number.utf8.count)) + number + suffix
  }

  /// Whether a name is one that some picture has, whatever the first one's number.
  package func matches(_ name: String) -> Bool { digits(of: name) != nil }

  /// The number in the name of a picture; nil for other names, and for numbers of more than 18 digits.
  package func number(of name: String) -> Int? { digits(of: name).flatMap { Int($0) } }

  private func digits(of name: String) -> String? {
    guard name.hasPrefix(prefix), name.hasSuffix(suffix), name.utf8.count > prefix.utf8.count + suffix.utf8.count else {
      return nil
    }
    let number = name.utf8.dropFirst(prefix.utf8.count).dropLast(suffix.utf8.count)
    guard number.count >= digits, number.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 }) else { return nil }
    return String(decoding: number, as: UTF8.self)
  }

  /// The file type that the names ask for; nil where they ask for none.
  package var fileType: FileType? { FileType.allCases.first { $0.isSequence && $0.endings.contains(ending) } }

  /// The ending of the names in lower case, without the dot; empty where they have none.
  package var ending: String { suffix.lastIndex(of: ".").map { suffix[suffix.index(after: $0)...].lowercased() } ?? "" }
}
