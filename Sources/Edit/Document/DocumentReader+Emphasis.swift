internal import Formats
internal import JSON
internal import Timeline

/// Reads how letters stand in vertical lines, and the marks beside them.
extension DocumentReader {
  /// The marks: the name of one, a character, or an object.
  func emphasis(_ node: DocumentNode) -> TextEmphasis? {
    guard case .object = node.value else { return mark(node, fill: nil).map { TextEmphasis($0) } }
    guard let object = DocumentObject(.emphasis, node) else { return nil }
    let mark = object["mark"].flatMap { self.mark($0, fill: object["fill"]) }
    let own = object["color"].flatMap(color)
    let side = object["side"].map { $0.choice(TextEmphasis.Side.self) } ?? .over
    guard let mark, let side else { return nil }
    return TextEmphasis(mark, color: own, side: side)
  }

  private func mark(_ node: DocumentNode, fill: DocumentNode?) -> TextEmphasis.Mark? {
    guard let name = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    let isOpen = fill.map { $0.choice(MarkFill.self) } ?? .filled
    if let shape = TextEmphasis.Shape(rawValue: name) { return isOpen.map { .shape(shape, isOpen: $0 == .open) } }
    fill?.note("only \(Self.shapes.joined(separator: ", ")) are filled or open")
    if name == "none" { return TextEmphasis.Mark.none }
    guard name.count == 1, !name.allSatisfy(\.isWhitespace) else {
      return node.refuse(name, among: Self.shapes + ["none", "a character"])
    }
    return .character(name)
  }

  private enum MarkFill: String, CaseIterable { case filled, open }

  private static let shapes = TextEmphasis.Shape.allCases.map(\.rawValue)

  /// Notes orientations that say nothing, and letters that cannot stand so.
  func checkOrientation(_ text: TextContent, _ object: DocumentObject) {
    guard text.writingMode.isVertical else {
      object["textOrientation"]?.note("only vertical lines turn letters: give the text \"writingMode\": \"vertical-rl\"")
      return
    }
    let upright = text.spans.filter { $0.orientation == .upright }
    if upright.contains(where: { $0.string.unicodeScalars.contains(where: \.isOfScriptFromRightToLeft) }) {
      object["text"]?.note("has letters of a script from right to left, which do not stand upright below each other")
    }
  }
}
