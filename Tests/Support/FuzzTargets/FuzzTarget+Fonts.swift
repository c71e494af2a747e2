internal import Drawing
internal import Formats
internal import Media
internal import SyntheticFonts

extension FuzzTarget {
  /// Checks that a font file is probed or refused, and that the facts that are found are plausible.
  func takeFont(_ bytes: [UInt8]) {
    MemoryFile.shared.hold(bytes)
    // Most files are refused.
    guard let facts = try? FontProbe.facts(of: MemoryFile.shared.path, policy: SourcePolicy(roots: ["/"])) else { return }
    precondition(facts.isPlausible && facts.font != nil && facts.byteCount == bytes.count, "the facts cannot be true")
  }

  var fontSeeds: [[UInt8]] {
    let plain = SyntheticFont("Plain", letters: "Ab ", height: 500)
    var variable = SyntheticFont("Variable", letters: "Cd", height: 700)
    (variable.isVariable, variable.weight) = (true, 700)
    return [plain.bytes, variable.bytes, SyntheticFont.collection([plain, variable])]
  }
}
