/// A box of ISO/IEC 14496-12 while it is made. Numbers are big-endian.
struct BoxBytes {
  /// The flags of a sample that needs no other, and of one that does and cannot be begun with.
  static let (keyFlags, dependentFlags): (UInt32, UInt32) = (0x0200_0000, 0x0101_0000)

  private var content: [UInt8]
  private let type: String

  /// A full box: with a version and flags.
  init(full type: String, version: UInt8, flags: UInt32) {
    (self.type, content) = (type, [])
    add(UInt32(version) << 24 | flags)
  }

  mutating func add(_ number: some FixedWidthInteger) {
    for shift in stride(from: number.bitWidth - 8, through: 0, by: -8) {
      content.append(UInt8(truncatingIfNeeded: number >> shift))
    }
  }

  var bytes: [UInt8] { Self.box(type, content) }

  /// The box with more content at its end.
  func bytes(with more: [UInt8]) -> [UInt8] { Self.box(type, content + more) }

  static func box(_ type: String, _ content: [UInt8]) -> [UInt8] { header(type, of: content.count) + content }

  /// The header of `mdat`, with a size of 64 bits where 32 do not suffice.
  static func mediaDataHeader(of byteCount: Int) -> [UInt8] { header("mdat", of: byteCount) }

  /// The header of a box with so many bytes of content.
  static func header(_ type: String, of byteCount: Int) -> [UInt8] {
    guard let short = UInt32(exactly: byteCount + 8) else {
      return number(UInt32(1)) + type.utf8 + number(UInt64(byteCount + 16))
    }
    return number(short) + type.utf8
  }

  private static func number(_ number: some FixedWidthInteger) -> [UInt8] {
    stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
  }
}
