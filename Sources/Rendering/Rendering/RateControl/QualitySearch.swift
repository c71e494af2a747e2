package import Formats

/// The search for the coarsest setting of an encoder with which a chunk reaches a quality. Each try is a whole encoding, whose pictures are
/// measured. The settings that are tried follow from those measures alone (decision 0258).
package struct QualitySearch: Hashable, Sendable {
  /// The next step after a try.
  package enum Verdict: Hashable, Sendable {
    /// The chunk is encoded again, with the new setting. `keeps` tells whether this try is the best so far.
    case again(keeps: Bool)
    /// The search is over. `keeps` tells whether this try is the best of all; otherwise an earlier one is.
    case done(keeps: Bool)
    /// No try keeps within the bound of the rate.
    case tooLarge
  }

  private struct Try: Hashable {
    var place: Int
    /// The logarithm of the distortion, and of the one that is wanted.
    var distance: Double
  }

  /// The tries in which the next setting is guessed from the last ones. After that the settings that are left are halved, so that a search ends after
  /// so many tries and eight more at most: there are 201 settings.
  static let guessedTries = 6
  /// The growth of the logarithm of distortion as the rate factor grows by one, before two tries tell it, and the bounds within which it is believed.
  private static let (usualSlope, slopes) = (0.1, 0.02...0.5)
  /// The most rate factors of a step while all tries are on one side.
  private static let longestStep = 12.0
  /// The rate factor of the first try.
  private static let firstFactor = 24.0

  /// The values of `crf` that the encoder has, the finest first.
  private let crfs: [Double]
  /// The rate factors for which they stand.
  private let factors: [Double]
  private let target: QualityTarget
  /// The coarsest try that was fine enough, or larger than the rate's bound, and the finest that was too coarse.
  private var fine: Try?
  private var coarse: Try?
  /// The try before the last one.
  private var previous: Try?
  /// The place of the setting for the next try.
  private var place: Int
  private var tryCount = 0
  /// The best try so far.
  package private(set) var best: Measured?

  /// A setting, and what was measured with it.
  package struct Measured: Hashable, Sendable {
    package let crf: Double
    package let distortion: Double
    package let isReached: Bool
  }

  /// - Parameter coder: a codec whose settings have a quality to be reached.
  package init(_ target: QualityTarget, for coder: any VideoCoder) {
    (self.target, crfs) = (target, coder.qualitySteps)
    factors = crfs.map(coder.rateFactor)
    precondition(!crfs.isEmpty, "the codec has settings to be tried")
    place = factors.lastIndex { $0 <= Self.firstFactor } ?? 0
  }

  /// The setting for the next try, and the rate factor for which it stands.
  package var crf: Double { crfs[place] }
  package var rateFactor: Double { factors[place] }

  /// Judges a try with the current setting.
  ///
  /// - Parameters:
  ///   - distortion: on the scale of the target's measure.
  ///   - keepsCap: whether the packets keep within the bound of the rate.
  package mutating func judge(distortion: Double, keepsCap: Bool) -> Verdict {
    tryCount += 1
    let isReached = distortion <= target.measure.distortion(target.value)
    let made = Measured(crf: crf, distortion: distortion, isReached: isReached)
    let keeps = keepsCap && isBetter(made)
    if keeps { best = made }
    let this = Try(place: place, distance: distance(of: distortion))
    if isReached || !keepsCap { fine = this } else { coarse = this }
    defer { previous = this }
    guard let next = next(after: this, keepsCap: keepsCap) else { return best == nil ? .tooLarge : .done(keeps: keeps) }
    place = next
    return .again(keeps: keeps)
  }

  /// Whether a try is better than the best one. A coarser one of those that reach the quality is, and of the others one that comes nearer to it.
  private func isBetter(_ made: Measured) -> Bool {
    guard let best else { return true }
    if made.isReached != best.isReached { return made.isReached }
    return made.isReached ? made.crf > best.crf : made.distortion < best.distortion
  }

  /// The logarithm of how much more than the wanted distortion it is. Pictures that are equal are infinitely far below.
  private func distance(of distortion: Double) -> Double {
    guard distortion > 0 else { return -.infinity }
    return Logarithm.natural(distortion) - Logarithm.natural(target.measure.distortion(target.value))
  }

  /// The place of the next setting; nil where no setting is left between those that were tried.
  private func next(after last: Try, keepsCap: Bool) -> Int? {
    let (least, most) = (fine.map { $0.place + 1 } ?? 0, coarse.map { $0.place - 1 } ?? crfs.count - 1)
    guard least <= most else { return nil }
    guard keepsCap, tryCount < Self.guessedTries else { return least + (most - least) / 2 }
    return min(max(guess(after: last), least), most)
  }

  /// The place at which the distortion is the wanted one, if its logarithm grows steadily.
  private func guess(after last: Try) -> Int {
    guard last.distance.isFinite else { return crfs.count - 1 }
    var slope = Self.usualSlope
    if let other = (fine == last ? coarse : fine) ?? previous, other.distance.isFinite {
      let growth = (last.distance - other.distance) / (factors[last.place] - factors[other.place])
      slope = min(max(growth, Self.slopes.lowerBound), Self.slopes.upperBound)
    }
    let step = min(max(-last.distance / slope, -Self.longestStep), Self.longestStep)
    let wanted = factors[last.place] + step
    // The finest first: the place behind the last one that is no coarser.
    return factors.lastIndex { $0 <= wanted } ?? 0
  }
}
