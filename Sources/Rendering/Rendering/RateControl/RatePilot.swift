internal import Formats

/// The rate factor from frame to frame of a chunk that is to take its share of the bits in one encoding. It compares what the packets took with
/// what the survey made expect, and changes little: what a whole chunk takes more than expected, it takes at the same quality throughout.
package struct RatePilot: Hashable, Sendable {
  /// The most by which it leaves the factor with which it began.
  private static let mostChange = 3.0
  /// The fall of the logarithm of bits as the factor grows by one.
  private static let slope = 0.12
  /// The share of the bits that count as having been as expected before the first packet came.
  private static let prior = 0.1
  /// The share of the bits at the end in which nothing is changed: it would be changed much for little.
  private static let end = 0.04

  /// The bits that each frame is expected to take. Their sum is the budget.
  private let expected: [Double]
  private let budget: Double
  private let start: Double
  /// The factor for the frames that come.
  package private(set) var factor: Double
  private var taken = 0.0
  /// The bits that would have been taken with the first factor.
  private var takenAtStart = 0.0
  private var expectedSoFar = 0.0

  /// - Parameters:
  ///   - weights: the bits of each frame relative to those of the others; positive.
  ///   - budget: the bits of the chunk.
  ///   - start: the factor for the first frame.
  package init(_ weights: [Double], budget: Double, from start: Double) {
    let sum = weights.reduce(0, +)
    expected = weights.map { $0 / sum * budget }
    (self.budget, self.start, factor) = (budget, start, start)
  }

  /// The factor at which a chunk takes the bits that this one took, about.
  package var meanFactor: Double {
    guard taken > 0, takenAtStart > 0 else { return start }
    return start + (Logarithm.natural(takenAtStart) - Logarithm.natural(taken)) / Self.slope
  }

  /// Takes notice of a packet.
  ///
  /// - Parameter frame: the place of its frame in the chunk.
  package mutating func took(_ bits: Double, by frame: Int) {
    guard expected.indices.contains(frame) else { return }
    taken += bits
    takenAtStart += bits * Exponential.power(Self.slope * (factor - start))
    expectedSoFar += expected[frame]
    let left = budget - expectedSoFar
    guard left > Self.end * budget else { return }
    let prior = Self.prior * budget
    let ratio = (takenAtStart + prior) / (expectedSoFar + prior)
    let share = max(budget - taken, 0.01 * budget)
    let change = Logarithm.natural(left * ratio / share) / Self.slope
    let wanted = start + min(max(change, -Self.mostChange), Self.mostChange)
    // Hundredths are what encoders are told.
    let factors = RateTarget.usualFactors
    factor = (min(max(wanted, factors.lowerBound), factors.upperBound) * 100).rounded() / 100
  }
}
