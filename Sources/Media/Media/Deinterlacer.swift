internal import CFFmpeg
internal import Formats

/// Makes progressive pictures from interlaced frames, by FFmpeg's bwdif.
///
/// A picture depends only on its frame and on the frames before and after it. One thread at a time. See
/// docs/decisions/0026-fields-made-whole.md.
final class Deinterlacer {
  private let fields: FieldMarks
  private let work = FieldWork(.deinterlace)
  private let alphaWork = FieldWork(.deinterlace)

  init(_ track: TrackFacts) { fields = FieldMarks(track) }

  /// The field order of a frame; nil for a progressive one.
  func order(of frame: OwnedFrame) -> FieldOrder? { fields.order(of: frame) }

  /// The picture of `frame` at the moment of its first field; see `FieldWork.done`.
  func whole(
    _ frame: FieldWork.Frame, before: FieldWork.Frame?, after: FieldWork.Frame?, _ order: FieldOrder, at place: String
  ) throws(MediaError) -> PixelBuffer {
    let picture = try work.done(on: frame, before: before, after: after, order, at: place).picture
    guard let alpha = frame.picture.alpha else { return picture }
    // A frame without alpha is opaque, and need not be compared with: it counts as missing.
    func plane(_ frame: FieldWork.Frame?) -> FieldWork.Frame? {
      frame.flatMap { frame in frame.picture.alpha.map { (frame.tick, $0.full) } }
    }
    let full = try alphaWork.done(on: (frame.tick, alpha.full), before: plane(before), after: plane(after), order, at: place)
    return picture.with(try PixelBuffer.Alpha(full: full.picture, for: picture.format))
  }
}

/// Tells which frames of a track are interlaced, and in which field order.
struct FieldMarks {
  /// The codecs whose frames state whether they are interlaced. For all other codecs the container states it.
  private static let outspoken: Set<String> = [
    "h264", "mpeg1video", "mpeg2video", "mpeg4", "vc1", "wmv3", "prores", "dvvideo", "dnxhd", "mjpeg", "hevc", "cavs",
  ]

  /// The field order that the container or the first picture states; nil where neither does.
  let ofTrack: FieldOrder?
  private let isOutspoken: Bool

  init(_ track: TrackFacts) {
    isOutspoken = Self.outspoken.contains(track.codec)
    ofTrack = if case .video(let video) = track.detail { video.fieldOrder } else { nil }
  }

  /// The field order of a frame; nil where the frame, or the container in its place, says that it is progressive or nothing.
  func order(of frame: OwnedFrame) -> FieldOrder? { frame.fieldOrder ?? (isOutspoken ? nil : ofTrack) }
}

extension OwnedFrame {
  /// The field order that the codec states; nil for a progressive frame.
  var fieldOrder: FieldOrder? {
    let raw = unsafe pointer.pointee
    return unsafe raw.interlaced_frame == 0 ? nil : raw.top_field_first != 0 ? .topFirst : .bottomFirst
  }
}
