/// The files of a movie that is a folder.
package enum FolderFiles: Hashable, Sendable {
  /// Numbered pictures.
  case pictures(PictureNames)
  /// Pieces of tracks, with the playlists that name them.
  case pieces

  /// The files that a name asks for; nil where it asks for a file alone. `frames/%06d.png` asks for pictures, and `show/master.m3u8` for pieces.
  package init?(of name: String) {
    if [PieceNames.master, PieceNames.manifest].contains(name) {
      self = .pieces
    } else if let names = PictureNames(name) {
      self = .pictures(names)
    } else {
      return nil
    }
  }

  /// The pattern of the names of pictures; nil for pieces.
  package var pattern: String? { if case .pictures(let names) = self { names.pattern } else { nil } }

  /// The file type that the names ask for; nil where they ask for none.
  package var fileType: FileType? {
    switch self {
    case .pictures(let names): names.fileType
    case .pieces: .cmaf
    }
  }

  /// The name of the first picture, or of the playlist that players begin with.
  package var firstName: String {
    switch self {
    case .pictures(let names): names.name(0)
    case .pieces: PieceNames.master
    }
  }

  /// Whether a name is one that a file of the folder may have.
  package func matches(_ name: String) -> Bool {
    switch self {
    case .pictures(let names): names.matches(name)
    case .pieces: PieceNames.matches(name)
    }
  }

  /// The files in words, to stand behind "is none of".
  package var words: String {
    switch self {
    case .pictures(let names): "the pictures \(names.pattern)"
    case .pieces: "a movie's pieces and playlists"
    }
  }
}
