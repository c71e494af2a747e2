/// How light of high dynamic range (PQ, HLG) becomes standard range; the raw values are the document's names.
///
/// Each is a curve on the largest of the output's red, green and blue light, by which all three are scaled: hues stay.
package enum ToneMap: String, Hashable, Sendable, Codable, CaseIterable {
  /// ITU-R BT.2390's EETF: as it is up to a knee, then a spline that brings the peak to white.
  case bt2390
  /// Hable's filmic curve.
  case hable
  /// Reinhard's x / (1 + x), scaled so that the peak becomes white.
  case reinhard
  /// What is brighter than white becomes white.
  case clip
}
