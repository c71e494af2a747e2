package import Formats
package import MediaTime

/// The format of the file that the edit becomes, and the part of the edit that it holds.
package struct ExportSettings: Hashable, Sendable {
  package var fileType: FileType
  package var video: VideoCodecSettings
  package var audio: AudioCodecSettings
  /// Whether the index stands before the media, so that playback can start before the download ends (mp4 and mov).
  package var optimizeForNetworkUse: Bool
  /// The length of the fragments in which the movie is written (mp4, mov and m4a); nil writes it in one piece.
  package var fragmentInterval: MediaTime?
  /// The time code of the movie's first frame (mp4, mov and mxf); nil writes none, or in mxf that of 0.
  package var timecode: MovieTimecode?
  /// The size that the picture does not exceed, upright or turned by a quarter; nil is any. A larger picture is scaled down.
  package var maximumSize: PixelSize?
  /// The factor of the picture's size, within `DocumentLimits.renderScale`. It comes before `maximumSize`.
  package var renderScale = 1.0
  /// The part of the frame that players show, in whole pixels of it (mp4, mov); nil is all of it.
  package var cleanAperture: Rect?
  /// The part of the edit that is exported, for picture and sound alike; nil is the whole edit.
  package var timeRange: MediaTimeRange?
  /// The effects on the whole sound, in their order, before it is brought to a loudness.
  package var effects: [SoundEffect] = []
  /// The loudness to which the whole sound is brought; nil leaves it as it is mixed.
  package var loudness: LoudnessTarget?
  /// The sounds among which players choose, in the order of the movie's tracks. Without any, the movie has one sound of all tracks.
  package var sounds: [MovieSound] = []
  /// The versions of the movie beside its main picture, of a movie in pieces.
  package var renditions: [Rendition] = []
  /// The words that describe the movie in its file.
  package var tags = MovieTags()
  /// The descriptions that the movie's file takes over of a source's; nil for none.
  package var keptTags: KeptTags?
  /// The named parts of the edit. The first begins at 0, and each ends where the next begins.
  package var chapters: [Chapter] = []
  /// How many times an animation is played; nil is for ever.
  package var playCount: Int?
  /// The names of the pictures of a sequence; nil is the usual ones.
  package var sequence: PictureNames?
  /// The checksums that stand in a file beside the movie; nil where there are none.
  package var checksum: ChecksumMethod?
  /// The still picture that stands for the movie, in a file of its own; nil for none.
  package var poster: MoviePoster?
  /// The small pictures for those who search in the movie; nil for none.
  package var thumbnails: MovieThumbnails?
  /// The frames and the sound that are copied from sources; nil before a job's submission, and where none are.
  package var copies: CopyPlan?

  /// The beginning of a named part of the edit.
  package struct Chapter: Hashable, Sendable {
    package var title: String
    /// The time in the edit.
    package var start: MediaTime

    package init(_ title: String, at start: MediaTime) { (self.title, self.start) = (title, start) }
  }

  package init(
    fileType: FileType = .mp4, video: VideoCodecSettings = .h264(), audio: AudioCodecSettings = .aac(),
    optimizeForNetworkUse: Bool = false, maximumSize: PixelSize? = nil, timeRange: MediaTimeRange? = nil
  ) {
    (self.fileType, self.video, self.audio) = (fileType, video, audio)
    (self.optimizeForNetworkUse, self.maximumSize, self.timeRange) = (optimizeForNetworkUse, maximumSize, timeRange)
  }
}

extension ExportSettings {
  /// The frames from one forced keyframe to the next, counted from the movie's first; nil where the encoder chooses all keyframes.
  package func forcedKeyInterval(_ frameDuration: MediaTime) -> Int? {
    pieceInterval.map { Int(clamping: $0.units(of: frameDuration)) }
  }

  /// The length of the fragments or pieces in which the movie is written; nil where it is in one piece.
  package var pieceInterval: MediaTime? {
    // Six seconds are what HLS's authoring specification asks for.
    fragmentInterval ?? (fileType == .cmaf ? MediaTime(seconds: 6) : nil)
  }

  /// The files of a movie that is a folder; nil for a file.
  package var folderFiles: FolderFiles? { fileType == .cmaf ? .pieces : pictureNames.map(FolderFiles.pictures) }

  /// The reason for which the movie cannot be read from front to back, in words; nil where it can.
  package var objectionToPipe: String? {
    switch fileType {
    case .pngSequence, .jpegSequence, .tiffSequence: "\(fileType) is a folder of pictures, and no stream"
    case .cmaf: "cmaf is a folder of pieces, and no stream: use mp4 with export.fragmentInterval"
    case .mxf, .avi: "\(fileType) is read from its end: use mkv or mpegts, or name a file"
    case .mp4, .mov, .m4a:
      optimizeForNetworkUse || fragmentInterval != nil
        ? nil
        : "\(fileType) is read from its end: set export.fragmentInterval or optimizeForNetworkUse, use mkv or mpegts, or name a file"
    case .mkv, .webm, .mpegts, .gif, .apng, .webp, .mp3, .wav, .aiff, .flac, .ogg: nil
    }
  }

  /// The names of the pictures where the movie is a sequence of them; nil elsewhere.
  package var pictureNames: PictureNames? { fileType.isSequence ? sequence ?? .usual(fileType) : nil }

  /// The chapters that a part of the edit has, in the movie's time.
  ///
  /// - Parameter range: the part of the edit that the movie shows.
  package func movieChapters(in range: MediaTimeRange) throws(TimeError) -> [MovieChapter] {
    var found: [MovieChapter] = []
    for (index, chapter) in chapters.enumerated() {
      let end = index + 1 < chapters.count ? chapters[index + 1].start : range.end
      let (first, last) = (max(chapter.start, range.start), min(end, range.end))
      guard first < last else { continue }
      found.append(
        MovieChapter(chapter.title, try MediaTimeRange(start: first - range.start, duration: last - first)))
    }
    return found
  }

  /// FFmpeg's names of the encoders that a build of FFmpeg may lack, of a movie with a picture, sound or both.
  package func optionalEncoders(hasPicture: Bool, hasSound: Bool) -> [String] {
    let audios = sounds.isEmpty ? [audio] : sounds.map(\.audio)
    let names = (hasPicture ? [video.coding.coder.encoderName] : []) + (hasSound ? audios.map(\.coding.coder.encoderName) : [])
    return names.filter(Self.optionalEncoders.contains).reduce(into: []) { if !$0.contains($1) { $0.append($1) } }
  }

  /// The encoders that are libraries of their own, except for those that every farm has had from the start.
  package static let optionalEncoders = ["libx265", "libsvtav1", "libvpx-vp9", "libopus", "libwebp"]
}
