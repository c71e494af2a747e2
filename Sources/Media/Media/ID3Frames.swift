/// The frames of the tag in front of an MP3 (id3.org, "ID3 tag version 2.4.0").
enum ID3Frames {
  /// The bytes of a tag's header, and of a frame's.
  private static let headLength = 10

  /// States the sizes of the frames of chapters as the standard has it, in seven bits a byte. FFmpeg states them in eight, so that readers
  /// lost their way behind one of 128 bytes or more, such as a table of 25 chapters.
  ///
  /// - Throws: `MediaError` `internal` where the tag is not as FFmpeg writes it; errors of the file.
  static func mend(in file: OutputFile) throws(MediaError) {
    let head = try file.head(headLength)
    if head.count == headLength, head.starts(with: Array("ID3".utf8) + [4]), case let size = number(head[6...], bits: 7),
      let mended = mended(try file.head(headLength + size))
    {
      return try file.replaceHead(by: mended)
    }
    throw MediaError(.internal, at: file.path, "the tag of the MP3 is not as its muxer writes it")
  }

  /// The tag with these sizes; nil where frames do not follow each other up to the tag's padding.
  private static func mended(_ tag: [UInt8]) -> [UInt8]? {
    var (mended, place) = (tag, headLength)
    while place < tag.count, tag[place] != 0 {
      guard place + headLength <= tag.count else { return nil }
      let isOfChapters = ["CHAP", "CTOC"].contains(String(decoding: tag[place..<place + 4], as: UTF8.self))
      let field = place + 4..<place + 8
      let size = number(tag[field], bits: isOfChapters ? 8 : 7)
      guard size < 1 << 28, place + headLength + size <= tag.count else { return nil }
      if isOfChapters {
        for (index, place) in field.enumerated() { mended[place] = UInt8(size >> (21 - 7 * index) & 127) }
      }
      place += headLength + size
    }
    return mended
  }

  /// The number that four bytes state, the highest first, each with its lowest bits.
  private static func number(_ bytes: ArraySlice<UInt8>, bits: Int) -> Int { bytes.reduce(0) { $0 << bits | Int($1) } }
}
