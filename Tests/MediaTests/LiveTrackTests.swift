import Media
import Testing

@Suite struct `The clock of a track whose fragments are made meanwhile` {
  /// Clocks, and the ticks that a track with all of them has in a second. With the last one, no clock of 32 bits has every 600th of a second, too.
  static let known: [(clocks: [Int32], timescale: Int32)] = [
    ([1, 30], 19_200), ([24_000], 24_000), ([30_000, 1, 24], 30_000), ([48_000], 48_000), ([1_000_000_000], 1_000_000_000),
  ]

  @Test(arguments: known)
  func `has a tick at each of the times that are known, and at every 600th of a second where it can`(
    clocks: [Int32], timescale: Int32
  ) { #expect(LiveTrack.timescale(for: clocks) == timescale) }
}
