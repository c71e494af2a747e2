/// How light of high dynamic range (PQ, HLG) becomes light of standard range. The raw values are the document's names.
///
/// Each is a curve on the largest of the output's red, green and blue light. All three are scaled by the same factor, so that
/// hues stay.
package enum ToneMap: String, Hashable, Sendable, Codable, CaseIterable {
  /// The EETF of ITU-R BT.2390: light up to a knee stays as it is; from there a spline brings the peak down to white.
  case bt2390
  /// Hable's filmic curve.
  case hable
  /// Reinhard's x / (1 + x), scaled so that the peak becomes white.
  case reinhard
  /// A cut: light brighter than white becomes white.
  case clip
}
