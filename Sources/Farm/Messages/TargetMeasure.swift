package import Formats

/// The bits that a movie with a target was to have, and those that it has.
package struct TargetMeasure: Hashable, Sendable {
  /// The quantity that the target counts.
  package enum Quantity: String, Hashable, Sendable, Codable {
    /// The bits a second of the picture, on average.
    case bitRate
    /// The bytes of the file.
    case fileSize
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

  /// Whether it is further from what was asked for than a movie may be.
  package var isMissed: Bool { abs(reached - asked) > RateTarget.tolerance * asked }

  /// The facts in words, such as `391 kbit/s of the 400 kbit/s that bitRate asks for: 2.2 % less`.
  package var words: String {
    let share = (reached / asked - 1) * 100
    let digits = (abs(share) * 10).rounded() / 10
    let difference = digits == 0 ? "" : ": \(Self.text(digits)) % \(share < 0 ? "less" : "more")"
    return "\(text(reached)) of the \(text(asked)) that \(quantity.rawValue) asks for\(difference)"
  }

  /// The facts as a warning; nil where the target is met.
  package var warning: String? {
    isMissed ? "\(words), and \(Self.text(RateTarget.tolerance * 100)) % is what a movie should miss it by at most" : nil
  }

  /// A value in its unit.
  private func text(_ value: Double) -> String {
    switch quantity {
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
  /// The numbers that a proof may tell: as many bits a second, or bytes, as no movie has.
  private static let values = 0.0...1e15

  private enum CodingKeys: String, CodingKey { case quantity, asked, reached }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      try container.decode(Quantity.self, forKey: .quantity),
      asked: try container.checked(Double.self, .asked, complaint: "is no target") { $0 > 0 && Self.values ~= $0 },
      reached: try container.checked(
        Double.self, .reached, complaint: "is no number of bits or bytes", isFit: Self.values.contains))
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(quantity, forKey: .quantity)
    try container.encode(asked, forKey: .asked)
    try container.encode(reached, forKey: .reached)
  }
}
