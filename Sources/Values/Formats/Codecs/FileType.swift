/// The format of a movie's file, or of a file of sound alone.
package enum FileType: String, Hashable, Sendable, CaseIterable {
  case mp4, mov, mkv, webm, gif
  case m4a, mp3, wav, aiff, flac, ogg

  /// Whether a picture goes into it. An edit's picture is left out of the others.
  package var holdsPicture: Bool {
    switch self {
    case .mp4, .mov, .mkv, .webm, .gif: true
    case .m4a, .mp3, .wav, .aiff, .flac, .ogg: false
    }
  }

  /// Whether sound goes into it. An edit's sound is left out of the others.
  package var holdsSound: Bool { self != .gif }

  /// The most pictures that it shows in a second; nil is any number. Players show more of a GIF ten times a second.
  package var mostFramesPerSecond: Int64? { self == .gif ? 50 : nil }

  /// Whether it has an index that can stand before the media.
  package var hasMovableIndex: Bool { [.mp4, .mov, .m4a].contains(self) }

  /// The endings of names that promise it, the usual one first.
  package var endings: [String] {
    switch self {
    case .mp4: ["mp4", "m4v"]
    case .mov: ["mov", "qt"]
    case .mkv: ["mkv", "mk3d"]
    case .m4a: ["m4a", "m4b", "m4r"]
    case .aiff: ["aiff", "aif", "aifc"]
    case .ogg: ["ogg", "oga", "opus"]
    case .webm, .gif, .mp3, .wav, .flac: [rawValue]
    }
  }
}
