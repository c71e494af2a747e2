internal import Formats
internal import MediaTime
internal import Timeline

/// The loudness of a sound from one tenth of a second to the next, from which follow its range (EBU Tech 3342) and the gains that narrow it.
///
/// All is arithmetic on the levels that a meter found, with the project's own logarithm: it is the same on every machine (decision 0231).
package struct LoudnessCourse: Hashable, Sendable {
  /// The power of each tenth, weighted as BS.1770-4 has it: 10^(LUFS / 10).
  private let powers: [Double]

  /// The tenths in a window of short-term loudness, 3 s, and in a block of integrated loudness, 400 ms.
  private static let window = 30
  private static let block = 4
  /// The gates: nothing below -70 LUFS counts, nor what lies this far below the mean of the rest.
  private static let silence = power(-70)
  private static let (windowGate, blockGate) = (power(-20), power(-10))
  /// The steps of the slope that are tried, and the LU by which the range is brought below its target, since meters differ a little.
  private static let steps = 256
  private static let margin = 0.2
  /// The LU by which the floor is lowered at a time, and the lowest in LUFS.
  private static let (floorStep, leastFloor) = (3.0, -70.0)

  /// - Parameter tenths: the loudness of each tenth of a second in LUFS; -infinity where it is silent.
  package init(tenths: [Double]) {
    // Levels in hundredths hide the last digits, in which C libraries differ.
    self.init(powers: tenths.map { $0.isFinite ? Self.power(($0 * 100).rounded() / 100) : 0 })
  }

  private init(powers: [Double]) { self.powers = powers }

  /// The range in LU, in hundredths; nil where no window of 3 s is above the gate.
  package var range: Double? {
    percentiles.map { (($0.upper - $0.lower) * 100).rounded() / 100 }
  }

  /// The integrated loudness in LUFS, in hundredths; nil where no block of 400 ms is above the gate.
  package var integrated: Double? {
    let blocks = Self.means(of: powers, over: Self.block).filter { $0 > Self.silence }
    guard !blocks.isEmpty else { return nil }
    let gate = blocks.mean * Self.blockGate
    return (Self.loudness(blocks.filter { $0 > gate }.mean) * 100).rounded() / 100
  }

  /// The gains in dB at whole seconds from 0 on, between which the gain moves in a line, that bring the range to a target. They are as steep as
  /// they have to be, and 0 where the sound has its integrated loudness.
  ///
  /// What is softer than a floor is lifted as that is. The floor is the 10th percentile, or lower, as far as it must be: once the loud parts are
  /// lower, soft ones count that were below the gate before.
  ///
  /// - Returns: nil where the range is not above the target, or nothing can be measured; the narrowest range that there is where the target is
  ///   not reached.
  package func gains(narrowingTo target: Double) -> [Double]? {
    guard let range, range > target, let (lower, upper) = percentiles, let integrated else { return nil }
    let levels = centredLevels
    var (floor, best): (Double, (gains: [Double], range: Double)?) = (lower, nil)
    while true {
      let found = gains(levels.map { min(max($0, floor), upper) - integrated }, narrowingTo: target)
      if found.range < best?.range ?? .infinity { best = found }
      if found.range <= target || floor <= Self.leastFloor { return best?.gains }
      floor = max(floor - Self.floorStep, Self.leastFloor)
    }
  }

  /// The gains of the least slope that brings the range to the target, and the range that results.
  ///
  /// - Parameter levels: the levels of the tenths above the integrated loudness.
  private func gains(_ levels: [Double], narrowingTo target: Double) -> (gains: [Double], range: Double) {
    // The slope is 1 - step / steps: with no step the level is left as it is, and with all it is the same throughout.
    func tried(_ step: Int) -> (gains: [Double], range: Double) {
      let gains = Self.smoothed(levels, factor: Double(step) / Double(Self.steps))
      return (gains, changed(by: gains).range ?? 0)
    }
    var (least, most, best) = (0, Self.steps, tried(Self.steps))
    while most - least > 1 {
      let middle = (least + most) / 2
      let found = tried(middle)
      if found.range > target - Self.margin { least = middle } else { (most, best) = (middle, found) }
    }
    return best
  }

  /// The course of the sound with the gains of `gains(narrowingTo:)`.
  package func changed(by gains: [Double]) -> LoudnessCourse {
    let factors = gains.map { Exponential.gain(decibels: $0) }
    return LoudnessCourse(
      powers: powers.indices.map { index in
        let place = (Double(index) + 0.5) / 10
        let second = min(Int(place), factors.count - 1)
        let (here, next) = (factors[second], factors[min(second + 1, factors.count - 1)])
        let gain = here + (next - here) * (place - Double(Int(place)))
        return powers[index] * gain * gain
      })
  }

  /// The 10th and the 95th percentile of short-term loudness above the gates, in LUFS.
  private var percentiles: (lower: Double, upper: Double)? {
    let windows = Self.means(of: powers, over: Self.window).filter { $0 >= Self.silence }
    guard !windows.isEmpty else { return nil }
    let gate = windows.mean * Self.windowGate
    let counted = windows.filter { $0 >= gate }.sorted()
    func percentile(_ share: Double) -> Double { Self.loudness(counted[Int((Double(counted.count - 1) * share).rounded())]) }
    return (percentile(0.1), percentile(0.95))
  }

  /// The loudness of the 3 s around each tenth, in LUFS, or of as much of them as there is.
  private var centredLevels: [Double] {
    let half = Self.window / 2
    return powers.indices.map { index in
      Self.loudness(powers[max(0, index - half)..<min(powers.count, index + half)].mean)
    }
  }

  /// The gains at whole seconds: the mean over 3 s of what each level is lowered by.
  private static func smoothed(_ levels: [Double], factor: Double) -> [Double] {
    let half = window / 2
    return (0...(levels.count + 9) / 10).map { second in
      let middle = min(second * 10, levels.count - 1)
      let mean = levels[max(0, middle - half)...min(levels.count - 1, middle + half)].mean
      return (-factor * mean * 100).rounded() / 100
    }
  }

  /// The means of `count` values in a row.
  private static func means(of values: [Double], over count: Int) -> [Double] {
    guard values.count >= count else { return [] }
    return (0...values.count - count).map { values[$0..<$0 + count].mean }
  }

  private static func power(_ loudness: Double) -> Double {
    let gain = Exponential.gain(decibels: loudness)
    return gain * gain
  }

  private static func loudness(_ power: Double) -> Double { power > 1e-30 ? Logarithm.decibels(power) / 2 : -200 }
}

extension LoudnessCourse {
  /// The gains as a volume on a composition's clock.
  static func envelope(of gains: [Double]) -> Envelope<Double> {
    Envelope(
      gains.enumerated().map { Envelope.Keyframe(MediaTime(seconds: Int64($0)), Exponential.gain(decibels: $1)) })
  }
}

extension Collection where Element == Double {
  /// The mean of the values, of which there are some.
  fileprivate var mean: Double { reduce(0, +) / Double(count) }
}
