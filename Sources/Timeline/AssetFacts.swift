package import MediaTime

/// What probing an asset found: typed facts per track. Times count from the asset's presentation zero
/// (the container's zero; where every track starts later, the earliest start).
package struct AssetFacts: Hashable, Sendable, Codable {
  /// FFmpeg's name of the container format, such as "mov,mp4,m4a,3gp,3g2,mj2".
  package var container: String
  /// The longest track's end; zero when unknown.
  package var duration: MediaTime
  package var byteCount: Int64
  package var tracks: [TrackFacts]
  /// What its server calls this content of a URL; nil for a file.
  package var version: String?
  /// What it says of itself in words; nil for nothing, and for what is not plain text.
  package var comment: String?

  package init(
    container: String, duration: MediaTime, byteCount: Int64, tracks: [TrackFacts], version: String? = nil,
    comment: String? = nil
  ) {
    (self.container, self.duration, self.byteCount, self.tracks) = (container, duration, byteCount, tracks)
    self.version = version
    self.comment = comment.flatMap { Self.isPlain($0) ? $0 : nil }
  }

  /// Whether the file holds one picture without time: FFmpeg demuxes PNG, JPEG, WebP and the like as "png_pipe" and so on.
  package var isStillPicture: Bool { Self.isStillPicture(container) }

  package static func isStillPicture(_ container: String) -> Bool { container == "image2" || container.hasSuffix("_pipe") }

  /// What an animated WebP's container is called, after its kind of file.
  package static let animatedWebP = "webp"

  /// Whether its first picture may stand for it where a still picture is needed.
  package var showsFirstPicture: Bool { container == Self.animatedWebP }

  /// How long all of it is as a clip, its picture and its sound alike, so that both stay together in a row of clips: to the end of its
  /// picture, or of its sound where it has no picture. Nil when that is unknown, and for a still picture.
  package var clipDuration: MediaTime? {
    guard !isStillPicture else { return nil }
    let tracks = playableTracks(.video).isEmpty ? playableTracks(.audio) : playableTracks(.video)
    let end = tracks.filter { !$0.timeRange.isEmpty }.map(\.timeRange.end).max() ?? duration
    let known = duration > .zero ? min(end, duration) : end
    return known > .zero ? known : nil
  }

  /// The tracks of a kind that can be decoded, in file order.
  package func playableTracks(_ media: MediaKind) -> [TrackFacts] {
    tracks.filter { $0.media == media && $0.rejection == nil }
  }
}

package enum MediaKind: String, Hashable, Sendable, Codable, CaseIterable { case video, audio }

/// One track (FFmpeg stream) of an asset.
package struct TrackFacts: Hashable, Sendable, Codable {
  package enum Detail: Hashable, Sendable, Codable {
    case video(VideoFacts)
    case audio(AudioFacts)
    /// Subtitles, data, attachments, attached pictures: not composable.
    case other
  }

  /// The stream's index in the container.
  package var index: Int
  /// FFmpeg's codec name, "unknown" when it has none.
  package var codec: String
  /// Ticks per second of the track's own timestamps (naturalTimeScale).
  package var naturalTimeScale: Int32
  /// Presentation start and duration after the edit list; duration zero when unknown.
  package var timeRange: MediaTimeRange
  package var detail: Detail
  /// Up to where a file that was cut off holds the track, as far as its index tells; nil when it holds it all.
  package var intactEnd: MediaTime?
  /// True of a still picture of which not all can be decoded.
  package var isDamaged: Bool?
  /// Why the track cannot be decoded (encrypted, no decoder, no parameters); nil when it can.
  package var rejection: String?

  package init(
    index: Int, codec: String, naturalTimeScale: Int32, timeRange: MediaTimeRange, detail: Detail, intactEnd: MediaTime? = nil,
    rejection: String? = nil
  ) {
    (self.index, self.codec, self.naturalTimeScale) = (index, codec, naturalTimeScale)
    (self.timeRange, self.detail, self.intactEnd, self.rejection) = (timeRange, detail, intactEnd, rejection)
  }

  package var media: MediaKind? {
    switch detail {
    case .video: .video
    case .audio: .audio
    case .other: nil
    }
  }
}

