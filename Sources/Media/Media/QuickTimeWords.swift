internal import Formats

/// The words of a QuickTime movie that have keys, such as "com.apple.quicktime.content.identifier".
///
/// FFmpeg 5.1 writes them into the movie's user data, with a version as MPEG-4 has it. QuickTime looks for them beside the tracks, without a
/// version. Their box is lifted there within the bytes that it has: a free one takes the place of what was around it.
enum QuickTimeWords {
  static let place = "com.apple.quicktime.location.ISO6709"

  static func key(of tag: MovieTags.Key) -> String {
    "com.apple.quicktime.\(tag == .date ? "creationdate" : tag.rawValue)"
  }

  /// The boxes at the beginning of a movie, or `moov` alone, with the words lifted; nil where there are none.
  static func lifted(_ boxes: [UInt8]) -> [UInt8]? {
    guard let movie = MovieIndex.content("moov", in: boxes, boxes.indices),
      let user = MovieIndex.content("udta", in: boxes, movie),
      let (type, size) = MovieIndex.header(boxes[user]), type == "meta", Int(size) == user.count, size > 32,
      // The version is followed by the handler, which says that the words have keys.
      boxes[user.lowerBound + 16..<user.lowerBound + 20].elementsEqual("hdlr".utf8),
      boxes[user.lowerBound + 28..<user.lowerBound + 32].elementsEqual("mdta".utf8)
    else { return nil }
    var made = boxes
    made.replaceSubrange(user.lowerBound - 8..<user.lowerBound + 12, with: BoxBytes.box("free", [0, 0, 0, 0]))
    made.insert(contentsOf: BoxBytes.header("meta", of: user.count - 12), at: user.lowerBound + 4)
    return made
  }
}

extension MovieForm {
  /// The muxer's options, with the one for words with keys where there are some.
  func withWords(_ options: [String: String]) -> [String: String] {
    guard tagNames != .plain else { return options }
    return options.merging(["movflags": (options["movflags"] ?? "") + "+use_metadata_tags"]) { $1 }
  }
}
