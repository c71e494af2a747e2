internal import Formats
internal import Media
internal import MediaTime
internal import Scenes
internal import Timeline

/// The bytes of a movie's file that are neither picture nor sound, as FFmpeg's muxers write them. They were measured, and are right to within a
/// thousandth of a file of usual rates.
struct MovieOverhead: Hashable, Sendable {
  /// The bytes beside the packets.
  let byteCount: Double

  /// - Parameters:
  ///   - edit: an edit with a picture, in mp4, mov, mkv or webm.
  ///   - sound: its sound, as it was encoded.
  init(of edit: ResolvedTimeline, _ sound: SurveyedSound) throws {
    let export = edit.timeline.export
    let (frames, packets) = (Double(try edit.frameCount), Double(sound.packetCount))
    let seconds = edit.exportRange.duration.seconds
    var form = MovieForm(export.fileType, frameDuration: .oneSecond, color: edit.color)
    (form.tags, form.chapters) = (edit.movieTags, try export.movieChapters(in: edit.exportRange))
    var bytes = Double(form.describingByteCount)
    for captions in try edit.carriedCaptions {
      bytes += captions.cues.reduce(500) { $0 + Double($1.text.utf8.count) + 40 }
    }
    switch export.fileType {
    case .mkv, .webm:
      // A block's head, a cluster's for each five seconds, and an entry of the index for each keyframe.
      bytes += 1_000 + 7 * (frames + packets) + seconds * 4
    default:
      // The index: a picture's size, order and place; a sound's size. Where there is sound, the two alternate.
      // Pictures that are decoded in the order in which they are shown have no entry for that.
      let order: Double = [.av1, .vp9].contains(export.video.codec) ? 0 : 8
      bytes += 2_600 + frames * ((packets > 0 ? 7 : 4) + order) + packets * 4
      if let interval = export.pieceInterval { bytes += seconds / interval.seconds * 400 + packets * 4 }
    }
    byteCount = bytes
  }
}
