/// Looks through the text of an SVG picture for what would make it depend on something outside of it: other files, the network,
/// the fonts or the language of the machine.
///
/// librsvg would not load a file either. It would leave the part out without a word.
struct SVGCheck {
  private let bytes: [UInt8]
  private var place = 0
  private var boxes = SVGBoxes()

  /// The reason for which the picture is refused; nil where there is none.
  static func fault(in bytes: [UInt8]) -> String? {
    var check = SVGCheck(bytes: bytes)
    return check.fault()
  }

  private init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func fault() -> String? {
    // Other encodings than UTF-8 could hide what is looked for.
    guard !bytes.contains(0) else { return "is an SVG picture that is not in UTF-8" }
    var style = false
    while let open = next("<") {
      if style {
        let sheet = text(place..<open)
        if let fault = Self.sheetFault(sheet) { return fault }
        boxes.meet(sheet: sheet)
      }
      place = open + 1
      if isAt("!--") {
        place = next("-->") ?? bytes.count
      } else if isAt("![CDATA[") {
        let end = next("]]>") ?? bytes.count
        if style {
          let sheet = text(place..<end)
          if let fault = Self.sheetFault(sheet) { return fault }
          boxes.meet(sheet: sheet)
        }
        place = end
      } else if isAt("!") {
        if let fault = declarationFault() { return fault }
      } else if isAt("?") {
        if let fault = instructionFault() { return fault }
      } else {
        let (fault, opensStyle) = elementFault()
        if let fault { return fault }
        style = opensStyle
      }
    }
    return boxes.fault
  }

  // MARK: - Parts of the text

  /// A declaration may state the kind of the document, but no entities: they could stand for anything.
  private mutating func declarationFault() -> String? {
    let end = next(">") ?? bytes.count
    let declaration = text(place..<end)
    guard declaration.contains("[") || declaration.hasPrefix("!ENTITY") else {
      place = end
      return nil
    }
    return declaration.contains("ENTITY") || text(place..<min(place + 4096, bytes.count)).contains("<!ENTITY")
      ? "declares entities: save it as plain SVG, without them" : "has a declaration of its own kind: save it as plain SVG"
  }

  private mutating func instructionFault() -> String? {
    let end = next("?>") ?? bytes.count
    let instruction = text(place..<end)
    place = end
    if instruction.hasPrefix("?xml-stylesheet") { return "has a style sheet in another file: put it into the picture" }
    guard instruction.hasPrefix("?xml "), let range = instruction.firstRange(of: "encoding") else { return nil }
    let encoding = instruction[range.upperBound...].lowercased().filter { $0.isLetter || $0.isNumber }
    let known = ["utf8", "usascii", "ascii", "iso88591", "windows1252", "latin1"]
    return known.contains { encoding.hasPrefix($0) } ? nil : "is an SVG picture that is not in UTF-8"
  }

  /// The elements that are drawn by what the machine has, with what is said of each.
  private static let refused = [
    "text": "has text, which would be drawn with whatever fonts a machine has: turn it into outlines",
    "foreignObject": "holds a foreignObject, which is not SVG: turn it into outlines",
    "include": "includes another file: put it into the picture",
  ]

  private mutating func elementFault() -> (String?, opensStyle: Bool) {
    let name = word()
    let local = String(name.split(separator: ":").last ?? "")
    if let fault = Self.refused[local] { return (fault, false) }
    if name.hasPrefix("/") { boxes.leave() }
    var (attributes, isEmpty) = ([String: String](), false)
    while true {
      skipSpace()
      guard place < bytes.count, bytes[place] != UInt8(ascii: ">") else { break }
      if bytes[place] == UInt8(ascii: "/") {
        (place, isEmpty) = (place + 1, true)
        continue
      }
      let key = word()
      guard !key.isEmpty, let value = attribute() else { break }
      if let fault = Self.fault(of: local, key, value) { return (fault, false) }
      if !SVGBoxes.isLong(key) { attributes[key.split(separator: ":").last.map(String.init) ?? key] = Self.decoded(value) }
    }
    if place < bytes.count { place += 1 }
    guard !name.hasPrefix("/") else { return (nil, false) }
    boxes.enter(local, attributes, isEmpty: isEmpty)
    return (nil, local == "style" && !isEmpty)
  }

