internal import Formats

extension CleanAperture {
  /// The bytes of a sample entry before its boxes: its header, and the fields of a picture (ISO/IEC 14496-12, 12.1.3).
  private static let entryFields = 86

  /// An index, `moov`, whose first picture track tells its clean aperture; nil where the index has no such track.
  ///
  /// - Parameters:
  ///   - aperture: in whole pixels, within the picture.
  ///   - size: the size of the picture.
  static func stated(_ aperture: Rect, of size: PixelSize, in index: [UInt8]) -> [UInt8]? {
    guard let movie = MovieIndex.content("moov", in: index, index.indices), movie.lowerBound == 8 else { return nil }
    var start = movie.lowerBound
    while start < movie.upperBound, let (type, length) = MovieIndex.header(index[start..<movie.upperBound]) {
      let end = start + Int(length)
      guard end <= movie.upperBound else { return nil }
      if type == "trak", let media = MovieIndex.content("mdia", in: index, start + 8..<end), isPicture(media, in: index) {
        return stated(box(aperture, size), within: [0, start, media.lowerBound - 8], media, in: index)
      }
      start = end
    }
    return nil
  }

  /// Whether a track's media are pictures, by their handler.
  private static func isPicture(_ media: Range<Int>, in index: [UInt8]) -> Bool {
    guard let handler = MovieIndex.content("hdlr", in: index, media), handler.count >= 12 else { return false }
    return index[handler.lowerBound + 8..<handler.lowerBound + 12].elementsEqual("vide".utf8)
  }

  /// Puts a box into the first sample entry, and makes all boxes around it as much longer.
  ///
  /// - Parameter outer: the places of the boxes around `media`, and its own.
  private static func stated(_ box: [UInt8], within outer: [Int], _ media: Range<Int>, in index: [UInt8]) -> [UInt8]? {
    var (places, range) = (outer, media)
    for type in ["minf", "stbl", "stsd"] {
      guard let content = MovieIndex.content(type, in: index, range) else { return nil }
      places.append(content.lowerBound - 8)
      range = content
    }
    // Version, flags and the count of entries stand before the first one.
    let entry = range.lowerBound + 8
    guard entry < range.upperBound, let (_, length) = MovieIndex.header(index[entry..<range.upperBound]), length >= entryFields,
      entry + Int(length) <= range.upperBound
    else { return nil }
    places.append(entry)
    var made = index
    for place in places {
      let size = made[place..<place + 4].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
      // 1 stands for a size of 64 bits, which no muxer writes for these boxes.
      guard size > 1, let longer = UInt32(exactly: Int(size) + box.count) else { return nil }
      for byte in 0..<4 { made[place + byte] = UInt8(truncatingIfNeeded: longer >> (24 - 8 * UInt32(byte))) }
    }
    made.insert(contentsOf: box, at: entry + entryFields)
    return made
  }

  /// The box `clap` (12.1.4): width and height, and how far the middle of the aperture is from that of the picture, as fractions.
  private static func box(_ aperture: Rect, _ size: PixelSize) -> [UInt8] {
    let terms = [
      Int32(aperture.width), 1, Int32(aperture.height), 1, Int32(2 * aperture.x + aperture.width) - Int32(size.width), 2,
      Int32(2 * aperture.y + aperture.height) - Int32(size.height), 2,
    ]
    let bytes = terms.flatMap { term in (0..<4).map { UInt8(truncatingIfNeeded: term >> (24 - 8 * Int32($0))) } }
    return BoxBytes.box("clap", bytes)
  }
}
