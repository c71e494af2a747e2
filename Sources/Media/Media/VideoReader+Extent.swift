internal import CFFmpeg
internal import Formats
internal import MediaTime

extension VideoReader {
  var start: Int64 {
    let start = unsafe demuxer.stream(track.index).pointee.start_time
    return start == spool_AV_NOPTS_VALUE ? 0 : min(max(start, -Self.maxTick), Self.maxTick)
  }

  /// The end of the track in ticks; nil when the file does not state it.
  func statedEnd() throws(MediaError) -> Int64? {
    guard let end = try demuxer.statedEnd(ofTrack: track.index) else { return nil }
    return try tick(of: demuxer.exact { () throws(TimeError) in try end - demuxer.origin }) { $0.floor }
  }

  /// The average number of ticks from frame to frame, or the least where the average is unknown, as in Ogg; a second's when no
  /// frame rate is known.
  var nominalFrame: Int64 {
    let stream = unsafe demuxer.stream(track.index).pointee
    let rate = unsafe stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate
    let base = unsafe stream.time_base
    guard rate.num > 0, rate.den > 0, base.num > 0 else { return ticks(1) }
    return max(1, av_rescale(Int64(rate.den), Int64(base.den), Int64(rate.num) * Int64(base.num)))
  }

  func ticks(_ seconds: Int64) -> Int64 {
    let base = unsafe demuxer.stream(track.index).pointee.time_base
    return max(1, seconds * Int64(base.den) / Int64(max(1, base.num)))
  }

  /// Throws where frames are missing at `goal` that the file says it has. Else the track's last frame is shown for ever.
  func checkNotCutOff(_ last: Shown, _ goal: Int64) throws(MediaError) {
    guard let limit = try limit(after: last), goal > limit else { return }
    throw cutOff
  }

  /// The last tick that may be asked for, where the file is cut off after `last`; nil where it is not cut off, or the end is not
  /// reached.
  func limit(after last: Shown) throws(MediaError) -> Int64? {
    guard hasEnded, next == nil else { return nil }
    let end = max(last.tick, latestSent) + max(min(last.duration, Self.maxTick), nominalFrame)
    return try promisesMore(than: end) ? end + nominalFrame : nil
  }

  var cutOff: MediaError {
    MediaError(.corrupt, at: place, "the picture ends before the track does: the file is cut off or damaged")
  }

  /// Whether the file says that the track goes on after `end`. The format's index tells it. Matroska's index has only keyframes;
  /// there a stated end counts that is more than a second later, since stated durations are inexact. QuickTime's stated ends
  /// prove nothing: edit lists may promise more than there is.
  func promisesMore(than end: Int64) throws(MediaError) -> Bool {
    if demuxer.indexGoesOn(track.index, after: lastRead) { return true }
    guard demuxer.formatName.hasPrefix("matroska"), let stated = try statedEnd() else { return false }
    return stated - end > ticks(1)
  }
}
