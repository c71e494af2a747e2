package import Formats

/// The bits, or the quality, that a movie with a target was to have, and what it has.
package struct TargetMeasure: Hashable, Sendable {
  /// The quantity that the target counts.
  package enum Quantity: String, Hashable, Sendable, Codable {
    /// The bits a second of the picture, on average.
    case bitRate
    /// The bytes of the file.
    case fileSize
    /// A quality of the picture, of the chunk that has the least.
    case ssim, xpsnr

    /// The measure of a quality; nil for bits.
    var measure: QualityTarget.Measure? { QualityTarget.Measure(rawValue: rawValue) }
  }

  package var quantity: Quantity
  /// The value that the document states.
  package var asked: Double
  /// The value that the movie has.
  package var reached: Double

  package init(_ quantity: Quantity, asked: Double, reached: Double) {
    (self.quantity, self.asked, self.reached) = (quantity, asked, reached)
  }

  /// Measures a movie.
  ///
  /// - Parameters:
  ///   - pictureBytes: the bytes of the picture's packets.
  ///   - seconds: the duration of the picture; positive.
  ///   - fileBytes: the bytes of the file.
  package init(_ target: RateTarget, pictureBytes: Int64, seconds: Double, fileBytes: Int64) {
    switch target {
    case .bitRate(let asked):
      self.init(.bitRate, asked: asked, reached: (8 * Double(pictureBytes) / seconds).rounded())
    case .fileSize(let asked): self.init(.fileSize, asked: asked, reached: Double(fileBytes))
    }
  }

  /// Measures a movie by the chunk that has the least quality.
  ///
  /// - Returns: nil where no chunk was measured.
  package init?(_ chunks: [ReachedQuality]) {
    guard let least = chunks.min(by: { $0.reached < $1.reached }), let quantity = Quantity(rawValue: least.measure.rawValue)
    else { return nil }
    self.init(quantity, asked: least.asked, reached: least.reached)
  }

  /// The share of rounding by which a quality may lie below the one that was asked for.
  static let qualityTolerance = 1e-6

  /// Whether it is further from what was asked for than a movie may be. A quality may be better.
  package var isMissed: Bool {
    quantity.measure == nil
      ? abs(reached - asked) > RateTarget.tolerance * asked : reached < asked - Self.qualityTolerance
  }

  /// The facts in words, such as `391 kbit/s of the 400 kbit/s that bitRate asks for: 2.2 % less`.
  package var words: String {
    if let measure = quantity.measure {
      let name = quantity.rawValue
      return "\(name) \(measure.words(reached)) in the chunk that has least, of the \(measure.words(asked)) that quality asks for"
    }
    let share = (reached / asked - 1) * 100
    let digits = (abs(share) * 10).rounded() / 10
    let difference = digits == 0 ? "" : ": \(Self.text(digits)) % \(share < 0 ? "less" : "more")"
    return "\(text(reached)) of the \(text(asked)) that \(quantity.rawValue) asks for\(difference)"
  }

  /// The facts as a warning; nil where the target is met.
  package var warning: String? {
    if isMissed, quantity.measure != nil { return "\(words): the encoder has no setting that reaches it" }
    return isMissed ? "\(words), and \(Self.text(RateTarget.tolerance * 100)) % is what a movie should miss it by at most" : nil
  }

  /// A value in its unit.
  private func text(_ value: Double) -> String {
    switch quantity {
    case .ssim, .xpsnr: quantity.measure?.words(value) ?? ""
    case .bitRate: value < 10_000_000 ? "\(Self.text(value / 1000)) kbit/s" : "\(Self.text(value / 1_000_000)) Mbit/s"
    case .fileSize: value < 10_000_000 ? "\(Self.text(value / 1000)) kB" : "\(Self.text(value / 1_000_000)) MB"
    }
  }

  private static func text(_ value: Double) -> String {
    let tenths = (value * 10).rounded() / 10
    return tenths == tenths.rounded() ? "\(Int(tenths))" : "\(tenths)"
  }
}

extension TargetMeasure: Codable {
  /// The numbers that a proof may tell: as many bits a second, or bytes, as no movie has, and qualities of all pictures.
  private static let (amounts, qualities) = (0.0...1e15, -1.0...200)

  private enum CodingKeys: String, CodingKey { case quantity, asked, reached }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let quantity = try container.decode(Quantity.self, forKey: .quantity)
    let isQuality = quantity.measure != nil
    let values = isQuality ? Self.qualities : Self.amounts
    self.init(
      quantity, asked: try container.checked(Double.self, .asked, complaint: "is no target") { $0 > 0 && values ~= $0 },
      reached: try container.checked(
        Double.self, .reached, complaint: isQuality ? "is no quality" : "is no number of bits or bytes", isFit: values.contains))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(quantity, forKey: .quantity)
    try container.encode(asked, forKey: .asked)
    try container.encode(reached, forKey: .reached)
  }
}
