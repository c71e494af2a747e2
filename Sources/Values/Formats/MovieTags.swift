package import MediaTime

/// The words with which a movie's file describes the movie. They come from the edit alone: nothing is taken from its sources,
/// which may tell where and by whom they were taken.
package struct MovieTags: Hashable, Sendable {
  /// A description of one kind.
  package enum Key: String, Hashable, Sendable, CaseIterable {
    case title, artist, album, albumArtist, composer, genre, date, description, copyright
  }

  package var texts: [Key: String]
  /// The place where the movie was taken; nil where it is not told.
  package var location: Location?

  package init(_ texts: [Key: String] = [:], location: Location? = nil) { (self.texts, self.location) = (texts, location) }

  package var isEmpty: Bool { texts.isEmpty && location == nil }

  /// A point on the earth.
  package struct Location: Hashable, Sendable {
    /// The degrees north of the equator, -90...90.
    package var latitude: Double
    /// The degrees east of Greenwich, -180...180.
    package var longitude: Double

    package init(latitude: Double, longitude: Double) { (self.latitude, self.longitude) = (latitude, longitude) }

    /// The point as ISO 6709 writes it, to a ten-thousandth of a degree (11 m), such as "+35.6586+139.7454/".
    package var iso6709: String {
      Self.text(latitude, digits: 2) + Self.text(longitude, digits: 3) + "/"
    }

    private static func text(_ degrees: Double, digits: Int) -> String {
      let parts = Int((abs(degrees) * 10_000).rounded())
      let (whole, rest) = (String(parts / 10_000), String(parts % 10_000))
      return (degrees < 0 ? "-" : "+") + String(repeating: "0", count: max(0, digits - whole.count)) + whole + "."
        + String(repeating: "0", count: 4 - rest.count) + rest
    }
  }
}

/// A named part of a movie.
package struct MovieChapter: Hashable, Sendable {
  package var title: String
  package var timeRange: MediaTimeRange

  package init(_ title: String, _ timeRange: MediaTimeRange) { (self.title, self.timeRange) = (title, timeRange) }
}

extension FileType {
  /// The descriptions that files of this type hold, as FFmpeg 5.1 writes and reads them.
  package var tagKeys: [MovieTags.Key] {
    switch self {
    case .mp4, .m4a, .mkv, .webm, .mp3, .flac, .ogg: MovieTags.Key.allCases
    case .mov: [.title, .artist, .album, .genre, .date, .copyright]
    case .mxf, .mpegts, .cmaf, .gif, .apng, .webp, .pngSequence, .jpegSequence, .tiffSequence: []
    case .aiff: [.title, .copyright]
    case .wav: [.title, .artist, .album, .genre, .date, .copyright]
    case .avi: [.title, .artist, .genre, .date, .copyright]
    }
  }

  package var holdsLocation: Bool { !isAnimation && !isFolder && ![.wav, .aiff, .mxf, .mpegts, .avi].contains(self) }
  package var holdsChapters: Bool { !isAnimation && !isFolder && ![.wav, .aiff, .mxf, .mpegts, .avi].contains(self) }
}
