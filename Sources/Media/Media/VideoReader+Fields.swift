internal import CFFmpeg
internal import Formats

extension VideoReader {
  /// The picture of a frame. An interlaced frame is deinterlaced: its picture is that of its first field's moment.
  func madeWhole(_ shown: Shown, at goal: Int64) throws(MediaError) -> PixelBuffer {
    let picture = try picture(shown)
    guard let deinterlacer, let order = deinterlacer.order(of: shown.frame) else { return picture }
    let (before, after) = try neighbours(of: shown, at: goal)
    return try deinterlacer.whole(
      (shown.tick, picture), before: before.map { (frame) throws(MediaError) in (frame.tick, try self.picture(frame)) },
      after: after.map { (frame) throws(MediaError) in (frame.tick, try self.picture(frame)) }, order, at: place)
  }

  /// The form of the track's alpha; nil where it has none.
  var alpha: AlphaForm? { if case .video(let video) = track.detail { video.alpha } else { nil } }

  func picture(_ shown: Shown) throws(MediaError) -> PixelBuffer {
    try PixelBuffer.decoded(shown.frame, fallback: demuxer.colorTags(ofTrack: track.index), alpha: alpha, at: place)
  }

  /// The frames before and after `shown`, as far as the track has them. They do not depend on where decoding began.
  func neighbours(of shown: Shown, at goal: Int64) throws(MediaError) -> (Shown?, Shown?) {
    if let known = passed.neighbours(of: shown) { return known }
    if current?.frame !== shown.frame { _ = try decoded(at: max(goal, shown.tick)) }
    if previous == nil, current?.isFirstOfTrack == false {
      _ = try decoded(at: shown.tick - 1)
      _ = try decoded(at: max(goal, shown.tick))
    }
    return (previous, next)
  }
}
