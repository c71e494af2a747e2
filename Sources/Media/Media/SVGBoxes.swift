/// Finds shapes that are turned within an SVG picture and painted in shares of their box.
///
/// librsvg 2.54 asks Cairo for a shape's box in the shape's coordinates. Cairo gives the box of the turned box, which is larger. So
/// such a gradient, pattern or clip would be drawn too large, without a word.
struct SVGBoxes {
  /// Whether each element that is open, from the outermost on, is turned with what it holds.
  private var turned: [Bool] = []
  /// The names of what is stated in shares of a box.
  private var stated: Set<String> = []
  /// The names to which turned elements refer, and those to which any other element or a style sheet refers.
  private var turnedNames: Set<String> = []
  private var otherNames: Set<String> = []
  private var isAnythingTurned = false
  /// Whether a turned element shows a copy of others, or the style sheet may paint one.
  private var isPaintedFromAfar = false
  private var sheetNames: Set<String> = []

  /// Whether an attribute holds the data of an outline, which are long and refer to nothing.
  static func isLong(_ key: String) -> Bool { key == "d" || key == "points" }

  /// - Parameter isEmpty: whether the element is closed at once.
  mutating func enter(_ element: String, _ attributes: [String: String], isEmpty: Bool) {
    let style = attributes["style"] ?? ""
    let turns =
      [attributes["transform"] ?? "", attributes["patternTransform"] ?? ""].contains(where: Self.turns)
      || style.contains("transform") && Self.turns(style) || attributes["orient"].map { $0 != "0" } ?? false
    let isTurned = (turned.last ?? false) || turns
    if isTurned { isAnythingTurned = true }
    let names = attributes.values.reduce(into: Set<String>()) { $0.formUnion(Self.names(in: $1)) }
    if isTurned { turnedNames.formUnion(names) } else { otherNames.formUnion(names) }
    if isTurned, element == "use" { isPaintedFromAfar = true }
    if let name = attributes["id"], Self.countsInShares(element, attributes) { stated.insert(name) }
    if !isEmpty { turned.append(isTurned) }
  }

  mutating func leave() { _ = turned.popLast() }

  mutating func meet(sheet: String) {
    sheetNames.formUnion(Self.names(in: sheet))
    if sheet.contains("transform"), Self.turns(sheet) { isAnythingTurned = true }
  }

  /// The reason for which the picture is refused; nil where there is none.
  var fault: String? {
    var met = turnedNames
    if isPaintedFromAfar { met.formUnion(otherNames) }
    if isAnythingTurned { met.formUnion(sheetNames) }
    return stated.intersection(met).min().map {
      "turns a shape with '#\($0.prefix(80))', which is stated in shares of the shape's box: give it gradientUnits, patternUnits or clipPathUnits=\"userSpaceOnUse\""
    }
  }

  private static func countsInShares(_ element: String, _ attributes: [String: String]) -> Bool {
    let box = "objectBoundingBox"
    switch element {
    case "linearGradient", "radialGradient": return attributes["gradientUnits"] ?? box == box
    case "pattern": return attributes["patternUnits"] ?? box == box || attributes["patternContentUnits"] == box
    case "clipPath": return attributes["clipPathUnits"] == box
    case "mask": return attributes["maskContentUnits"] == box
    case "filter": return attributes["primitiveUnits"] == box
    default: return false
    }
  }

  /// Whether a list of transforms may turn or shear.
  private static func turns(_ transform: String) -> Bool {
    if transform.contains("rotate") || transform.contains("skew") { return true }
    var rest = transform[...]
    while let range = rest.firstRange(of: "matrix(") {
      rest = rest[range.upperBound...]
      let terms = rest.prefix { $0 != ")" }.split { $0 == "," || $0.isWhitespace }.map { Double($0) }
      if terms.count < 4 || terms[1] != 0 || terms[2] != 0 { return true }
    }
    return false
  }

  /// The names in `url(#name)`.
  private static func names(in text: String) -> Set<String> {
    guard text.contains("url(") else { return [] }
    var (names, rest) = (Set<String>(), text[...])
    while let range = rest.firstRange(of: "url(") {
      rest = rest[range.upperBound...]
      let target = rest.drop { $0.isWhitespace || $0 == "\"" || $0 == "'" }
      if target.first == "#" { names.insert(String(target.dropFirst().prefix { !$0.isWhitespace && !")\"'".contains($0) })) }
    }
    return names
  }
}
