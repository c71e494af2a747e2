package import Formats

/// The descriptions of a source's file that the movie's file has, too, unless the edit states its own.
package struct KeptTags: Hashable, Sendable {
  /// A kind of description.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case title, artist, album, albumArtist, composer, genre, date, description, copyright
    /// The maker and the model of the camera.
    case camera
    /// The place where the source was taken.
    case location

    /// The keys of its texts.
    package var keys: [MovieTags.Key] {
      switch self {
      case .camera: [.make, .model]
      case .location: []
      default: MovieTags.Key(rawValue: rawValue).map { [$0] } ?? []
      }
    }

    /// Whether files of a type hold all of it.
    package func isHeld(by type: FileType) -> Bool {
      self == .location ? type.holdsLocation : keys.allSatisfy(type.tagKeys.contains)
    }
  }

  package var source: AssetID
  /// The kinds in the order in which the edit names them, each once.
  package var kinds: [Kind]

  package init(of source: AssetID, _ kinds: [Kind]) { (self.source, self.kinds) = (source, kinds) }
}
