internal import Captions
internal import Formats
internal import JSON
package import Timeline

extension Timeline {
  /// The font files of the document in which its texts are drawn: those of layers and of captions that are seen. Nested
  /// compositions are not looked into.
  var fontsInUse: Set<AssetID> {
    let fonts = treatments.filter { $0.value.font != nil }
    guard !fonts.isEmpty else { return [] }
    let styles = layers.flatMap(\.all).map(\.layer) + captions.filter(\.drawsCues).map(\.style)
    let families =
      styles.flatMap { layer -> [String] in
        if case .text(let text)? = layer.content { text.spans.flatMap(\.typeface.families) } else { [] }
      } + captions.filter(\.showing.isDrawn).flatMap { $0.script?.script.faces.map(\.family) ?? [] }
    return Set(families.map { AssetID($0) }.filter { fonts[$0] != nil })
  }

  /// Notes each font whose file is none, or has no such face as is meant, and fonts that are too large together.
  func checkFonts(_ facts: [AssetID: AssetFacts], _ log: FaultLog) {
    let fonts = treatments.compactMap { id, treatment in treatment.font.map { (id: id, choice: $0) } }.sorted { $0.id < $1.id }
    for (id, choice) in fonts {
      let path = JSONPath.root["assets"][id.rawValue]
      guard let found = facts[id] else { continue }
      guard let font = found.font else {
        log.note("is no font", at: path, .media)
        continue
      }
      if font.face(choice) == nil { log.note(Self.fault(of: choice, in: font), at: path["face"], .media) }
    }
    let used = compositions.values.reduce(into: fontsInUse) { $0.formUnion(edit(of: $1).fontsInUse) }
    let byteCount = used.compactMap { facts[$0]?.byteCount }.reduce(0, +)
    if byteCount > FontFacts.mostBytesOfEdit {
      log.note(
        "the fonts of the texts have \(byteCount >> 20) MiB in all; at most \(FontFacts.mostBytesOfEdit >> 20) MiB are accepted",
        at: .root["assets"], .media)
    }
  }

  private static func fault(of choice: FontChoice, in font: FontFacts) -> String {
    let names = font.faces.prefix(8).enumerated().map { "\($0) '\($1)'" }.joined(separator: ", ")
    let all = "\(names)\(font.faces.count > 8 ? " and others" : "")"
    switch choice {
    case .only: return "the file has \(font.faces.count) faces: say which by its number or its name: \(all)"
    case .number(let number): return "the file has no face \(number): it has \(all)"
    case .name(let name): return "the file has no face '\(name)': it has \(all)"
    }
  }
}

/// A font file of a document in which texts are drawn.
package struct DocumentFont: Hashable, Sendable {
  package let file: Asset
  /// The number of the face that is meant.
  package let face: Int
  package let byteCount: Int64
  /// The XXH3-128 digest of the file.
  package let digest: String
}

extension ResolvedTimeline {
  /// The font files in which texts are drawn, by the names that texts have for them, in nested compositions too.
  package var fonts: [String: DocumentFont] {
    var fonts: [String: DocumentFont] = [:]
    for (id, facts) in facts {
      guard let font = facts.font, let choice = timeline.treatment(of: id).font, let face = font.face(choice),
        let file = timeline.assets[id]
      else { continue }
      fonts[id.rawValue] = DocumentFont(file: file, face: face, byteCount: facts.byteCount, digest: font.digest)
    }
    return fonts
  }
}
