internal import CWebP

/// The coded data of a lossy WebP picture (RFC 6386): how its blocks are made, and their coefficients.
///
/// Both are arithmetic codes, which have no checksum, and in which any bytes mean something. But a decoder of other bytes than were written
/// needs fewer of them for the picture, or more: those that were written are all needed but for a few at the end, which fill up.
struct LossyWebP {
  /// Bytes that may be left over: libwebp's encoder leaves three at the most, libvpx's one.
  private static let mostLeftOver = 16
  /// Rows of blocks of 16 pixels from which on each part has some of the coefficients: there are at most eight parts.
  private static let mostParts = 8
  /// Of the chunk's content: three of the frame's tag, three of a mark, and two of each side.
  private static let headerSize = 10

  /// The chunk 'VP8 ' without its header.
  private let bytes: [UInt8]

  /// Nil for another kind of picture, and for one whose header says what cannot be.
  init?(_ file: UnsafeBufferPointer<UInt8>) {
    guard let chunk = unsafe WebPChunk.all(in: file, from: 12)?.first(where: { $0.name == "VP8 " }),
      chunk.payload.count > Self.headerSize
    else { return nil }
    bytes = unsafe Array(file[chunk.payload])
    guard bytes[0] & 1 == 0, Self.headerSize + blocks < bytes.count else { return nil }
  }

  /// Whether the picture takes fewer bytes than there are, by more than encoders leave over.
  var endsEarly: Bool { [withShortBlocks, withShortCoefficients].contains { $0.map(Self.canBeDecoded) ?? false } }

  /// Bytes of how the blocks are made.
  private var blocks: Int { tag >> 5 }
  private var tag: Int { Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16 }
  /// In pixels.
  private var height: Int { (Int(bytes[8]) | Int(bytes[9]) << 8) & 0x3fff }

  private var withShortBlocks: [UInt8]? {
    guard blocks > Self.mostLeftOver else { return nil }
    let (count, tag) = (blocks - Self.mostLeftOver, tag - Self.mostLeftOver << 5)
    let head = (0..<3).map { UInt8(truncatingIfNeeded: tag >> (8 * $0)) } + bytes[3..<Self.headerSize + count]
    return head + bytes[(Self.headerSize + blocks)...]
  }

  /// Of several parts the last lacks its end. One that has no rows would not be missed.
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
