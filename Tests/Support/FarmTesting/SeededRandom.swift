internal import FoundationEssentials

/// Random numbers that depend on a seed alone (SplitMix64). A test that fails prints its seed, and fails again with it.
package struct SeededRandom: RandomNumberGenerator, Sendable {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var z = state
    z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
    z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
    return z ^ (z >> 31)
  }

  /// True with the given probability.
  package mutating func chance(_ probability: Double) -> Bool { Double.random(in: 0..<1, using: &self) < probability }
}

extension SeededRandom {
  /// The seeds of a randomised test: `count` of them, or as many as the environment variable named `longForm` says.
  package static func seeds(count: UInt64, longForm: String) -> Range<UInt64> {
    0..<(ProcessInfo.processInfo.environment[longForm].flatMap { UInt64($0) } ?? count)
  }
}
