internal import Formats

/// The search for the rate factor at which a chunk takes its share of the bits. Each try is a whole encoding, whose bits are counted.
package struct RateSearch: Hashable, Sendable {
  /// The next step after a try.
  package enum Verdict: Hashable, Sendable {
    /// The chunk is done.
    case fits
    /// The chunk is to be encoded again, with the new factor.
    case again
    /// The chunk takes too many bits even where it is as coarse as can be.
    case tooLarge
  }

  private struct Try: Hashable {
    var factor: Double
    var bits: Double
  }

  /// The most tries before the best of them is taken. Four are usual at most.
  package static let mostTries = 10
  /// The fall of the logarithm of bits as the factor grows by one, before two tries tell it.
  private static let usualSlope = 0.12

  /// The bits of the chunk.
  package let budget: Double
  /// The bits by which it may miss them.
  package let tolerance: Double
  /// The factors that the encoder has, in hundredths.
  package let factors: ClosedRange<Double>
  /// The factor for the next try.
  package private(set) var factor: Double
  /// The finest try that was too small, and the coarsest that was too large.
  private var under: Try?
  private var over: Try?
  private var best: Try?
  private var tryCount = 0
  private var isSettled = false

  /// - Parameters:
  ///   - factor: the factor of the first try.
  ///   - factors: the factors that the encoder has.
  package init(
    budget: Double, tolerance: Double, from factor: Double, in factors: ClosedRange<Double> = RateTarget.usualFactors
  ) {
    (self.budget, self.tolerance) = (budget, tolerance)
    self.factors = Self.hundredths(factors.lowerBound)...Self.hundredths(factors.upperBound)
    self.factor = Self.hundredths(min(max(factor, self.factors.lowerBound), self.factors.upperBound))
  }

  /// Judges a try in which the factor was changed from frame to frame.
  ///
  /// - Parameter mean: the factor at which a chunk takes as many bits, about.
  package mutating func judge(bits: Double, at mean: Double, keepsCap: Bool) -> Verdict {
    if keepsCap, abs(bits - budget) <= tolerance { return .fits }
    // It is no try of one factor, so nothing but the next factor follows from it.
    let isOver = bits > budget || !keepsCap
    factor = rounded(mean + step(from: Try(factor: mean, bits: bits), isOver: isOver, keepsCap: keepsCap))
    return .again
  }

  /// Judges a try with `factor`.
  ///
  /// - Parameter keepsCap: whether the packets keep within the bound of the rate.
  package mutating func judge(bits: Double, keepsCap: Bool) -> Verdict {
    tryCount += 1
    if keepsCap {
      let isFinest = factor <= factors.lowerBound && bits < budget
      if isSettled || isFinest || abs(bits - budget) <= tolerance { return .fits }
      if best.map({ abs($0.bits - budget) > abs(bits - budget) }) ?? true { best = Try(factor: factor, bits: bits) }
    }
    let isOver = bits > budget || !keepsCap
    if isOver, factor >= factors.upperBound { return .tooLarge }
    let step = step(from: Try(factor: factor, bits: bits), isOver: isOver, keepsCap: keepsCap)
    if isOver { over = Try(factor: factor, bits: bits) } else { under = Try(factor: factor, bits: bits) }
    if let under, let over {
      let gap = under.factor - over.factor
      if gap <= 0.015 || tryCount >= Self.mostTries { return settle() }
      let share =
        over.bits > budget && under.bits < over.bits && keepsCap
        ? Logarithm.natural(over.bits / budget) / Logarithm.natural(over.bits / max(1, under.bits)) : 0.5
      factor = rounded(over.factor + gap * min(max(share, 0.05), 0.95))
      if factor <= over.factor || factor >= under.factor { return settle() }
    } else {
      if tryCount >= Self.mostTries, best != nil { return settle() }
      factor = rounded(factor + step)
    }
    return .again
  }

  /// The change of the factor where tries are on one side of the budget so far.
  private func step(from last: Try, isOver: Bool, keepsCap: Bool) -> Double {
    var slope = Self.usualSlope
    if let before = isOver ? over : under, before.bits != last.bits, before.factor != last.factor {
      slope = (Logarithm.natural(max(1, before.bits)) - Logarithm.natural(max(1, last.bits))) / (last.factor - before.factor)
      slope = min(max(slope, 0.04), 0.35)
    }
    let step = (Logarithm.natural(max(1, last.bits)) - Logarithm.natural(budget)) / slope
    let bounded = min(max(abs(step), 0.05), 12)
    return isOver ? (keepsCap ? bounded : max(bounded, 2)) : -bounded
  }

  /// Takes the best try, which is made again, because a later one overwrote it.
  private mutating func settle() -> Verdict {
    guard let best else {
      // No try has kept within the bound of the rate yet.
      factor = rounded(factor + 2)
      return .again
    }
    isSettled = true
    if best.factor == factor { return .fits }
    factor = best.factor
    return .again
  }

  /// A factor as encoders are told it, in hundredths.
  private func rounded(_ factor: Double) -> Double { Self.hundredths(min(max(factor, factors.lowerBound), factors.upperBound)) }

  private static func hundredths(_ factor: Double) -> Double { (factor * 100).rounded() / 100 }
}
