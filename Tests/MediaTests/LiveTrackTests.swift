import Media
import Testing

@Suite struct `The clock of a track whose fragments are made meanwhile` {
  @Test(arguments: [
    ([Int32(1), 30], Int32(19_200)), ([24_000], 24_000), ([30_000, 1, 24], 30_000), ([48_000], 48_000),
    // No clock of 32 bits has a tick at every 600th of a second, too.
    ([1_000_000_000], 1_000_000_000),
  ]) func `has a tick at each of the times that are known, and at every 600th of a second where it can`(
    clocks: [Int32], timescale: Int32
  ) { #expect(LiveTrack.timescale(for: clocks) == timescale) }
}
