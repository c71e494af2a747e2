/// The format of a movie's file, or of a file of sound alone.
package enum FileType: String, Hashable, Sendable, CaseIterable {
  case mp4, mov, mkv, webm
  case m4a, mp3, wav, flac, ogg

  /// Whether a picture goes into it. An edit's picture is left out of the others.
  package var holdsPicture: Bool {
    switch self {
    case .mp4, .mov, .mkv, .webm: true
    case .m4a, .mp3, .wav, .flac, .ogg: false
    }
  }

  /// Whether it has an index that can stand before the media.
  package var hasMovableIndex: Bool { [.mp4, .mov, .m4a].contains(self) }

  /// The endings of names that promise it, the usual one first.
  package var endings: [String] {
    switch self {
    case .mp4: ["mp4", "m4v"]
    case .mov: ["mov", "qt"]
    case .mkv: ["mkv", "mk3d"]
    case .m4a: ["m4a", "m4b", "m4r"]
    case .ogg: ["ogg", "oga", "opus"]
    case .webm, .mp3, .wav, .flac: [rawValue]
    }
  }
}
