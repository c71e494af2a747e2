/// The size of an encoded picture, as its header says it, and its kind.
package struct PictureHeader: Hashable, Sendable {
  package enum Kind: String, Sendable { case png, jpeg = "jpg" }

  package let kind: Kind
  package let width: Int
  package let height: Int
  /// The number 1...8 of the way in which the picture stands, by EXIF; 1 where nothing says it.
  package let orientation: Int
  /// Whether there may be alpha.
  package let hasAlpha: Bool

  /// Reads the header; nil where the bytes have none of a PNG or a JPEG.
  package init?(_ data: Data) {
    let bytes = [UInt8](data)
    if let png = Self.png(bytes) {
      (kind, width, height, orientation, hasAlpha) = (.png, png.width, png.height, 1, png.hasAlpha)
    } else if let jpeg = Self.jpeg(bytes) {
      (kind, width, height, orientation, hasAlpha) = (.jpeg, jpeg.width, jpeg.height, jpeg.orientation, false)
    } else {
      return nil
    }
  }

  /// The first chunk of a PNG (ISO/IEC 15948, 11.2.2). Colour types 4 and 6 have alpha; a palette may have it in a chunk of its own.
  private static func png(_ bytes: [UInt8]) -> (width: Int, height: Int, hasAlpha: Bool)? {
    guard bytes.count > 25, bytes.starts(with: [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]) else { return nil }
    let size = (integer(bytes[16..<20]), integer(bytes[20..<24]))
    guard size.0 > 0, size.1 > 0 else { return nil }
    return (size.0, size.1, bytes[25] & 4 != 0 || bytes[25] == 3)
  }

  /// The first frame header of a JPEG (ITU-T T.81, B.2.2), and the orientation in a segment of EXIF before it.
  private static func jpeg(_ bytes: [UInt8]) -> (width: Int, height: Int, orientation: Int)? {
    guard bytes.starts(with: [0xff, 0xd8]) else { return nil }
    var (place, orientation) = (2, 1)
    while place + 9 < bytes.count, bytes[place] == 0xff {
      let marker = bytes[place + 1]
      if marker == 0xff {
        place += 1
        continue
      }
      // C4, C8 and CC are tables and an extension, not frame headers.
      if 0xc0...0xcf ~= marker, ![0xc4, 0xc8, 0xcc].contains(marker) {
        let size = (integer(bytes[place + 7..<place + 9]), integer(bytes[place + 5..<place + 7]))
        return size.0 > 0 && size.1 > 0 ? (size.0, size.1, orientation) : nil
      }
      let end = place + 2 + integer(bytes[place + 2..<place + 4])
      if marker == 0xe1, end >= place + 4, end <= bytes.count {
        orientation = self.orientation(bytes[(place + 4)..<end]) ?? orientation
      }
      place = end
    }
    return nil
  }

  /// The tag 0x0112 of the first directory of TIFF that a segment of EXIF has.
  private static func orientation(_ segment: ArraySlice<UInt8>) -> Int? {
    guard segment.starts(with: [0x45, 0x78, 0x69, 0x66, 0, 0]) else { return nil }
    let tiff = Array(segment.dropFirst(6))
    guard tiff.count > 8 else { return nil }
    let isLittle = tiff[0] == 0x49
    func number(_ place: Int, _ count: Int) -> Int? {
      guard place >= 0, place + count <= tiff.count else { return nil }
      let part = tiff[place..<place + count]
      return integer(isLittle ? ArraySlice(part.reversed()) : part)
    }
    guard let directory = number(4, 4), let count = number(directory, 2) else { return nil }
    for entry in 0..<min(count, 200) where number(directory + 2 + entry * 12, 2) == 0x0112 {
      return number(directory + 2 + entry * 12 + 8, 2).flatMap { (1...8).contains($0) ? $0 : nil }
    }
    return nil
  }

  private static func integer(_ bytes: ArraySlice<UInt8>) -> Int { bytes.reduce(0) { $0 << 8 | Int($1) } }
}
