internal import Formats
internal import MediaTime

/// A track whose pieces were written, as the playlists tell it.
struct PieceTrack {
  /// A piece as it was written.
  struct Piece {
    let byteCount: Int
    /// The bytes up to the end of its first picture.
    let head: Int
    /// The time that it is shown or heard, in the track's ticks.
    let duration: Int64
  }

  let kind: PieceNames.Track
  let timescale: Int32
  /// The name of the codec with its profile and level (RFC 6381).
  let codec: String
  let pieces: [Piece]

  /// The ticks from the movie's beginning to the end of each piece.
  var ends: [Int64] {
    pieces.reduce(into: []) { $0.append(($0.last ?? 0) + $1.duration) }
  }

  /// The microseconds that each piece lasts. They are differences of rounded ends, so that rounding does not add up.
  var microseconds: [Int64] {
    let ends = ends.map { Int64(clamping: Int128($0) * 1_000_000 / Int128(timescale)) }
    return zip(ends, [0] + ends).map { $0 - $1 }
  }

  var playlist: MediaPlaylist {
    MediaPlaylist(
      opening: PieceNames.opening(kind),
      zip(microseconds, 1...).map { MediaPlaylist.Piece(PieceNames.piece(kind, $1), lasting: $0) })
  }

  /// The playlist of the first picture of each piece.
  var keyframes: MediaPlaylist {
    MediaPlaylist(
      opening: PieceNames.opening(kind),
      zip(zip(microseconds, pieces), 1...).map {
        MediaPlaylist.Piece(PieceNames.piece(kind, $1), lasting: $0.0, head: $0.1.head)
      },
      holdsKeyframesAlone: true)
  }

  /// The bits a second, as RFC 8216 measures them (section 4.3.4.2): the most of any pieces in a row that last from half to one and a half of the
  /// target, and those of all.
  ///
  /// - Parameter size: the bytes of a piece that count.
  func bitRates(_ size: (Piece) -> Int) -> (peak: Int, average: Int) {
    let (durations, sizes) = (microseconds, pieces.map(size))
    func rate(_ bytes: Int, _ duration: Int64) -> Int {
      let duration = Int128(max(1, duration))
      return Int(clamping: (Int128(bytes) * 8_000_000 + duration - 1) / duration)
    }
    let average = rate(sizes.reduce(0, +), durations.reduce(0, +))
    let target = playlist.target * 1_000_000
    var peak = average
    for start in sizes.indices {
      var (bytes, duration) = (0, Int64(0))
      for index in start..<sizes.count {
        (bytes, duration) = (bytes + sizes[index], duration + durations[index])
        if duration * 2 > target * 3 { break }
        if duration * 2 >= target { peak = max(peak, rate(bytes, duration)) }
      }
    }
    return (peak, average)
  }
}
