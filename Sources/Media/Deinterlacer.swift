internal import CFFmpeg
internal import Timeline

/// Makes whole pictures of frames that hold two fields of different moments, by FFmpeg's bwdif.
///
/// A picture depends on its frame and on those before and after it alone. One thread at a time.
final class Deinterlacer {
  private let fields: FieldMarks
  private let work = FieldWork(.deinterlace)

  init(_ track: TrackFacts) { fields = FieldMarks(track) }

  /// Nil for a frame that is whole.
  func order(of frame: OwnedFrame) -> FieldOrder? { fields.order(of: frame) }

  /// The picture of `frame` for the moment of its first field; see `FieldWork.done`.
  func whole(
    _ frame: FieldWork.Frame, before: FieldWork.Frame?, after: FieldWork.Frame?, _ order: FieldOrder, at place: String
  ) throws(MediaError) -> PixelBuffer {
    try work.done(on: frame, before: before, after: after, order, at: place).picture
  }
}

/// What is known of the fields of a track's frames.
struct FieldMarks {
  /// Codecs whose frames say of themselves whether they are interlaced; of others the container knows.
  private static let outspoken: Set<String> = [
    "h264", "mpeg1video", "mpeg2video", "mpeg4", "vc1", "wmv3", "prores", "dvvideo", "dnxhd", "mjpeg", "hevc", "cavs",
  ]

  /// The order that the container and the first picture tell.
  let ofTrack: FieldOrder?
  private let isOutspoken: Bool

  init(_ track: TrackFacts) {
    isOutspoken = Self.outspoken.contains(track.codec)
    ofTrack = if case .video(let video) = track.detail { video.fieldOrder } else { nil }
  }

  /// Nil for a frame that is whole, as far as it or the container says.
  func order(of frame: OwnedFrame) -> FieldOrder? { frame.fieldOrder ?? (isOutspoken ? nil : ofTrack) }
}

extension OwnedFrame {
  /// As the codec says; nil for a frame that is whole.
  var fieldOrder: FieldOrder? {
    let raw = unsafe pointer.pointee
    return unsafe raw.interlaced_frame == 0 ? nil : raw.top_field_first != 0 ? .topFirst : .bottomFirst
  }
}
