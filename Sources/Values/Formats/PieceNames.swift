/// The names of the files in a folder that players fetch a movie from piece by piece: pieces of each track, openings and playlists.
package enum PieceNames {
  package enum Track: Hashable, Sendable, CustomStringConvertible {
    case picture, sound
    /// A version of the picture beside it, by its number: from 2 to 9.
    case rendition(Int)
    /// Another sound beside the first one, by its number: from 2 to 16.
    case alternative(Int)

    /// All that a folder may have, the pictures first.
    package static let all =
      [Track.picture] + (0..<mostRenditions).map(Track.rendition(at:)) + (0..<mostSounds).map(Track.sound(at:))

    /// The rendition at a place in the list of them.
    package static func rendition(at index: Int) -> Track { .rendition(index + 2) }

    /// The sound at a place in the list of them.
    package static func sound(at index: Int) -> Track { index == 0 ? .sound : .alternative(index + 1) }

    package var isSound: Bool {
      switch self {
      case .sound, .alternative: true
      case .picture, .rendition: false
      }
    }

    /// The name with which those of its files begin.
    package var description: String {
      switch self {
      case .picture: "picture"
      case .sound: "sound"
      case .rendition(let number): "picture\(number)"
      case .alternative(let number): "sound\(number)"
      }
    }
  }

  /// The most renditions beside the picture: as many as one digit counts.
  package static let mostRenditions = 8
  /// The most sounds.
  package static let mostSounds = 16
  /// The most tracks of texts.
  package static let mostTexts = 32

  /// The playlist of HLS that names those of the tracks.
  package static let master = "master.m3u8"
  /// The presentation of DASH.
  package static let manifest = "manifest.mpd"

  /// The most pieces of a track: what five digits count.
  package static let mostPieces = 99_999

  package static func playlist(_ track: Track) -> String { "\(track).m3u8" }
  /// The playlist of the first keyframe of each piece of a picture.
  package static func keyframes(_ track: Track) -> String { "\(track)-iframes.m3u8" }
  package static func opening(_ track: Track) -> String { "\(track)-init.mp4" }
  /// The name of a piece, by its number from 1 on.
  package static func piece(_ track: Track, _ number: Int) -> String {
    let digits = String(number)
    return "\(track)-\(String(repeating: "0", count: max(0, 5 - digits.count)))\(digits).m4s"
  }

  /// The names of pieces of a track as DASH has them, with a place for the number.
  package static func template(_ track: Track) -> String { "\(track)-$Number%05d$.m4s" }

  /// The WebVTT file of a track of texts, by its place in the list of them.
  package static func text(at index: Int) -> String { "\(stem(ofText: index)).vtt" }
  package static func textPlaylist(at index: Int) -> String { "\(stem(ofText: index)).m3u8" }
  private static func stem(ofText index: Int) -> String { index == 0 ? "text" : "text\(index + 1)" }

  static func matches(_ name: String) -> Bool {
    isPlaylist(name) || isStill(name) || isText(name) || Track.all.contains { opening($0) == name }
      || name.wholeMatch(of: /(picture[2-9]?|sound([2-9]|1[0-6])?)-[0-9]{5}\.m4s/) != nil
  }

  /// Whether a file is a still picture, or tells where on which one the thumbnails are.
  private static func isStill(_ name: String) -> Bool { StillNames.areInFolder(name) && !isPlaylist(name) }

  private static func isText(_ name: String) -> Bool { textFiles.contains(name) }
  private static let textFiles = Set((0..<mostTexts).map(text))
  private static let textPlaylists = Set((0..<mostTexts).map(textPlaylist))

  /// Whether a file is none that media, texts or still pictures are in.
  private static func isPlaylist(_ name: String) -> Bool {
    [master, manifest, StillNames.playlist].contains(name) || textPlaylists.contains(name)
      || Track.all.contains { playlist($0) == name || !$0.isSound && keyframes($0) == name }
  }

  /// The place of a file in a roll: what media are in comes first, then playlists, then texts and still pictures. Files of a kind stand by their
  /// tracks, and those of a track by their names.
  package struct Place: Comparable {
    private let kind: Int
    private let track: Int
    private let name: String

    package init(_ name: String) {
      kind = isPlaylist(name) ? 1 : isText(name) || isStill(name) ? 2 : 0
      // What tells of all tracks comes before them, and what stands beside them behind them.
      track = tracks[String(name.prefix { $0 != "-" && $0 != "." })] ?? ([master, manifest].contains(name) ? -1 : tracks.count)
      self.name = name
    }

    package static func < (a: Place, b: Place) -> Bool { (a.kind, a.track, a.name) < (b.kind, b.track, b.name) }
  }

  /// The places of the tracks by the names with which those of their files begin.
  private static let tracks = Dictionary(
    uniqueKeysWithValues: (Track.all.map(\.description) + (0..<mostTexts).map(stem)).enumerated().map { ($1, $0) })
}
