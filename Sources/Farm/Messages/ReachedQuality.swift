package import Formats

/// The quality that a chunk reached, and the setting of the encoder with which it did.
package struct ReachedQuality: Hashable, Sendable {
  package var measure: QualityTarget.Measure
  /// The value that the document states.
  package var asked: Double
  /// The value that was measured.
  package var reached: Double
  /// The `crf` that was found.
  package var crf: Double
  /// The number of times that the chunk was encoded.
  package var tries: Int

  package init(_ target: QualityTarget, reached: Double, crf: Double, tries: Int) {
    (measure, asked, self.reached, self.crf, self.tries) = (target.measure, target.value, reached, crf, tries)
  }

  /// Whether the finest setting that there is was not enough.
  package var isMissed: Bool { reached < asked - TargetMeasure.qualityTolerance }

  /// The facts in words, such as `ssim 0.9804 of 0.98 with crf 23.25, found in 5 encodings`.
  package var words: String {
    let end = isMissed ? "which is not reached with crf \(Self.text(crf)), the best of" : "with crf \(Self.text(crf)), found in"
    return "\(measure.rawValue) \(measure.words(reached)) of \(measure.words(asked))\(isMissed ? "," : "") \(end) \(tries) "
      + (tries == 1 ? "encoding" : "encodings")
  }

  private static func text(_ number: Double) -> String { number == number.rounded() ? "\(Int(number))" : "\(number)" }
}

extension ReachedQuality: Codable {
  /// The values that a proof may tell: those of a similarity, and decibels.
  private static let values = -1.0...200
  private static let crfs = 0.0...100
  private static let mostTries = 1000

  private enum CodingKeys: String, CodingKey { case measure, asked, reached, crf, tries }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    func value(_ key: CodingKeys) throws -> Double {
      try container.checked(Double.self, key, complaint: "is no value of a quality", isFit: Self.values.contains)
    }
    measure = try container.decode(QualityTarget.Measure.self, forKey: .measure)
    (asked, reached) = (try value(.asked), try value(.reached))
    crf = try container.checked(Double.self, .crf, complaint: "is no crf", isFit: Self.crfs.contains)
    tries = try container.checked(Int.self, .tries, complaint: "is no number of encodings") { 1...Self.mostTries ~= $0 }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(measure, forKey: .measure)
    try container.encode(asked, forKey: .asked)
    try container.encode(reached, forKey: .reached)
    try container.encode(crf, forKey: .crf)
    try container.encode(tries, forKey: .tries)
  }
}
