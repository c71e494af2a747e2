internal import Media

/// The directories of tables in a font file, by the OpenType specification ("Font file organization").
enum FontTables {
  /// Checks that a file is a TrueType or OpenType font, or a collection of them, and holds all tables that it says it has. A file
  /// that was cut off would otherwise be drawn without some of its letters.
  ///
  /// - Returns: the number of its faces.
  /// - Throws: `MediaError` `unsupported` or `corrupt`.
  static func faceCount(of bytes: [UInt8], at path: String, most: Int) throws(MediaError) -> Int {
    let directories: [Int]
    switch tag(bytes, at: 0) {
    case "\u{0}\u{1}\u{0}\u{0}", "true", "OTTO": directories = [0]
    case "ttcf":
      guard let count = number(bytes, at: 8), count > 0, bytes.count >= 12 + 4 * count else { throw cutOff(path) }
      guard count <= most else { throw MediaError(.unsupported, at: path, "has \(count) faces; at most \(most) are read") }
      directories = (0..<count).compactMap { number(bytes, at: 12 + 4 * $0) }
    case "wOFF", "wOF2":
      throw MediaError(.unsupported, at: path, "is a font for web pages (WOFF): convert it to TrueType or OpenType, .ttf or .otf")
    default: throw MediaError(.unsupported, at: path, "is no font: TrueType and OpenType are read")
    }
    for directory in directories { try check(directory, bytes, path) }
    return directories.count
  }

  private static func check(_ directory: Int, _ bytes: [UInt8], _ path: String) throws(MediaError) {
    guard directory + 12 <= bytes.count else { throw cutOff(path) }
    let count = Int(bytes[directory + 4]) << 8 | Int(bytes[directory + 5])
    guard count > 0 else { throw MediaError(.corrupt, at: path, "is a font without tables") }
    for index in 0..<count {
      let record = directory + 12 + 16 * index
      guard let name = tag(bytes, at: record), let start = number(bytes, at: record + 8),
        let length = number(bytes, at: record + 12)
      else { throw cutOff(path) }
      guard start + length <= bytes.count else {
        let letters = name.unicodeScalars.allSatisfy { (0x20...0x7e).contains($0.value) } ? " '\(name)'" : ""
        throw MediaError(.corrupt, at: path, "is a font that is cut off or damaged: its table\(letters) ends after the file")
      }
    }
  }

  private static func cutOff(_ path: String) -> MediaError {
    MediaError(.corrupt, at: path, "is a font that is cut off or damaged")
  }

  /// The four bytes at a place as characters; nil after the end.
  private static func tag(_ bytes: [UInt8], at place: Int) -> String? {
    guard place + 4 <= bytes.count else { return nil }
    return String(String.UnicodeScalarView(bytes[place..<place + 4].map { Unicode.Scalar($0) }))
  }

  /// The number of 32 bits at a place; nil after the end.
  private static func number(_ bytes: [UInt8], at place: Int) -> Int? {
    guard place + 4 <= bytes.count else { return nil }
    return bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
  }
}
