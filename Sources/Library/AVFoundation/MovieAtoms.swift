/// The atoms of a movie's file, one after the other. Each has a type of four bytes, and holds values or atoms.
package struct MovieAtoms: Sequence, IteratorProtocol {
  private var rest: Data

  package init(_ bytes: Data) { rest = bytes }

  /// The next atom; nil at the end, and where the rest is no atom.
  package mutating func next() -> (type: UInt32, body: Data)? {
    guard let short = rest.number(at: 0, bytes: 4), let type = rest.number(at: 4, bytes: 4) else { return nil }
    var (head, size) = (8, short)
    if short == 1 {
      guard let long = rest.number(at: 8, bytes: 8) else { return nil }
      (head, size) = (16, long)
    } else if short == 0 {
      size = UInt64(rest.count)
    }
    guard size >= UInt64(head), size <= UInt64(rest.count) else { return nil }
    let end = rest.startIndex + Int(size)
    defer { rest = rest[end...] }
    return (UInt32(truncatingIfNeeded: type), rest[(rest.startIndex + head)..<end])
  }

  /// The body of the first atom of a type.
  static func body(_ type: String, in bytes: Data) -> Data? {
    MovieAtoms(bytes).first { $0.type == type.fourCharCode }?.body
  }

  /// The atom that describes the movie, of a file on this machine; nil where the file has none.
  static func movie(of file: FileHandle) throws -> Data? {
    var place: UInt64 = 0
    // A file has a few atoms at its top level. One with more is no movie that anybody made.
    for _ in 0..<10_000 {
      try file.seek(toOffset: place)
      guard let head = try file.read(upToCount: 16), head.count >= 8, let short = head.number(at: 0, bytes: 4),
        let type = head.number(at: 4, bytes: 4)
      else { return nil }
      let size = short == 1 ? head.number(at: 8, bytes: 8) ?? 0 : short
      if type == UInt64("moov".fourCharCode) {
        // A movie of many hours has some tens of megabytes.
        guard size < 1 << 28 else { return nil }
        try file.seek(toOffset: place)
        let whole = size == 0 ? try file.readToEnd() : try file.read(upToCount: Int(size))
        return whole.flatMap { body("moov", in: $0) }
      }
      guard size >= 8, size < 1 << 62, place < 1 << 62 else { return nil }
      place += size
    }
    return nil
  }
}

extension Data {
  /// The number in some bytes, the highest first; nil beyond the end.
  func number(at offset: Int, bytes: Int) -> UInt64? {
    guard offset >= 0, offset + bytes <= count else { return nil }
    return self[(startIndex + offset)..<(startIndex + offset + bytes)].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// The bytes from an offset on; none beyond the end.
  func after(_ offset: Int) -> Data { offset < count ? self[(startIndex + offset)...] : Data() }
}

extension String {
  /// The four characters, each of one byte, as a number.
  var fourCharCode: UInt32 { unicodeScalars.reduce(0) { $0 << 8 | UInt32(truncatingIfNeeded: $1.value & 0xff) } }
}

extension UInt32 {
  /// The number's four characters as metadata's identifiers write them: those that are no letters, digits or spaces by their codes.
  var identifierWord: String {
    (0..<4).map { index in
      let byte = UInt8(truncatingIfNeeded: self >> UInt32(24 - 8 * index))
      let isPlain = (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
      if isPlain { return String(UnicodeScalar(byte)) }
      return (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }.joined()
  }
}
