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
    to descriptor: Int32, progress: () -> Void
  ) throws {
    let track = try MovieTrack([segment], unit: try AVRational(frameDuration ?? .oneSecond), subtractsDelay: false) { segment in
      try segment.require(FileDigest(of: segment.path) { _ in progress() })
    }
    guard track.parameters.isPicture == (frameDuration != nil), !track.isAtEnd else {
      throw MediaError(.corrupt, at: segment.path, "holds another kind of track than was asked for")
    }
    let file = try OutputFile(handed: descriptor, at: segment.path)
    let writer = try ContainerWriter(file, format: "mp4")
    _ = try writer.addStream(track, nil, color, hdrMetadata, in: .mp4, of: video)
    var options = ["movflags": "+empty_moov+default_base_moof+frag_custom+write_colr", "strict": "experimental"]
    if let frameDuration { options["video_track_timescale"] = String(TrackFragments.timescale(of: frameDuration)) }
    try writer.start(options: options)
    try file.flush()
    let delay = frameDuration.map { track.parameters.reorderDepth * TrackFragments.ticksPerFrame($0) }
    guard let skipped = UInt32(exactly: delay ?? Int64(track.parameters.priming)) else {
      throw MediaError(.unsupported, at: segment.path, "its frames are reordered over too long a time")
    }
    guard skipped > 0 else { return }
    let made = try file.head(Self.longest)
    guard let edited = withEditList(made[...], skipping: skipped) else {
      throw MediaError(.internal, at: segment.path, "the opening of its track has no header")
    }
    try file.replaceHead(by: edited)
  }

  /// The most bytes of an opening. Parameter sets have a few hundred.
  package static let longest = 1 << 20

  /// The boxes from the movie's down to the track's, which grow with what is put into them.
  private static let path = ["moov", "trak"]

  /// The boxes with an edit list behind the track's header: players begin at the tick `skipped`. A duration of 0 stands for all fragments
  /// that follow.
  ///
  /// - Returns: nil where there is no track.
  private static func withEditList(
    _ boxes: ArraySlice<UInt8>, skipping skipped: UInt32, below path: ArraySlice<String> = path[...]
  )
    -> [UInt8]?
  {
    var (start, isFound, made) = (boxes.startIndex, false, [UInt8]())
    while start + 8 <= boxes.endIndex {
      let size = boxes[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
      let type = String(decoding: boxes[start + 4..<start + 8], as: UTF8.self)
      guard size >= 8, size <= boxes.endIndex - start else { return nil }
      if let next = path.first, type == next, !isFound {
        guard let content = withEditList(boxes[start + 8..<start + size], skipping: skipped, below: path.dropFirst()) else {
          return nil
        }
        made += BoxBytes.box(type, content)
        isFound = true
      } else {
        made += boxes[start..<start + size]
        if path.isEmpty, type == "tkhd" {
          var list = BoxBytes(full: "elst", version: 0, flags: 0)
          for number in [1, 0, skipped, 0x0001_0000] { list.add(number) }
          made += BoxBytes.box("edts", list.bytes)
          isFound = true
        }
      }
      start += size
    }
    return isFound ? made : nil
  }
}
