package import MediaTime

/// The facts that probing found about an asset, typed, for each track. Times count from the asset's presentation zero: the
/// container's zero, or the earliest start where every track starts later.
package struct AssetFacts: Hashable, Sendable, Codable {
  /// FFmpeg's name for the container format, such as "mov,mp4,m4a,3gp,3g2,mj2".
  package var container: String
  /// The end of the longest track; zero when it is unknown.
  package var duration: MediaTime
  package var byteCount: Int64
  package var tracks: [TrackFacts]
  /// The server's name for this version of a URL's content (its entity tag); nil for a file.
  package var version: String?
  /// The comment in the container's metadata; nil where there is none or it is not plain text.
  package var comment: String?
  /// The descriptions in its file; nil for none. An edit keeps those that its movie takes over, because they may tell where and by whom the
  /// asset was taken.
  package var words: SourceWords?
  /// The facts of a font file, which has no tracks; nil for media.
  package var font: FontFacts?
  /// The time code of its picture; nil where it states none.
  package var timecode: SourceTimecode?

  package init(
    container: String, duration: MediaTime, byteCount: Int64, tracks: [TrackFacts], version: String? = nil,
    comment: String? = nil
  ) {
    (self.container, self.duration, self.byteCount, self.tracks) = (container, duration, byteCount, tracks)
    self.version = version
    self.comment = comment.flatMap { Self.isPlain($0) ? $0 : nil }
  }

  /// Whether the file holds one picture without time. FFmpeg names the containers of PNG, JPEG, WebP and the like "png_pipe" and
  /// so on.
  package var isStillPicture: Bool { Self.isStillPicture(container) }

  package static func isStillPicture(_ container: String) -> Bool { container == "image2" || container.hasSuffix("_pipe") }

  /// Whether the asset is a still picture that is as sharp as it is drawn large.
  package var isVector: Bool { container == Self.vector }

  /// The container's name for an SVG picture.
  package static let vector = "svg_pipe"

  /// The container's name for an animated WebP, in this project.
  package static let animatedWebP = "webp"

  /// Whether the asset's first picture may be used where a still picture is needed: it is a file of pictures, of which there may be several.
  package var showsFirstPicture: Bool { [Self.animatedWebP, "gif", "apng"].contains(container) }

  /// Whether the asset is a file of pictures that has more than one.
  package var isAnimatedPicture: Bool {
    showsFirstPicture
      && tracks.contains { track in
        guard case .video(let video) = track.detail else { return false }
        // One picture has no rate.
        return container == Self.animatedWebP || video.nominalFrameRate != nil
      }
  }

  /// The length of the whole asset as a clip. It is the same for its picture and its sound, so that both stay together in a row
  /// of clips. It ends with the picture, or with the sound where there is no picture. It is nil when it is unknown, and for a
  /// still picture.
  package var clipDuration: MediaTime? {
    guard !isStillPicture else { return nil }
    let tracks = playableTracks(.video).isEmpty ? playableTracks(.audio) : playableTracks(.video)
    let end = tracks.filter { !$0.timeRange.isEmpty }.map(\.timeRange.end).max() ?? duration
    let known = duration > .zero ? min(end, duration) : end
    return known > .zero ? known : nil
  }

  /// The tracks of one kind that can be decoded, in the order of the file.
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
    /// Subtitles, data, attachments and attached pictures. They cannot be used in an edit.
    case other
  }

  /// The stream's index in the container.
  package var index: Int
  /// FFmpeg's name for the codec; "unknown" when it has none.
  package var codec: String
  /// The number of ticks per second in the track's own timestamps (naturalTimeScale).
  package var naturalTimeScale: Int32
  /// The track's start and duration in presentation, after its edit list. The duration is zero when it is unknown.
  package var timeRange: MediaTimeRange
  package var detail: Detail
  /// The time up to which a file that was cut off holds the track, as far as its index tells; nil when it holds the whole track.
  package var intactEnd: MediaTime?
  /// True for a still picture of which a part cannot be decoded; otherwise nil or false.
  package var isDamaged: Bool?
  /// The reason for which the track cannot be decoded (encrypted, no decoder, no parameters); nil when it can.
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
  /// The size of the coded picture, after the bitstream's own cropping.
  package var naturalSize: PixelSize
  /// The part of the coded picture that is to be seen, in its pixels; nil is all of it.
  package var cleanAperture: Rect?
  /// The size that a viewer sees: the clean aperture, with square pixels, upright.
  package var displaySize: PixelSize
  package var orientation: Orientation
  /// The width of a pixel over its height; 1/1 when the file does not say.
  package var pixelAspect: PixelSize
  /// The average number of frames per second, as an exact fraction; nil when it is unknown, and for a single picture.
  package var nominalFrameRate: MediaTime?
  /// The lowest frame rate on whose grid the first frames stand, as FFmpeg guesses it. It is the nominal rate unless frames vary
  /// in length.
  package var baseFrameRate: MediaTime?
  /// FFmpeg's name for the pixel format.
  package var pixelFormat: String
  package var bitDepth: Int
  /// The form of the alpha that is stored with the pictures; nil where there is none. Facts that were stored before this one
  /// existed have none.
  package var alpha: AlphaForm?
  /// The colour tags of the file. Where the file says nothing and its kind always means the same colours, they are those. Other
  /// unknown tags stay unknown.
  package var color: ColorTags
  /// The metadata for high dynamic range; nil when the file has none.
  package var hdrMetadata: HDRMetadata?
  /// The metadata that change from picture to picture, as far as the container and the first pictures tell; nil where there are none.
  package var dynamicHDR: [DynamicHDR]?
  /// The order of the fields; nil for progressive pictures, as far as the container or the first pictures tell.
  package var fieldOrder: FieldOrder?
  /// The number of the first pictures that repeat one of their fields; nil where none does. Film by 2:3 pulldown repeats a field
  /// in every second picture.
  package var repeatedFields: RepeatedFields?

  package init(
    naturalSize: PixelSize, cleanAperture: Rect? = nil, displaySize: PixelSize, orientation: Orientation, pixelAspect: PixelSize,
    nominalFrameRate: MediaTime?, pixelFormat: String, bitDepth: Int, color: ColorTags, baseFrameRate: MediaTime? = nil,
    hdrMetadata: HDRMetadata? = nil, fieldOrder: FieldOrder? = nil, repeatedFields: RepeatedFields? = nil,
    alpha: AlphaForm? = nil
  ) {
    (self.naturalSize, self.cleanAperture) = (naturalSize, cleanAperture)
    (self.displaySize, self.orientation) = (displaySize, orientation)
    (self.pixelAspect, self.nominalFrameRate, self.baseFrameRate) = (pixelAspect, nominalFrameRate, baseFrameRate)
    (self.pixelFormat, self.bitDepth, self.color, self.hdrMetadata) = (pixelFormat, bitDepth, color, hdrMetadata)
    (self.fieldOrder, self.repeatedFields, self.alpha) = (fieldOrder, repeatedFields, alpha)
  }
}

