/// The words at the beginning of an MP3 file, by ID3 2.3 or 2.4.
struct ID3Frames {
  private(set) var items: [AVMetadataItem] = []

  /// The bytes after the head of ten bytes; nil where a file does not begin with ID3.
  static func size(_ head: Data) -> Int? {
    guard head.count == 10, head.starts(with: Array("ID3".utf8)) else { return nil }
    return sevenBits(head, at: 6)
  }

  /// - Throws: an error for other versions and for bytes that are changed so that no player takes them for sound.
  init(_ head: Data, _ body: Data) throws(AVError) {
    let (version, flags) = (head[head.startIndex + 3], head[head.startIndex + 5])
    guard version == 3 || version == 4, flags == 0 else {
      throw AVAsset.untold("metadata", "by ID3 2.\(version) with the flags \(flags) are not read", nil)
    }
    var rest = body
    while rest.count > 10, let type = rest.number(at: 0, bytes: 4), type != 0 {
      guard let size = version == 4 ? Self.sevenBits(rest, at: 4) : rest.number(at: 4, bytes: 4).flatMap(Int.init(exactly:)),
        size <= rest.count - 10
      else { return }
      let content = Data(rest.after(10).prefix(size))
      let name = String(decoding: rest.prefix(4), as: UTF8.self)
      rest = rest.after(10 + size)
      guard name.hasPrefix("T"), name != "TXXX", let text = Self.text(content) else { continue }
      items.append(AVMetadataItem.read(.id3, "id3/\(name)", name as NSString, text, "com.apple.metadata.datatype.UTF-8"))
    }
  }

  /// A number of four bytes of which seven bits count.
  private static func sevenBits(_ bytes: Data, at offset: Int) -> Int? {
    guard let number = bytes.number(at: offset, bytes: 4), number & 0x8080_8080 == 0 else { return nil }
    return (0..<4).reduce(0) { $0 << 7 | Int(number >> UInt64(24 - 8 * $1) & 0x7f) }
  }

  private static func text(_ content: Data) -> String? {
    guard let first = content.first else { return nil }
    let encodings: [String.Encoding] = [.isoLatin1, .utf16, .utf16BigEndian, .utf8]
    guard encodings.indices.contains(Int(first)) else { return nil }
    return String(data: Data(content.dropFirst()), encoding: encodings[Int(first)])?.trimmingCharacters(in: ["\0"])
  }
}
