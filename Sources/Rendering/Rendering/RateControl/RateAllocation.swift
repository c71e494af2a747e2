package import Formats
package import Messages

/// The bits that each part of a movie gets of a target for the whole: those that it takes at the one rate factor at which all parts together
/// take as many as the target has. So the quality is the same throughout, and what is hard gets more bits (decision 0196).
package struct RateAllocation: Hashable, Sendable {
  /// The rate factor, as the first pass's encoder counts it.
  package let factor: Double
  /// The bits of each slice.
  private let bits: [Double]
  /// The sections in slices. A bound of the rate holds in each: what is hard may be shorter than a section.
  private let sections: [SurveyedSection]

  /// The share of what an encoder may use under a bound of the rate that an allocation counts on.
  private static let usedOfCap = 0.85
  /// The seconds of a slice.
  private static let sliceSeconds = 2.0

  /// - Parameters:
  ///   - target: the bits of the whole picture; positive.
  ///   - cap: the bound of the rate; nil without one.
  ///   - frameSeconds: the duration of a frame.
  package init(_ target: Double, over survey: RateSurvey, within cap: RateCap?, frameSeconds: Double) {
    let length = max(1, Int(Self.sliceSeconds / frameSeconds))
    let sections = survey.sections.flatMap { $0.slices(of: length) }
    self.sections = sections
    let curves = sections.map(RateCurve.init)
    let most = sections.map { section in
      cap.map { Self.usedOfCap * $0.encoderRate * frameSeconds * Double(section.frames.count) } ?? .infinity
    }
    func bits(at factor: Double) -> [Double] { zip(curves, most).map { min($0.bits(at: factor), $1) } }
    // Bits fall as the factor grows. Sixty halvings of the range leave nothing of it.
    var (low, high) = RateCurve.range
    for _ in 0..<60 {
      let middle = (low + high) / 2
      if bits(at: middle).reduce(0, +) > target { low = middle } else { high = middle }
    }
    factor = high
    let found = bits(at: high)
    // A target beyond the ends of the range is met by the same share of each section.
    let scale = target / max(1, found.reduce(0, +))
    self.bits = zip(found, most).map { min($0 * scale, $1) }
  }

  /// The bits of a range of frames.
  package func bits(of frames: FrameRange) -> Double {
    zip(sections, bits).reduce(0) { sum, part in
      let (section, bits) = part
      let shared = section.frames.indices.clamped(to: frames.indices)
      guard !shared.isEmpty else { return sum }
      let weights = section.frames.indices.map { index in
        section.byteCounts.reduce(0.0) { $0 + Double($1[index - section.frames.first]) }
      }
      let first = section.frames.first
      let inside = weights[(shared.lowerBound - first)..<(shared.upperBound - first)].reduce(0, +)
      return sum + bits * inside / weights.reduce(0, +)
    }
  }
}

extension RateAllocation {
  /// The bits of each frame at the allocation's factor, as the first pass makes expect.
  package func weights(of frames: FrameRange) -> [Double] {
    let factors = RateTarget.surveyedFactors
    let share = min(max((factor - factors[0]) / (factors[1] - factors[0]), 0), 1)
    return sections.filter { $0.frames.indices.overlaps(frames.indices) }.flatMap { section in
      section.frames.indices.clamped(to: frames.indices).map { index in
        let logarithms = section.byteCounts.map { Logarithm.natural(8 * Double(max(1, $0[index - section.frames.first]))) }
        return Exponential.power(logarithms[0] * (1 - share) + logarithms[1] * share)
      }
    }
  }
}

/// The bits of a section by the rate factor: a straight line between their logarithms at two factors.
struct RateCurve: Hashable, Sendable {
  /// The factors between which a factor is looked for. Encoders have 0 to 51.
  static let range = (-20.0, 80.0)
  /// The least and the most that the logarithm of bits falls as the factor grows by one. Usual are 0.12: half the bits for six more.
  private static let slopes = 0.03...0.3

  private let bits: Double
  private let slope: Double

  init(_ section: SurveyedSection) {
    let sums = section.byteCounts.map { 8 * Double(max(1, $0.reduce(0, +))) }
    let factors = RateTarget.surveyedFactors
    let fall = (Logarithm.natural(sums[0]) - Logarithm.natural(sums[1])) / (factors[1] - factors[0])
    (bits, slope) = (sums[0], min(max(fall, Self.slopes.lowerBound), Self.slopes.upperBound))
  }

  func bits(at factor: Double) -> Double { bits * Exponential.power(slope * (RateTarget.surveyedFactors[0] - factor)) }
}
