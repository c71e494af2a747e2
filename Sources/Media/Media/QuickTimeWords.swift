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

  /// Lifts the words of a movie whose muxer has finished.
  ///
  /// - Throws: `MediaError` `internal` where the movie has none.
  static func lift(in file: OutputFile) throws(MediaError) {
    var place: Int64 = 0
    while case let head = try file.head(16, from: place), let (type, size) = header(head[...]) {
      guard type == "moov" else {
        place += size
        continue
      }
      guard size < longest, let moved = lifted(try file.head(Int(size), from: place)) else { break }
      return try file.replace(at: place, by: moved)
    }
    throw MediaError(.internal, at: file.path, "the words of the movie are not where its muxer writes them")
  }

  /// The most bytes of a movie's index, of many hours.
  private static let longest: Int64 = 1 << 30

  /// The boxes at the beginning of a movie, or `moov` alone, with the words lifted; nil where there are none.
  static func lifted(_ boxes: [UInt8]) -> [UInt8]? {
    guard let movie = content("moov", in: boxes, boxes.indices), let user = content("udta", in: boxes, movie),
      let (type, size) = header(boxes[user]), type == "meta", Int(size) == user.count, size > 32,
      // The version is followed by the handler, which says that the words have keys.
      boxes[user.lowerBound + 16..<user.lowerBound + 20].elementsEqual("hdlr".utf8),
      boxes[user.lowerBound + 28..<user.lowerBound + 32].elementsEqual("mdta".utf8)
    else { return nil }
    var made = boxes
    made.replaceSubrange(user.lowerBound - 8..<user.lowerBound + 12, with: BoxBytes.box("free", [0, 0, 0, 0]))
    made.insert(contentsOf: BoxBytes.header("meta", of: user.count - 12), at: user.lowerBound + 4)
    return made
  }

  /// The place of the content of the first box of a type.
  private static func content(_ type: String, in boxes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
    var start = range.lowerBound
    while start < range.upperBound, let (found, size) = header(boxes[start..<range.upperBound]), size <= range.upperBound - start
    {
      if found == type { return start + 8..<start + Int(size) }
      start += Int(size)
    }
    return nil
  }

  /// The type and the size of the box that begins here; nil where there is none.
  private static func header(_ bytes: ArraySlice<UInt8>) -> (type: String, size: Int64)? {
    guard bytes.count >= 8 else { return nil }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound].reduce(0) { $0 << 8 | Int64($1) }
    }
    var size = number(0..<4)
    if size == 1 { size = bytes.count >= 16 ? number(8..<16) : 0 }
    guard size >= 8 else { return nil }
    return (String(decoding: bytes.dropFirst(4).prefix(4), as: UTF8.self), size)
  }
}

extension MovieForm {
  /// The muxer's options, with the one for words with keys where there are some.
  func withWords(_ options: [String: String]) -> [String: String] {
    guard !words.isEmpty else { return options }
    return options.merging(["movflags": (options["movflags"] ?? "") + "+use_metadata_tags"]) { $1 }
  }
}
