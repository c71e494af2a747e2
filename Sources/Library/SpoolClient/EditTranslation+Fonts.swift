/// A font as documents have it: a family, its weight and slant.
struct SaidFont {
  let family: String
  let weight: Double
  let isItalic: Bool

  /// The font of a family's or a face's name, such as "Arial" and "Helvetica-BoldOblique".
  ///
  /// A name whose family nothing stands for is taken as a family's, as it is written.
  init(_ name: String, _ substitutes: [String: String]) {
    let parts = name.split(separator: "-", maxSplits: 1).map(String.init)
    let plain = Self.plain(parts.first ?? name)
    let known = Dictionary(substitutes.map { (Self.plain($0.key), $0.value) }, uniquingKeysWith: { one, _ in one })
    let family = known[plain] ?? (plain.hasSuffix("mt") ? known[String(plain.dropLast(2))] : nil)
    guard let family, let style = Self.style(parts.count > 1 ? parts[1] : "") else {
      (self.family, weight, isItalic) = (name, 400, false)
      return
    }
    (self.family, weight, isItalic) = (family, style.weight, style.isItalic)
  }

  private static func plain(_ name: String) -> String { name.lowercased().filter { $0 != " " } }

  /// The weights by the words of faces' names.
  private static let weights: [String: Double] = [
    "": 400, "ultralight": 200, "thin": 100, "light": 300, "regular": 400, "roman": 400, "medium": 500, "semibold": 600,
    "demibold": 600, "bold": 700, "heavy": 800, "black": 900,
  ]

  private static func style(_ words: String) -> (weight: Double, isItalic: Bool)? {
    var rest = words.lowercased()
    let isItalic = rest.contains("italic") || rest.contains("oblique")
    for word in ["italic", "oblique", "mt"] where rest.hasSuffix(word) { rest = String(rest.dropLast(word.count)) }
    for word in ["italic", "oblique"] where rest.hasSuffix(word) { rest = String(rest.dropLast(word.count)) }
    return weights[rest].map { ($0, isItalic) }
  }
}
