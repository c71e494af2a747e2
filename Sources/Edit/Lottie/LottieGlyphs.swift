internal import Formats
internal import JSON

/// The outlines that a file has for the characters of a font.
struct LottieGlyphs {
  struct Glyph {
    /// The width and the outlines, of a text of 100 pixels.
    let width: Double
    fileprivate let node: LottieNode

    func outlines(_ log: LottieLog) throws(LottieFault) -> [LottieOutline] {
      var outlines: [LottieOutline] = []
      for group in node["data"]?["shapes"]?.elements ?? [] {
        for part in group["it"]?.elements ?? [group] {
          if let outline = try LottieOutline(part, log) { outlines.append(outline) }
        }
      }
      return outlines
    }
  }

  private var glyphs: [Character: Glyph] = [:]

  init(_ file: LottieFile, font: String) {
    let (family, style) = (file.family(of: font), file.style(of: font))
    for node in file.root["chars"]?.elements ?? [] {
      guard let text = node.text("ch"), let character = text.first, text.count == 1 else { continue }
      guard node.text("fFamily") ?? family == family, node.text("style") ?? style == style else { continue }
      // A width that is no number is told where the file's numbers are.
      guard case .number(let width)? = node["w"]?.value, let width = Double(width), abs(width) < 1e5 else { continue }
      glyphs[character] = Glyph(width: width, node: node)
    }
  }

  subscript(character: Character) -> Glyph? { glyphs[character] }

  /// Whether all of a text has outlines.
  func cover(_ lines: [String]) -> Bool {
    !glyphs.isEmpty && lines.allSatisfy { $0.allSatisfy { glyphs[$0] != nil || $0.isWhitespace } }
  }
}
