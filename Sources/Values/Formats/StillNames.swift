/// The names of a movie's still pictures: the poster, the sheets of thumbnails, and the file that tells which part of which sheet belongs to
/// which time. They stand beside the movie, or in the folder that it is.
package struct StillNames: Hashable, Sendable {
  /// The playlist of the sheets for HLS, in a folder of pieces.
  package static let playlist = "thumbnails.m3u8"
  /// The names of sheets in a folder of pieces as DASH has them, with a place for the number.
  package static let template = "thumbnails-$Number$.jpg"

  /// The beginning of each name: that of the movie's name; empty in a folder.
  private let stem: String

  /// - Parameter movie: the name of the movie's file; nil where the movie is the folder in which the pictures lie.
  package init(beside movie: String? = nil) {
    guard let movie else {
      stem = ""
      return
    }
    let point = movie.lastIndex(of: ".").flatMap { $0 == movie.startIndex ? nil : $0 }
    stem = "\(movie[..<(point ?? movie.endIndex)])."
  }

  package var poster: String { "\(stem)poster.jpg" }

  /// The WebVTT file of the thumbnails.
  package var times: String { "\(stem)thumbnails.vtt" }

  /// The name of a sheet, by its number from 1 on.
  package func sheet(_ number: Int) -> String { "\(stem)thumbnails-\(number).jpg" }

  /// Whether a file in a folder of pieces has such a name.
  static func areInFolder(_ name: String) -> Bool {
    let own = StillNames()
    return [own.poster, own.times, playlist].contains(name) || name.wholeMatch(of: /thumbnails-[1-9][0-9]{0,4}\.jpg/) != nil
  }
}
