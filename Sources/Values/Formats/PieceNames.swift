/// The names of the files in a folder that players fetch a movie from piece by piece: pieces of each track, openings and playlists.
package enum PieceNames {
  package enum Track: String, Hashable, Sendable, CaseIterable { case picture, sound }

  /// The playlist of HLS that names those of the tracks.
  package static let master = "master.m3u8"
  /// The presentation of DASH.
  package static let manifest = "manifest.mpd"
  /// The playlist of the picture's first keyframe of each piece.
  package static let keyframes = "picture-iframes.m3u8"

  /// The most pieces of a track: what five digits count.
  package static let mostPieces = 99_999

  package static func playlist(_ track: Track) -> String { "\(track.rawValue).m3u8" }
  package static func opening(_ track: Track) -> String { "\(track.rawValue)-init.mp4" }
  /// The name of a piece, by its number from 1 on.
  package static func piece(_ track: Track, _ number: Int) -> String {
    let digits = String(number)
    return "\(track.rawValue)-\(String(repeating: "0", count: max(0, 5 - digits.count)))\(digits).m4s"
  }

  /// The names of pieces of a track as DASH has them, with a place for the number.
  package static func template(_ track: Track) -> String { "\(track.rawValue)-$Number%05d$.m4s" }

  static func matches(_ name: String) -> Bool {
    isPlaylist(name) || Track.allCases.contains { opening($0) == name }
      || name.wholeMatch(of: /(picture|sound)-[0-9]{5}\.m4s/) != nil
  }

  /// Whether a file is none that media are in.
  package static func isPlaylist(_ name: String) -> Bool {
    [master, manifest, keyframes].contains(name) || Track.allCases.contains { playlist($0) == name }
  }
}
