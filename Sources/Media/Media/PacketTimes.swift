internal import CFFmpeg
package import Formats
package import MediaTime

/// The presentation times of a track's packets, as its container states them, without decoding.
package struct PacketTimes: Hashable, Sendable {
  /// The times in order of presentation, on the asset's clock, in seconds.
  package let presentation: [Rational]
  /// The duration of a tick of the track, in seconds. Containers round times to it.
  package let tick: Rational

  /// The times of so many pictures, each of which lasts equally long.
  package init(every frameDuration: MediaTime, count: Int) throws(TimeError) {
    var times: [Rational] = []
    times.reserveCapacity(count)
    for index in 0..<count { times.append(try Rational(frameDuration) * Rational(Int64(index))) }
    self.init(presentation: times, tick: Rational(frameDuration))
  }

  init(presentation: [Rational], tick: Rational) { (self.presentation, self.tick) = (presentation, tick) }

  /// Reads the whole file.
  ///
  /// - Parameter progress: called after each packet with the number of packets so far.
  /// - Throws: `MediaError`; `corrupt` for a packet without a time.
  package init(
    path: String, track: TrackFacts, policy: SourcePolicy, progress: (Int) -> Void = { _ in }
  ) throws(MediaError) {
    let demuxer = try Demuxer(path: path, track: track, policy: policy)
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    var ticks: [Int64] = []
    while try demuxer.nextPacket(of: track.index) {
      let time = unsafe demuxer.packet.pointer.pointee.pts
      guard time != spool_AV_NOPTS_VALUE else {
        throw MediaError(.corrupt, at: "\(path) track \(track.index)", "packet \(ticks.count) has no time")
      }
      ticks.append(time)
      progress(ticks.count)
    }
    let unit = try demuxer.exact { () throws(TimeError) in try Rational(Int128(base.num), over: Int128(base.den)) }
    var times: [Rational] = []
    times.reserveCapacity(ticks.count)
    for tick in ticks.sorted() {
      times.append(try demuxer.exact { () throws(TimeError) in try Rational(tick) * unit - demuxer.origin })
    }
    (presentation, self.tick) = (times, unit)
  }
}
