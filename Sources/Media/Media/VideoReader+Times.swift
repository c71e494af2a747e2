internal import CFFmpeg
package import Formats
internal import MediaTime

extension VideoReader {
  /// The frame of the track that the last answer was made of.
  ///
  /// - Precondition: a picture was asked for and given.
  package func shownFrame() throws(MediaError) -> ShownFrame {
    let time = try demuxer.exact { () throws(TimeError) in try moment(of: shownTick) - demuxer.origin }
    return ShownFrame(time: time, isGuessed: isSequential)
  }

  /// The tick of `time` on the asset's clock, rounded by `whole`. Its magnitude is at most `maxTick`.
  func tick(of time: Rational, _ whole: (Rational) throws(TimeError) -> Int128) throws(MediaError) -> Int64 {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    let ticks = try demuxer.exact { () throws(TimeError) in
      try (time + demuxer.origin) / Rational(Int128(base.num), over: Int128(base.den))
    }
    let tick = try demuxer.exact { () throws(TimeError) in try whole(ticks) }
    return min(max(Int64(clamping: tick), -Self.maxTick), Self.maxTick)
  }

  /// The time of `tick`, in seconds on the container's clock.
  func moment(of tick: Int64) throws(TimeError) -> Rational {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    return try Rational(Int128(tick) * Int128(base.num), over: Int128(base.den))
  }
}
