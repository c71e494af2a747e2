/// The index of a movie, `moov`, which is changed within its bytes after a muxer wrote it.
enum MovieIndex {
  /// The most bytes of an index, that of a movie of many hours.
  private static let longest: Int64 = 1 << 30

  /// Changes the index of a movie whose muxer has finished.
  ///
  /// - Parameter change: gives the same number of bytes; nil where it does not find what it changes.
  /// - Throws: `MediaError` `internal` in that case; errors of the file.
  static func change(in file: OutputFile, _ change: ([UInt8]) -> [UInt8]?) throws(MediaError) {
    if let (place, index) = try find(in: file), let changed = change(index), changed.count == index.count {
      return try file.replace(at: place, by: changed)
    }
    throw MediaError(.internal, at: file.path, "the index of the movie is not as its muxer writes it")
  }

  /// Changes the index of a movie whose muxer has finished, and that has it at its end.
  ///
  /// - Parameter change: gives as many bytes, or more; nil where it does not find what it changes.
  /// - Throws: errors as `change`.
  static func lengthen(in file: OutputFile, _ change: ([UInt8]) -> [UInt8]?) throws(MediaError) {
    if let (place, index) = try find(in: file), try file.head(1, from: place + Int64(index.count)).isEmpty,
      let changed = change(index), changed.count >= index.count
    {
      return try file.replace(at: place, by: changed)
    }
    throw MediaError(.internal, at: file.path, "the index of the movie is not as its muxer writes it")
  }

  /// The index, and its place in the file; nil where there is none.
  static func find(in file: OutputFile) throws(MediaError) -> (place: Int64, index: [UInt8])? {
    var place: Int64 = 0
    while case let head = try file.head(16, from: place), let (type, size) = header(head[...]) {
      guard type == "moov" else {
        place += size
        continue
      }
      return size < longest ? (place, try file.head(Int(size), from: place)) : nil
    }
    return nil
  }

  /// The boxes at the beginning of a movie, or `moov` alone, whose tracks are enabled or not, in their order; nil where there are other tracks.
  static func enabling(_ enabled: [Bool], in boxes: [UInt8]) -> [UInt8]? {
    guard let movie = content("moov", in: boxes, boxes.indices) else { return nil }
    var (made, left, start) = (boxes, enabled[...], movie.lowerBound)
    while start < movie.upperBound, let (type, size) = header(boxes[start..<movie.upperBound]) {
      let end = start + Int(size)
      guard end <= movie.upperBound else { return nil }
      if type == "trak" {
        guard let isEnabled = left.popFirst(), let head = content("tkhd", in: boxes, start + 8..<end), head.count >= 4 else {
          return nil
        }
        // The lowest of the flags says it, which follow a version of one byte.
        made[head.lowerBound + 3] = made[head.lowerBound + 3] & ~1 | (isEnabled ? 1 : 0)
      }
      start = end
    }
    return left.isEmpty ? made : nil
  }

  /// The place of the content of the first box of a type.
  static func content(_ type: String, in boxes: [UInt8], _ range: Range<Int>) -> Range<Int>? {
    var start = range.lowerBound
    while start < range.upperBound, let (found, size) = header(boxes[start..<range.upperBound]), size <= range.upperBound - start
    {
      if found == type { return start + 8..<start + Int(size) }
      start += Int(size)
    }
    return nil
  }

  /// The type and the size of the box that begins here; nil where there is none.
  static func header(_ bytes: ArraySlice<UInt8>) -> (type: String, size: Int64)? {
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