  private static func fault(of element: String, _ key: String, _ value: String) -> String? {
    let value = decoded(value)
    switch key.split(separator: ":").last.map(String.init) ?? "" {
    case "href" where element != "a": return referenceFault(value)
    case "base" where key == "xml:base": return "counts its references from another place (xml:base)"
    // The data of outlines are long, and have no style.
    case let key where SVGBoxes.isLong(key): return nil
    case "systemLanguage": return "chooses what it shows by the machine's language (systemLanguage)"
    default: return sheetFault(value)
    }
  }

  /// The fault of a reference: only those to parts of the same picture, and pictures that are written out, stay inside.
  private static func referenceFault(_ value: String) -> String? {
    let target = value.drop { $0.isWhitespace }
    if target.isEmpty || target.hasPrefix("#") { return nil }
    let kinds = ["data:image/png", "data:image/jpeg", "data:image/jpg"]
    if kinds.contains(where: { target.lowercased().hasPrefix($0) }) { return nil }
    if target.lowercased().hasPrefix("data:") {
      return "holds a picture of another kind than PNG and JPEG: '\(target.prefix(40))'"
    }
    return "refers to '\(target.prefix(80))', which is not a part of it: put it into the picture"
  }

  /// The fault of a style sheet, or of an attribute that may have a style.
  private static func sheetFault(_ text: String) -> String? {
    if text.contains("@import") { return "has a style sheet in another file: put it into the picture" }
    // A backslash could hide either word.
    if text.contains("\\"), text.contains("url") || text.contains("import") { return "has a style sheet with escaped letters" }
    var rest = text[...]
    while let range = rest.firstRange(of: "url(") {
      rest = rest[range.upperBound...]
      let target = rest.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }.prefix { $0 != ")" && $0 != "\"" && $0 != "'" }
      if let fault = referenceFault(String(target)) { return fault }
    }
    return nil
  }

  /// The text with the references of characters that XML has by number and by name written out.
  private static func decoded(_ text: String) -> String {
    guard text.contains("&") else { return text }
    var (result, rest) = ("", text[...])
    while let start = rest.firstIndex(of: "&") {
      result += rest[..<start]
      guard let end = rest[start...].firstIndex(of: ";") else { return result + rest[start...] }
      let name = rest[rest.index(after: start)..<end]
      let code =
        name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
      let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"][String(name)]
      result += code.flatMap(UnicodeScalar.init).map { String(Character($0)) } ?? named ?? ""
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  // MARK: - Reading

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

  private func isAt(_ word: String) -> Bool { bytes[place...].starts(with: word.utf8) }

  /// The place at which `mark` comes next; nil where it does not.
  private func next(_ mark: String) -> Int? {
    let mark = Array(mark.utf8)
    var found = place
    while found + mark.count <= bytes.count {
      if bytes[found] == mark[0], bytes[found..<found + mark.count].elementsEqual(mark) { return found }
      found += 1
    }
    return nil
  }

  private mutating func skipSpace() { while place < bytes.count, [9, 10, 13, 32].contains(bytes[place]) { place += 1 } }

  /// A name, up to a space, a slash within the tag, an equals sign or the tag's end.
  private mutating func word() -> String {
    let start = place
    if place < bytes.count, bytes[place] == UInt8(ascii: "/") { place += 1 }
    while place < bytes.count, ![9, 10, 13, 32, UInt8(ascii: "="), UInt8(ascii: ">"), UInt8(ascii: "/")].contains(bytes[place]) {
      place += 1
    }
    return text(start..<place)
  }

  /// The value of an attribute; nil where the text is no attribute, which librsvg refuses itself.
  private mutating func attribute() -> String? {
    skipSpace()
    guard place < bytes.count, bytes[place] == UInt8(ascii: "=") else { return nil }
    place += 1
    skipSpace()
    guard place < bytes.count, bytes[place] == UInt8(ascii: "\"") || bytes[place] == UInt8(ascii: "'") else { return nil }
    let quote = bytes[place]
    place += 1
    let start = place
    while place < bytes.count, bytes[place] != quote { place += 1 }
    let value = text(start..<place)
    place = min(place + 1, bytes.count)
    return value
  }
}
