/// Rate factors of encoders that take whole steps of `crf` alone (decision 0215). On the scale of x264, on which targets are shared out, a step
/// of theirs is 0.6.
package enum WholeSteps {
  /// The `crf` that stands for the first of the surveyed factors, and the factors of a step.
  private static let (first, step) = (24.0, 0.6)
  /// The fewest frames of a part.
  private static let leastPart = 8

  /// A chunk of which the first frames have one factor, and the others, from a keyframe on, the next.
  package struct Parting: Hashable, Sendable {
    package let first: Double
    package let second: Double
    /// The number of frames that have the first.
    package let length: Int
  }

  /// The `crf` of a rate factor, which may lie between two.
  static func crf(_ factor: Double) -> Double { first + (factor - RateTarget.surveyedFactors[0]) / step }

  /// The rate factor for which a `crf` stands.
  static func factor(_ crf: Double) -> Double { RateTarget.surveyedFactors[0] + (crf - first) * step }

  static func factors(_ crfs: ClosedRange<Double>) -> ClosedRange<Double> { factor(crfs.lowerBound)...factor(crfs.upperBound) }

  /// How a chunk takes as many bits as the factor means: the finer step comes first, for as many frames as make the average. nil where one
  /// step does, and for few frames, which have the nearest.
  static func parting(_ rateFactor: Double, frameCount: Int) -> Parting? {
    let crf = crf(rateFactor)
    let whole = crf.rounded(.down)
    guard frameCount >= 3 * leastPart, frameCount < .max, abs(crf - crf.rounded()) > 1e-6 else { return nil }
    let length = Int(((whole + 1 - crf) * Double(frameCount)).rounded())
    return Parting(
      first: factor(whole), second: factor(whole + 1), length: min(max(length, leastPart), frameCount - leastPart))
  }
}
