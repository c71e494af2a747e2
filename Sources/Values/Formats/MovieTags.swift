package import MediaTime

/// The words with which a movie's file describes the movie. They come from the edit. Of its sources, which may tell where and by whom they
/// were taken, only that is taken over which the edit asks for.
package struct MovieTags: Hashable, Sendable {
  /// A description of one kind.
  package enum Key: String, Hashable, Sendable, CaseIterable {
    case title, artist, album, albumArtist, composer, genre, date, description, copyright
    /// The maker and the model of the camera.
    case make, model
  }

  package var texts: [Key: String]
  /// The place where the movie was taken; nil where it is not told.
  package var location: Location?
  /// Texts by keys of the user's own (`objection(toKey:)`).
  package var custom: [String: String] = [:]
  /// The language of what is written in the picture, as a BCP 47 tag; nil where it is not told.
  package var language: String?

  package init(_ texts: [Key: String] = [:], location: Location? = nil) { (self.texts, self.location) = (texts, location) }

  package var isEmpty: Bool { texts.isEmpty && location == nil && custom.isEmpty && language == nil }

  /// The most bytes of a key of the user's own.
  private static let longestKey = 128
  /// The keys that files have for what they say anyway, without case.
  private static let ownKeys = Set(
    Key.allCases.map { $0.rawValue.lowercased() } + [
      "album_artist", "location", "comment", "language", "encoder", "encoded_by", "encoding_tool", "creation_time", "timecode",
      "duration", "stereo_mode", "major_brand", "minor_version", "compatible_brands", "year", "track", "disc", "lyrics",
    ])
  /// The beginning of QuickTime's own keys.
  package static let quickTime = "com.apple.quicktime."

  /// The reason for which a text cannot have a key, in words; nil where it can. Each file type keeps the others, Matroska in upper case.
  package static func objection(toKey key: String) -> String? {
    guard key.wholeMatch(of: /[A-Za-z][A-Za-z0-9._]*/) != nil else {
      return "a key begins with a letter, and has letters, digits, points and underscores"
    }
    guard key.utf8.count <= longestKey else { return "is longer than \(longestKey) bytes" }
    let name = key.lowercased()
    let bare = name.hasPrefix(quickTime) ? String(name.dropFirst(quickTime.count)) : name
    if ownKeys.contains(bare) || ["location.iso6709", "creationdate"].contains(bare) || key.hasPrefix("CHAPTER") {
      return "is a key that files have already: choose another, such as com.example.\(bare)"
    }
    return nil
  }

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
    case .mov: [.title, .artist, .album, .genre, .date, .copyright, .make, .model]
    case .mxf, .mpegts, .cmaf, .gif, .apng, .webp, .pngSequence, .jpegSequence, .tiffSequence: []
    case .aiff: [.title, .copyright]
    case .wav: [.title, .artist, .album, .genre, .date, .copyright]
    case .avi: [.title, .artist, .genre, .date, .copyright]
    }
  }

  package var holdsLocation: Bool { !isAnimation && !isFolder && ![.wav, .aiff, .mxf, .mpegts, .avi].contains(self) }
  /// Whether it holds texts by keys of the user's own.
  package var holdsCustomTags: Bool { [.mp4, .mov, .m4a, .mkv, .webm, .mp3, .flac, .ogg].contains(self) }
  /// Whether it says which language the picture is in.
  package var holdsPictureLanguage: Bool { [.mp4, .mov, .mkv, .webm].contains(self) }
  /// The most chapters that it holds; nil is any number. An MP3's table of them counts in a byte.
  package var mostChapters: Int? { self == .mp3 ? 255 : nil }
  package var holdsChapters: Bool { !isAnimation && !isFolder && ![.wav, .aiff, .mxf, .mpegts, .avi].contains(self) }
}
