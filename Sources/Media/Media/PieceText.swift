internal import Formats

/// A track of texts of a movie in pieces: one WebVTT file, which lies in the movie's folder and which players fetch at once.
package struct PieceText: Hashable, Sendable {
  package var bytes: [UInt8]
  /// The language, as a BCP 47 tag; nil where it is not known.
  package var language: String?

  package init(_ bytes: [UInt8], language: String? = nil) { (self.bytes, self.language) = (bytes, language) }
}

/// The tracks of texts as players of HLS and DASH find them.
struct TextListing {
  /// A text, beside what its file tells.
  private struct Text {
    let file: String
    let playlist: String
    let byteCount: Int
    /// The name that players show, which no other text has.
    let name: String
    let language: String?
  }

  private let texts: [Text]
  /// The microseconds of the movie.
  private let duration: Int64

  init(_ tracks: [PieceText], lasting duration: Int64) {
    self.duration = duration
    var names = UniqueNames()
    texts = tracks.enumerated().map { index, track in
      let language = track.language.map(LanguageCode.canonical)
      return Text(
        file: PieceNames.text(at: index), playlist: PieceNames.textPlaylist(at: index), byteCount: track.bytes.count,
        name: names.name(language ?? "Text"), language: language)
    }
  }

  var isEmpty: Bool { texts.isEmpty }

  /// The lines of the master playlist.
  var alternatives: [String] {
    texts.map { text in
      let language = text.language.map { ",LANGUAGE=\"\($0)\"" } ?? ""
      return "#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"text\",NAME=\"\(text.name)\"\(language),DEFAULT=NO,AUTOSELECT=YES,FORCED=NO,"
        + "URI=\"\(text.playlist)\""
    }
  }

  /// The playlist of each text, which is one piece. Its times are the movie's: without a map of their own they count from 0 (RFC 8216, 3.5).
  var playlists: [(name: String, text: String)] {
    texts.map { ($0.playlist, MediaPlaylist(opening: nil, [MediaPlaylist.Piece($0.file, lasting: duration)]).text) }
  }

  /// The lines of the presentation for DASH.
  var adaptationSets: [String] {
    texts.flatMap { text in
      let language = text.language.map { " lang=\"\($0)\"" } ?? ""
      let rate = (Int128(text.byteCount) * 8_000_000 + Int128(max(1, duration)) - 1) / Int128(max(1, duration))
      return [
        "    <AdaptationSet contentType=\"text\" mimeType=\"text/vtt\"\(language)>",
        "      <Role schemeIdUri=\"urn:mpeg:dash:role:2011\" value=\"subtitle\"/>",
        "      <Representation id=\"\(text.file.dropLast(4))\" bandwidth=\"\(max(1, Int(clamping: rate)))\">",
        "        <BaseURL>\(text.file)</BaseURL>", "      </Representation>", "    </AdaptationSet>",
      ]
    }
  }
}

/// Gives names to the tracks of a group, in which no two may have one (RFC 8216, 4.3.4.1.1).
struct UniqueNames {
  private var taken: Set<String> = []

  /// The name, or this one with a number that is free, from that of the track on.
  mutating func name(_ usual: String) -> String {
    var (name, number) = (usual, taken.count + 1)
    while !taken.insert(name).inserted {
      name = "\(usual) \(number)"
      number += 1
    }
    return name
  }
}
