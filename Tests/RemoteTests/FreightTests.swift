import Remote
import Testing

@Suite struct FreightTests {
  private let start = ContinuousClock.now
  private static let mebibyte: Int64 = 1 << 20

  /// The reports, as seconds and units, for the number of bytes that have come by each second.
  private func told(_ byteCounts: [Int64], each: Duration = .seconds(1)) -> [[Int64]] {
    var freight = Freight(now: start)
    return byteCounts.enumerated().compactMap { number, byteCount in
      freight.move(to: byteCount, now: start + each * number) ? [Int64(number), freight.units] : nil
    }
  }

  @Test func `mebibytes are units, told once a second`() {
    #expect(told((0...4).map { $0 * 3 * Self.mebibyte }) == [[1, 3], [2, 6], [3, 9], [4, 12]])
    #expect(told((0...9).map { $0 * Self.mebibyte }, each: .milliseconds(300)) == [[4, 4], [8, 8]])
  }

  @Test func `where nothing comes there is a unit every five seconds, and each counts once`() {
    #expect(told(Array(repeating: 0, count: 12)) == [[5, 1], [10, 2]])
    // A few bytes come each second.
    #expect(told((0..<12).map { $0 * 10_000 }) == [[5, 1], [10, 2]])
    #expect(told([0, 0, 0, 0, 0, 0, 2, 2, 5].map { $0 * Self.mebibyte }) == [[5, 1], [6, 3], [8, 6]])
  }

  @Test func `what is sent again takes nothing back`() {
    #expect(told([0, 9, 0, 1, 2, 3, 4, 5, 9].map { $0 * Self.mebibyte }) == [[1, 9], [6, 10], [7, 11], [8, 15]])
  }

  @Test func `units are never more than the mebibytes and signs`() {
    var freight = Freight(now: start)
    for second in 0..<100 as Range<Int64> {
      _ = freight.move(to: (second * 7 % 30) << 20, now: start + .seconds(second))
      #expect(freight.units <= 30 + freight.signs)
    }
  }
}
