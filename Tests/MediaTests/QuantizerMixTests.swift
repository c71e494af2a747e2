import Media
import Testing

@Suite struct `Two quantizers beside each other` {
  @Test(arguments: [2.05, 3.5, 7.31, 29.999])
  func `have the average in any run of frames, and in each third frame`(average: Double) {
    for (first, step) in [(Int64(0), Int64(1)), (100_000, 1), (0, 3), (7, 12)] {
      let found = (0..<1000).map { QuantizerMix.quantizer(average, ofFrame: first + step * $0) }
      #expect(found.allSatisfy { $0 == Int32(average) || $0 == Int32(average) + 1 })
      let mean = Double(found.reduce(0) { $0 + Int($1) }) / 1000
      #expect(abs(mean - average) < 0.01, "\(mean)")
    }
  }

  @Test func `get no finer in any frame where the average gets coarser`() {
    for index in Int64(0)..<200 {
      var last: Int32 = 2
      for step in 0..<400 {
        let found = QuantizerMix.quantizer(2 + Double(step) * 0.005, ofFrame: index)
        #expect(found >= last)
        last = found
      }
    }
  }

  @Test func `are one where the average is a whole number`() {
    for index in Int64(0)..<500 { #expect(QuantizerMix.quantizer(5, ofFrame: index) == 5) }
  }
}
