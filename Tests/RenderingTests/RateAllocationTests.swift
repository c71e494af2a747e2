import FarmTesting
import Formats
import Messages
import Rendering
import Testing

/// The allocation of a movie's bits, and the search for a chunk's share.
@Suite struct RateAllocationTests {
  /// A section of 100 frames with so many bytes each at the finer factor, and half at the coarser.
  private func section(_ index: Int, _ bytes: Int) -> SurveyedSection {
    SurveyedSection(
      frames: FrameRange(first: 100 * index, count: 100),
      byteCounts: [Array(repeating: bytes, count: 100), Array(repeating: bytes / 2, count: 100)])
  }

  private func bits(_ allocation: RateAllocation, ofSection index: Int) -> Double {
    allocation.bits(of: FrameRange(first: 100 * index, count: 100))
  }

  @Test func `what is hard gets more bits, at one rate factor for all`() {
    let survey = RateSurvey(sections: [section(0, 8000), section(1, 1000), section(2, 1000)])
    let allocation = RateAllocation(4_000_000, over: survey, within: nil, frameSeconds: 0.04)
    #expect(abs(allocation.bits(of: FrameRange(first: 0, count: 300)) - 4_000_000) < 1)
    #expect(abs(bits(allocation, ofSection: 0) / bits(allocation, ofSection: 1) - 8) < 0.001)
    // A half of the bits at the finer factor, which is the coarser one.
    #expect(abs(allocation.factor - 34) < 0.001)
  }

  @Test func `shares do not depend on the division`() {
    let survey = RateSurvey(sections: [section(0, 900), section(1, 5000), section(2, 20)])
    let allocation = RateAllocation(2_000_000, over: survey, within: nil, frameSeconds: 0.04)
    for borders in [[0, 300], [0, 37, 120, 300], [0, 1, 2, 99, 100, 101, 250, 300]] {
      let shares = zip(borders, borders.dropFirst()).map { allocation.bits(of: FrameRange(first: $0, count: $1 - $0)) }
      #expect(abs(shares.reduce(0, +) - 2_000_000) < 1)
    }
  }

  @Test func `a section gets no more than the bound of the rate lets through, and the others the rest`() {
    let survey = RateSurvey(sections: [section(0, 8000), section(1, 1000)])
    let cap = RateCap(maxBitRate: 500_000, bufferSize: 500_000)
    let allocation = RateAllocation(3_000_000, over: survey, within: cap, frameSeconds: 0.04)
    #expect(bits(allocation, ofSection: 0) <= 2_000_000 * 15 / 16)
    #expect(abs(allocation.bits(of: FrameRange(first: 0, count: 200)) - 3_000_000) < 1)
  }

  @Test(arguments: 0..<200) func `a search finds the share of an encoder that is not as foreseen`(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let (slope, level) = (Double.random(in: 0.06...0.25, using: &random), Double.random(in: -1.5...1.5, using: &random))
    let budget = Double.random(in: 1e4...1e8, using: &random)
    let factor = Double.random(in: 15...38, using: &random)
    // An encoder whose bits are those of the budget near the factor, but for its level, its slope and some noise.
    let noise = (0..<100).map { _ in Double.random(in: -0.0015...0.0015, using: &random) }
    func bits(_ tried: Double) -> Double {
      budget * Exponential.power(level + slope * (factor - tried) + noise[Int(tried * 100) % 100])
    }
    var search = RateSearch(budget: budget, tolerance: 0.006 * budget, from: factor)
    var tryCount = 0
    while true {
      tryCount += 1
      let found = bits(search.factor)
      let verdict = search.judge(bits: found, keepsCap: true)
      if verdict == .fits {
        if search.factor > search.factors.lowerBound { #expect(abs(found / budget - 1) <= 0.006, "seed \(seed)") }
        break
      }
      if verdict == .tooLarge {
        #expect(bits(51) > budget, "seed \(seed)")
        break
      }
      guard tryCount < 12 else {
        Issue.record("seed \(seed): no end")
        break
      }
    }
    #expect(tryCount <= 6, "seed \(seed)")
  }

  @Test func `a search gets coarser where the bound of the rate is missed`() {
    var search = RateSearch(budget: 1000, tolerance: 1, from: 20)
    #expect(search.judge(bits: 900, keepsCap: false) == .again)
    #expect(search.factor > 20)
    // A coarser try keeps it, and no finer one does: that one is taken.
    var tries = 1
    while tries < 30, search.judge(bits: 800, keepsCap: search.factor > 24.4) == .again { tries += 1 }
    #expect(search.factor > 24.4)
    #expect(tries < 15)
  }
}