package struct VideoFacts: Hashable, Sendable, Codable {
  /// The coded picture, after the bitstream's own cropping.
  package var naturalSize: PixelSize
  /// The part of it that is to be seen, in its pixels; nil is all of it.
  package var cleanAperture: Rect?
  /// What a viewer sees: clean aperture taken, pixels made square, orientation applied.
  package var displaySize: PixelSize
  package var orientation: Orientation
  /// Width of a pixel over its height; 1/1 when the file does not say.
  package var pixelAspect: PixelSize
  /// Average frames per second as an exact fraction; nil when unknown (and for a single picture).
  package var nominalFrameRate: MediaTime?
  /// The lowest rate on whose grid the first frames stand, as FFmpeg guesses it: the nominal rate unless frames vary in length.
  package var baseFrameRate: MediaTime?
  /// FFmpeg's pixel format name.
  package var pixelFormat: String
  package var bitDepth: Int
  /// As tagged in the file; where it is of a kind that has the same colours whenever nothing else is said, those. Other unknowns stay
  /// unknown.
  package var color: ColorTags
  /// Nil when the file says nothing of it.
  package var hdrMetadata: HDRMetadata?
  /// Nil for whole pictures, as far as the container or the first pictures tell.
  package var fieldOrder: FieldOrder?
  /// How often the first pictures say that one of their fields is shown again: film by 2:3 pulldown says so in every second one. Nil where none
  /// does.
  package var repeatedFields: RepeatedFields?

  package init(
    naturalSize: PixelSize, cleanAperture: Rect? = nil, displaySize: PixelSize, orientation: Orientation, pixelAspect: PixelSize,
    nominalFrameRate: MediaTime?, pixelFormat: String, bitDepth: Int, color: ColorTags, baseFrameRate: MediaTime? = nil,
    hdrMetadata: HDRMetadata? = nil, fieldOrder: FieldOrder? = nil, repeatedFields: RepeatedFields? = nil
  ) {
    (self.naturalSize, self.cleanAperture) = (naturalSize, cleanAperture)
    (self.displaySize, self.orientation) = (displaySize, orientation)
    (self.pixelAspect, self.nominalFrameRate, self.baseFrameRate) = (pixelAspect, nominalFrameRate, baseFrameRate)
    (self.pixelFormat, self.bitDepth, self.color, self.hdrMetadata) = (pixelFormat, bitDepth, color, hdrMetadata)
    (self.fieldOrder, self.repeatedFields) = (fieldOrder, repeatedFields)
  }
}

/// Pictures that say that their first field is shown again, among the first pictures of a track.
package struct RepeatedFields: Hashable, Sendable, Codable {
  package var count: Int
  /// That were looked at.
  package var pictures: Int

  package init(count: Int, pictures: Int) { (self.count, self.pictures) = (count, pictures) }
}

/// The eight ways a stored picture is turned to be seen, numbered as EXIF numbers them.
/// `rotated90` means: turn the stored picture 90 degrees clockwise to see it upright.
package enum Orientation: Int, Hashable, Sendable, Codable, CaseIterable {
  case up = 1, mirrored, rotated180, flipped, transposed, rotated90, transversed, rotated270

  /// Whether width and height change places.
  package var swapsAxes: Bool { rawValue >= 5 }
}

package struct AudioFacts: Hashable, Sendable, Codable {
  /// Samples per second.
  package var sampleRate: Int32
  package var channelCount: Int
  /// FFmpeg's layout name, such as "stereo" or "5.1".
  package var channelLayout: String

  package init(sampleRate: Int32, channelCount: Int, channelLayout: String) {
    (self.sampleRate, self.channelCount, self.channelLayout) = (sampleRate, channelCount, channelLayout)
  }
}
