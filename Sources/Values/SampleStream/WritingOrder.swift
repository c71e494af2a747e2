package import Formats
package import MediaTime

/// The movie that a stream of samples becomes.
package struct WritingOrder: Hashable, Sendable, Codable {
  /// The way in which one track is encoded. The form of its samples comes in a record before them.
  package enum Coding: Hashable, Sendable, Codable {
    case pictures(PictureCoding)
    case sound(SoundCoding)
    /// Texts that are shown for some time, one a record, in UTF-8. They have no form.
    case text(TextCoding)
    /// Metadata that holds for some time, one sample a record, as it is stored. A record without a duration holds until the next one. It has no
    /// form.
    case metadata(MetadataCoding)
  }

  package struct PictureCoding: Hashable, Sendable, Codable {
    /// The ways in which a picture of another size is laid into the movie's: stretched, with black beside it, cut off, or in a movie that is made
    /// smaller to the picture's shape and never enlarges it.
    package enum Scaling: String, Hashable, Sendable, Codable { case resize, resizeAspect, resizeAspectFill, fit }

    /// A codec's name as documents write it, such as "h264", and its settings that are not the usual ones.
    package var codec: String
    package var words: [String: String] = [:]
    package var numbers: [String: Double] = [:]
    package var bitDepth: Int?
    /// The wishes of H.264 and HEVC.
    package var wishes = StreamWishes()
    /// The movie's size; nil for the pictures' own.
    package var size: PixelSize?
    package var scaling = Scaling.resizeAspectFill
    /// The movie's colours; nil for the pictures' own.
    package var color: ColorTags?
    /// The way in which players turn the stored picture, 1...8 as in EXIF.
    package var orientation = 1
    /// The language of what is written in the pictures, as a BCP 47 tag; nil where none is told.
    package var language: String?
    /// The part of the movie's picture that players show, in its pixels; nil for all of it.
    package var aperture: Rect?
    /// The width and the height of a pixel as players show it, as two whole numbers.
    package var pixelAspect: PixelSize?

    package init(codec: String) { self.codec = codec }
  }

  package struct SoundCoding: Hashable, Sendable, Codable {
    /// A codec's name as documents write it, such as "aac".
    package var codec: String
    /// The bits per second of all channels; nil for the codec's usual ones.
    package var bitRate: Int?
    /// The samples of PCM, such as "int16".
    package var samples: String?
    /// The movie's sound; nil for what comes.
    package var sampleRate: Int32?
    package var channelCount: Int?
    /// The language, as a BCP 47 tag, and the name that players show; nil where none is told.
    package var language: String?
    package var title: String?
    /// Whether players play it where nobody chooses.
    package var isDefault = true

    package init(codec: String) { self.codec = codec }
  }

  package struct TextCoding: Hashable, Sendable, Codable {
    /// The language, as a BCP 47 tag; nil where none is told.
    package var language: String?

    package init() {}
  }

  package struct MetadataCoding: Hashable, Sendable, Codable {
    /// The box `keys` of the description of samples (`mebx`).
    package var keys: [UInt8]
    /// The language, as a BCP 47 tag; nil where none is told.
    package var language: String?

    package init(keys: [UInt8]) { self.keys = keys }
  }

  /// The movie's path, and its file type by a document's name.
  package var output: String
  package var fileType: String
  package var optimizeForNetworkUse = false
  /// The fragments in which it is written; nil writes it in one piece.
  package var fragments: Fragments?
  /// Whether the fragments are given while the movie is written, as records of samples in the other direction of the stream: first the opening, then
  /// each fragment as soon as it is whole. Then `output` stays without a file. Parts lie beside it meanwhile.
  package var givesPieces = false
  /// The words that describe the movie, by documents' names of them.
  package var tags: [String: String] = [:]
  /// The degrees north and east of the place where the movie was taken; nil where it is not told.
  package var place: [Double]?
  /// Further words of QuickTime by their keys, such as "com.apple.quicktime.author".
  package var words: [String: String] = [:]
  /// The tracks: at most one of pictures, and as many of sound, of texts and of metadata as the file type holds.
  package var tracks: [Coding]
  /// The places of the tracks that players do not play where nobody chooses (mp4, mov, m4a).
  package var disabled: [Int] = []

  /// The borders between fragments.
  package struct Fragments: Hashable, Sendable, Codable {
    /// The time from one border to the next; nil for borders where records of the kind `border` stand.
    package var interval: MediaTime?
    /// The time from which the borders count, unless a record of the kind `border` says another one.
    package var origin = MediaTime.zero
    /// The number of the first fragment.
    package var first = 1

    package init(every interval: MediaTime?) { self.interval = interval }
  }

  package init(output: String, fileType: String, tracks: [Coding]) {
    (self.output, self.fileType, self.tracks) = (output, fileType, tracks)
  }
}

/// The movie that was written, as a line of JSON.
package struct WrittenMovie: Hashable, Sendable, Codable {
  package var output: String
  package var frameCount: Int
  package var sampleCount: Int64

  package init(output: String, frameCount: Int, sampleCount: Int64) {
    (self.output, self.frameCount, self.sampleCount) = (output, frameCount, sampleCount)
  }
}

/// The tracks of a stream that is read, as its first line says.
package struct SampleHeader: Hashable, Sendable, Codable {
  package var tracks: [SampleTrack]
  package init(tracks: [SampleTrack]) { self.tracks = tracks }
}
