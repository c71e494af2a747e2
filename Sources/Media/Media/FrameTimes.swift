package import MediaTime

/// The times of a movie's frames that do not follow each other at one rate.
package struct FrameTimes: Hashable, Sendable {
  /// The number of ticks in a second.
  package let timescale: Int32
  /// The time of each frame in ticks, ascending, the first at least 0.
  package let ticks: [Int64]
  /// The tick at which the last frame ends.
  package let end: Int64

  /// - Parameters:
  ///   - times: the times of the frames, each later than the one before; at least one.
  ///   - end: the time at which the last one ends; later than it.
  /// - Throws: `TimeError.overflow` where no clock of 32 bits has a tick at each of them.
  package init(_ times: [MediaTime], end: MediaTime) throws(TimeError) {
    precondition(!times.isEmpty && times[0] >= .zero && times.last.map { $0 < end } ?? false)
    var common: Int64 = 1
    for time in times + [end] {
      common = common / gcd(common, Int64(time.timescale)) * Int64(time.timescale)
      guard common <= Int32.max else { throw .overflow("a clock with a tick at every frame") }
    }
    let scale = Int32(common)
    func tick(_ time: MediaTime) throws(TimeError) -> Int64 { try time.wholeUnits(of: MediaTime(1, scale)) }
    var ticks: [Int64] = []
    ticks.reserveCapacity(times.count)
    for time in times { ticks.append(try tick(time)) }
    (timescale, self.ticks, self.end) = (scale, ticks, try tick(end))
  }

  /// The tick of a frame, or of one that decoding is ahead by before the first one.
  func tick(_ index: Int64) -> Int64 {
    guard index >= 0 else { return ticks[0] + index * (ticks.count > 1 ? ticks[1] - ticks[0] : end - ticks[0]) }
    return index < Int64(ticks.count) ? ticks[Int(index)] : end
  }
}
