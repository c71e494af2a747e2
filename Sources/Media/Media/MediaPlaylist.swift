package import MediaTime

/// The playlist of a track in pieces (RFC 8216), which is complete from the beginning.
package struct MediaPlaylist {
  package struct Piece: Hashable, Sendable {
    package var address: String
    /// The microseconds that it lasts.
    package var duration: Int64
    /// The bytes at its beginning that are meant; nil for all of it.
    package var head: Int?

    package init(_ address: String, lasting duration: Int64, head: Int? = nil) {
      (self.address, self.duration, self.head) = (address, duration, head)
    }
  }

  /// The address of the track's opening; nil for texts, which have none.
  private let opening: String?
  private let pieces: [Piece]
  /// Whether only one picture of each piece is meant, for those who search.
  private let holdsKeyframesAlone: Bool

  package init(opening: String?, _ pieces: [Piece], holdsKeyframesAlone: Bool = false) {
    (self.opening, self.pieces, self.holdsKeyframesAlone) = (opening, pieces, holdsKeyframesAlone)
  }

  /// The seconds that no piece exceeds when its duration is rounded to whole ones (RFC 8216, section 4.3.3.1).
  package var target: Int64 { max(1, pieces.map { ($0.duration + 500_000) / 1_000_000 }.max() ?? 1) }

  package var text: String {
    var lines = [
      "#EXTM3U", "#EXT-X-VERSION:7", "#EXT-X-TARGETDURATION:\(target)", "#EXT-X-MEDIA-SEQUENCE:0", "#EXT-X-PLAYLIST-TYPE:VOD",
      holdsKeyframesAlone ? "#EXT-X-I-FRAMES-ONLY" : "#EXT-X-INDEPENDENT-SEGMENTS",
    ]
    if let opening { lines.append("#EXT-X-MAP:URI=\"\(opening)\"") }
    for piece in pieces {
      lines.append("#EXTINF:\(Self.seconds(piece.duration)),")
      if let head = piece.head { lines.append("#EXT-X-BYTERANGE:\(head)@0") }
      lines.append(piece.address)
    }
    return Self.text(lines + ["#EXT-X-ENDLIST"])
  }

  package static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }

  package static func seconds(_ microseconds: Int64) -> String { decimal(microseconds, of: 1_000_000) }

  /// Frames a second with three decimals, as the attribute `FRAME-RATE` has them.
  package static func rate(of frameDuration: MediaTime) -> String {
    decimal(Int64(frameDuration.timescale) * 1000 / frameDuration.value, of: 1000)
  }

  /// A number of parts as a decimal.
  private static func decimal(_ number: Int64, of one: Int64) -> String {
    let (fraction, digits) = (String(number % one), String(one).utf8.count - 1)
    return "\(number / one)." + String(repeating: "0", count: digits - fraction.utf8.count) + fraction
  }
}
