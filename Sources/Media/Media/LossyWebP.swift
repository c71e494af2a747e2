internal import CWebP

/// The coded data of a lossy WebP picture (RFC 6386). They have two parts: how the picture's blocks are made, and the blocks'
/// coefficients.
///
/// Both parts are arithmetic codes. These have no checksum, and any bytes can be decoded. But a decoder that is given wrong bytes
/// needs fewer or more of them for the picture than were written. A whole picture needs all its bytes except a few at the end,
/// which only fill up.
struct LossyWebP {
  /// The most bytes at the end of a part that a whole picture may not need. libwebp's encoder leaves at most three, libvpx's one.
  private static let mostLeftOver = 16
  /// The most partitions that the coefficients may be divided into. A picture with as many rows of blocks (16 pixels high) has
  /// some coefficients in each.
  private static let mostParts = 8
  /// The bytes of the header at the beginning of the chunk: three for the frame's tag, three for the start code, and two each for
  /// width and height.
  private static let headerSize = 10

  /// The content of the chunk 'VP8 ', without its name and size.
  private let bytes: [UInt8]

  /// Finds the coded data in a WebP file; nil for another kind of picture, and for a header that cannot be right.
  init?(_ file: UnsafeBufferPointer<UInt8>) {
    guard let chunk = unsafe WebPChunk.all(in: file, from: 12)?.first(where: { $0.name == "VP8 " }),
      chunk.payload.count > Self.headerSize
    else { return nil }
    bytes = unsafe Array(file[chunk.payload])
    guard bytes[0] & 1 == 0, Self.headerSize + blocks < bytes.count else { return nil }
  }

  /// Whether the picture can be decoded without the last 16 bytes of one of its parts. Encoders do not leave so many over, so the
  /// picture is damaged.
  var endsEarly: Bool { [withShortBlocks, withShortCoefficients].contains { $0.map(Self.canBeDecoded) ?? false } }

  /// The size in bytes of the first part, which says how the blocks are made.
  private var blocks: Int { tag >> 5 }
  private var tag: Int { Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16 }
  /// The height in pixels.
  private var height: Int { (Int(bytes[8]) | Int(bytes[9]) << 8) & 0x3fff }

  /// The chunk's content without the end of the first part; nil where that part is too short.
  private var withShortBlocks: [UInt8]? {
    guard blocks > Self.mostLeftOver else { return nil }
    let (count, tag) = (blocks - Self.mostLeftOver, tag - Self.mostLeftOver << 5)
    let head = (0..<3).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) } + bytes[3..<Self.headerSize + count]
    return head + bytes[(Self.headerSize + blocks)...]
  }

  /// The chunk's content without the end of the coefficients; nil where they are too short, or the picture is so low that the
  /// last partition may be empty. Nobody would miss the end of an empty partition.
  private var withShortCoefficients: [UInt8]? {
    guard bytes.count - Self.headerSize - blocks > Self.mostLeftOver, height > 16 * (Self.mostParts - 1) else { return nil }
    return Array(bytes.dropLast(Self.mostLeftOver))
  }

  private static func canBeDecoded(_ content: [UInt8]) -> Bool {
    func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
    let filler = [UInt8](repeating: 0, count: content.count & 1)
    let chunk = Array("VP8 ".utf8) + number(content.count) + content + filler
    let file = Array("RIFF".utf8) + number(4 + chunk.count) + Array("WEBP".utf8) + chunk
    return unsafe file.withUnsafeBufferPointer { unsafe StillWebP.status(of: $0) == VP8_STATUS_OK }
  }
}
