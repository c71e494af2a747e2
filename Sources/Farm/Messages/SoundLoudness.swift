/// The loudness of a movie's sound before and after it was brought to a target, as EBU R128 measures it.
package struct SoundLoudness: Hashable, Sendable {
  /// The integrated loudness of the mix, in LUFS; nil for silence and for sound that is too short to be measured.
  package var measured: Double?
  /// The gain of the whole sound, in dB; 0 where nothing was measured.
  package var gain: Double
  /// The most by which the limiter lowered a part of it, in dB; 0 where it was not needed.
  package var limiting: Double
  /// The integrated loudness of what is encoded, in LUFS.
  package var integrated: Double?
  /// The highest true peak of what is encoded, in dBTP; nil for digital silence.
  package var truePeak: Double?
  /// The loudness range of the mix, in LU; nil where no range is asked for.
  package var measuredRange: Double?
  /// The loudness range of what is encoded, in LU.
  package var range: Double?

  package init(
    measured: Double?, gain: Double, limiting: Double, integrated: Double?, truePeak: Double?, measuredRange: Double? = nil,
    range: Double? = nil
  ) {
    (self.measuredRange, self.range) = (measuredRange, range)
    (self.measured, self.gain, self.limiting) = (measured, gain, limiting)
    (self.integrated, self.truePeak) = (integrated, truePeak)
  }

  /// The facts in words, such as `-16 LUFS, -1.5 dBTP (the mix has -20.3 LUFS: 4.3 dB louder, the limiter at most 2.1 dB)`.
  package var words: String {
    let peak = truePeak.map { "\(Self.text($0)) dBTP" } ?? "digital silence"
    let limited = limiting > 0 ? ["the limiter at most \(Self.text(limiting)) dB"] : []
    guard let measured, let integrated else {
      let reason = "too quiet or too short to be measured: as it was mixed"
      return "\(peak) (\(([reason] + limited).joined(separator: ", ")))"
    }
    let change = gain == 0 ? "as it was" : "\(Self.text(abs(gain))) dB \(gain < 0 ? "softer" : "louder")"
    let width = range.map { ", \(Self.text($0)) LU" } ?? ""
    let before = measuredRange.map { " and \(Self.text($0)) LU" } ?? ""
    return "\(Self.text(integrated)) LUFS, \(peak)\(width) "
      + "(the mix has \(Self.text(measured)) LUFS\(before): \(([change] + limited).joined(separator: ", ")))"
  }

  private static func text(_ level: Double) -> String {
    let tenths = (level * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }
}

extension SoundLoudness: Codable {
  /// The levels that a proof may tell, in dB. A float of 32 bits holds no sound further from full scale.
  private static let levels = -1_000.0...1_000

  private enum CodingKeys: String, CodingKey { case measured, gain, limiting, integrated, truePeak, measuredRange, range }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func level(_ key: CodingKeys) throws -> Double? {
      guard container.contains(key) else { return nil }
      return try container.checked(Double.self, key, complaint: "is no level in dB") { Self.levels ~= $0 }
    }
    self.init(
      measured: try level(.measured), gain: try level(.gain) ?? 0, limiting: try level(.limiting) ?? 0,
      integrated: try level(.integrated), truePeak: try level(.truePeak), measuredRange: try level(.measuredRange),
      range: try level(.range))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(measured, forKey: .measured)
    try container.encode(gain, forKey: .gain)
    try container.encode(limiting, forKey: .limiting)
    try container.encodeIfPresent(integrated, forKey: .integrated)
    try container.encodeIfPresent(truePeak, forKey: .truePeak)
    try container.encodeIfPresent(measuredRange, forKey: .measuredRange)
    try container.encodeIfPresent(range, forKey: .range)
  }
}