/// Metadata for high dynamic range that change from picture to picture. They are true of these very pictures alone.
package enum DynamicHDR: String, Hashable, Sendable, Codable, CaseIterable {
  /// SMPTE ST 2094-40.
  case hdr10Plus = "HDR10+"
  /// Dolby Vision over a base layer that others can show.
  case dolbyVision = "Dolby Vision"

  /// Whether packets that are copied carry them on.
  package var isCopied: Bool { self == .hdr10Plus }
}

/// The count of pictures, among the first ones of a track, that say that their first field is shown again.
package struct RepeatedFields: Hashable, Sendable, Codable {
  package var count: Int
  /// The number of pictures that were examined.
  package var pictures: Int

  package init(count: Int, pictures: Int) { (self.count, self.pictures) = (count, pictures) }
}

/// The eight ways in which a stored picture is turned to be seen, numbered as EXIF numbers them. `rotated90` means that the
/// stored picture must be turned 90 degrees clockwise.
package enum Orientation: Int, Hashable, Sendable, Codable, CaseIterable {
  case up = 1, mirrored, rotated180, flipped, transposed, rotated90, transversed, rotated270

  /// Whether width and height are exchanged.
  package var swapsAxes: Bool { rawValue >= 5 }
}

package struct AudioFacts: Hashable, Sendable, Codable {
  /// The number of samples per second.
  package var sampleRate: Int32
  package var channelCount: Int
  /// FFmpeg's name for the channel layout, such as "stereo" or "5.1".
  package var channelLayout: String

  package init(sampleRate: Int32, channelCount: Int, channelLayout: String) {
    (self.sampleRate, self.channelCount, self.channelLayout) = (sampleRate, channelCount, channelLayout)
  }
}
