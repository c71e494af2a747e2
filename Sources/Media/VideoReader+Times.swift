internal import CFFmpeg
internal import MediaTime
package import Timeline

extension VideoReader {
  /// Which of the track's frames the picture is made of that was asked for last.
  ///
  /// - Precondition: one was given.
  package func shownFrame() throws(MediaError) -> ShownFrame {
    let time = try demuxer.exact { () throws(TimeError) in try moment(of: shownTick) - demuxer.origin }
    return ShownFrame(time: time, isGuessed: isSequential)
  }

  /// The tick of `time`, made whole by `whole`.
  func tick(of time: Rational, _ whole: (Rational) -> Int128) throws(MediaError) -> Int64 {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    let ticks = try demuxer.exact { () throws(TimeError) in
      try (time + demuxer.origin) / Rational(Int128(base.num), over: Int128(base.den))
    }
    let tick = whole(ticks)
    return min(max(Int64(clamping: tick), -Self.maxTick), Self.maxTick)
  }

  /// In container seconds.
  func moment(of tick: Int64) throws(TimeError) -> Rational {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    return try Rational(Int128(tick) * Int128(base.num), over: Int128(base.den))
  }
}
