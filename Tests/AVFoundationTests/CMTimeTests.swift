import CoreMedia
import Testing

@Suite struct `Core Media's times` {
  @Test func `a sum has the least common timescale`() {
    #expect(CMTime(value: 1, timescale: 30) + CMTime(value: 1, timescale: 24) == CMTime(value: 9, timescale: 120))
  }
}
