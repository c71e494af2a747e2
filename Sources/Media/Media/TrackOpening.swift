internal import CFFmpeg
package import Formats
internal import Glibc
internal import Linux
package import MediaTime

/// The opening of a track whose fragments follow: `ftyp` and `moov`, with the codec's parameter sets. FFmpeg's muxer writes it as it writes
/// the movie's own.
package enum TrackOpening {
  /// - Parameters:
  ///   - segment: a segment file of the track; all have the same parameter sets.
  ///   - video: the settings with which pictures were encoded.
  ///   - frameDuration: the duration of a frame; nil for sound.
  ///   - descriptor: an empty file, which stays the caller's.
  ///   - progress: called now and then while the segment is proved.
  /// - Throws: `MediaError` naming the segment file where it is not what its facts say, or the file.
  package static func write(
    of segment: SegmentInput, video: VideoCodecSettings?, frameDuration: MediaTime?, color: ColorTags, hdrMetadata: HDRMetadata?,
    to descriptor: Int32, progress: @escaping () -> Void
  ) throws {
    let track = try MovieTrack(
      [segment], unit: try AVRational(frameDuration ?? .oneSecond), subtractsDelay: false,
      from: SegmentSupply { _ in progress() })
    guard track.parameters.isPicture == (frameDuration != nil), !track.isAtEnd else {
      throw MediaError(.corrupt, at: segment.path, "holds another kind of track than was asked for")
    }
    let file = try OutputFile(handed: descriptor, at: segment.path)
    let writer = try ContainerWriter(file, format: "mp4")
    _ = try writer.addStream(track, sound: nil, color: color, hdrMetadata: hdrMetadata, in: .mp4, of: video)
    var options = ["movflags": "+empty_moov+default_base_moof+frag_custom+write_colr", "strict": "experimental"]
    if let frameDuration { options["video_track_timescale"] = String(TrackFragments.timescale(of: frameDuration)) }
    try writer.start(options: options)
    try file.flush()
    let delay = frameDuration.map { track.parameters.reorderDepth * TrackFragments.ticksPerFrame($0) }
    guard let skipped = UInt32(exactly: delay ?? Int64(track.parameters.priming)) else {
      throw MediaError(.unsupported, at: segment.path, "its frames are reordered over too long a time")
    }
    guard skipped > 0 else { return }
    let words = OpeningBoxes.Track(skipped: skipped)
    guard let edited = OpeningBoxes.completed(try file.head(Self.longest), [words], lasting: nil) else {
      throw MediaError(.internal, at: segment.path, "the opening of its track has no header")
    }
    try file.replaceHead(by: edited)
  }

  /// The most bytes of an opening. Parameter sets have a few hundred.
  package static let longest = 1 << 20
}
