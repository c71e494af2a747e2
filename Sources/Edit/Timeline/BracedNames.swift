/// A part of a text that has names in braces.
enum BracedPart: Hashable {
  case letters(String)
  /// A name of letters and digits, without its braces.
  case name(String)

  /// The most letters of a name. What is longer is text.
  private static let longestName = 40

  /// The parts of a text. A backslash before a brace makes it a letter; two of them are one backslash.
  static func all(of text: String) -> [BracedPart] {
    let scalars = Array(text.unicodeScalars)
    var (parts, letters, index): ([BracedPart], String.UnicodeScalarView, Int) = ([], .init(), 0)
    while index < scalars.count {
      let open = scalars[index...].firstIndex { $0 != "\\" } ?? scalars.count
      if index < open {
        let count = open - index
        let isBefore = open < scalars.count && scalars[open] == "{"
        letters.append(contentsOf: repeatElement("\\", count: isBefore ? count / 2 : count))
        index = open
        if isBefore, count % 2 == 1 {
          letters.append("{")
          index += 1
        }
      } else if scalars[index] == "{", let name = name(scalars[(index + 1)...]) {
        if !letters.isEmpty { parts.append(.letters(String(letters))) }
        letters.removeAll()
        parts.append(.name(name))
        index += name.unicodeScalars.count + 2
      } else {
        letters.append(scalars[index])
        index += 1
      }
    }
    return letters.isEmpty ? parts : parts + [.letters(String(letters))]
  }

  /// The name that stands at the beginning, before a closing brace.
  private static func name(_ scalars: ArraySlice<Unicode.Scalar>) -> String? {
    guard let end = scalars.prefix(longestName + 1).firstIndex(of: "}"), end > scalars.startIndex else { return nil }
    let name = scalars[scalars.startIndex..<end]
    guard name.allSatisfy({ $0.isASCII && ($0.properties.isAlphabetic || 0x30...0x39 ~= $0.value) }) else { return nil }
    return String(String.UnicodeScalarView(name))
  }
}

extension TextContent {
  /// The names in braces in the text and in its rubies, in their order, each once; none for a text without a timestamp.
  private var bracedNames: [String] {
    guard timestamp != nil else { return [] }
    var names: [String] = []
    for text in runs.flatMap({ [$0.string, $0.ruby ?? ""] }) {
      for case .name(let name) in BracedPart.all(of: text) where !names.contains(name) { names.append(name) }
    }
    return names
  }

  /// The fields that the text shows; none for a text without a timestamp.
  package var fields: [Timestamp.Field] {
    let names = bracedNames
    return Timestamp.Field.allCases.filter { names.contains($0.rawValue) }
  }

  /// The names in braces that are no fields, and so are shown as they are written.
  package var unknownFields: [String] { bracedNames.filter { Timestamp.Field(rawValue: $0) == nil } }

  /// The text with values in place of its fields.
  func filled(_ values: [Timestamp.Field: String]) -> TextContent {
    func filled(_ string: String) -> String {
      BracedPart.all(of: string).map { part in
        switch part {
        case .letters(let letters): letters
        case .name(let name): Timestamp.Field(rawValue: name).flatMap { values[$0] } ?? "{\(name)}"
        }
      }.joined()
    }
    var content = self
    content.timestamp = nil
    for index in runs.indices {
      content.runs[index].string = filled(runs[index].string)
      content.runs[index].ruby = runs[index].ruby.map(filled)
    }
    return content
  }
}
