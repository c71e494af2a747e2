internal import CFFmpeg

/// The headers of FLAC's streams and frames. Those of frames state their numbers (RFC 9639, section 9.1). An encoder that begins inside
/// of a sound counts from 0.
enum FLACFrames {
  /// States the number of samples in the head of a stream (STREAMINFO, RFC 9639, section 8.2), for a file that has no other place for
  /// it. An encoder of a segment does not know it.
  ///
  /// - Parameter codec: the parameters of a stream of FLAC. A head that is too short stays as it is.
  static func state(sampleCount: Int64, in codec: UnsafeMutablePointer<AVCodecParameters>) {
    guard let head = unsafe codec.pointee.extradata, unsafe codec.pointee.extradata_size >= 34, sampleCount > 0 else { return }
    // The number has 36 bits, the upper four in the byte that ends with the depth. A longer sound states none.
    guard sampleCount < 1 << 36 else { return }
    unsafe head[13] = unsafe head[13] & 0xf0 | UInt8(truncatingIfNeeded: sampleCount >> 32)
    for place in 14..<18 { unsafe head[place] = UInt8(truncatingIfNeeded: sampleCount >> Int64(8 * (17 - place))) }
  }

  /// Adds `count` to the number of a frame.
  ///
  /// - Throws: `MediaError` `internal` when it is no frame of a stream with blocks of one length, `outOfMemory`.
  static func renumber(_ packet: UnsafeMutablePointer<AVPacket>, by count: Int64) throws(MediaError) {
    guard let bytes = unsafe renumbered(Array(packet.bytes), by: count) else {
      throw MediaError(.internal, at: "encoder flac", "the header of a frame is another one than FLAC's")
    }
    try unsafe packet.replaceData(with: bytes)
  }

  /// The frame with another number; nil where its header cannot be.
  static func renumbered(_ frame: [UInt8], by count: Int64) -> [UInt8]? {
    guard frame.count > 6, frame[0] == 0xff, frame[1] == 0xf8, let (number, length) = number(in: frame[4...]) else { return nil }
    // The length of the block and the rate may follow the number, in one or two bytes.
    let sizeBytes: Int = [6: 1, 7: 2][frame[2] >> 4] ?? 0
    let rateBytes: Int = [12: 1, 13: 2, 14: 2][frame[2] & 15] ?? 0
    let rest = 4 + length + sizeBytes + rateBytes
    guard frame.count > rest + 2 else { return nil }
    var made = Array(frame[..<4])
    made += coded(number + UInt64(count))
    made += frame[(4 + length)..<rest]
    made.append(UInt8(truncatingIfNeeded: check(made, AV_CRC_8_ATM)))
    made += frame[(rest + 1)..<(frame.count - 2)]
    // FFmpeg gives the sum of 16 bits with its bytes swapped.
    let sum = UInt16(truncatingIfNeeded: check(made, AV_CRC_16_ANSI))
    return made + [UInt8(sum & 255), UInt8(sum >> 8)]
  }

  /// The number in the form of UTF-8, and its length in bytes.
  private static func number(in bytes: ArraySlice<UInt8>) -> (UInt64, Int)? {
    guard let first = bytes.first else { return nil }
    let ones = (~first).leadingZeroBitCount
    if ones == 0 { return (UInt64(first), 1) }
    guard 2...7 ~= ones, bytes.count >= ones else { return nil }
    let rest = bytes.dropFirst().prefix(ones - 1)
    guard rest.allSatisfy({ $0 & 0xc0 == 0x80 }) else { return nil }
    var number = UInt64(first & (0x7f >> UInt8(ones)))
    for byte in rest { number = number << 6 | UInt64(byte & 0x3f) }
    return (number, ones)
  }

  private static func coded(_ number: UInt64) -> [UInt8] {
    guard number >= 0x80 else { return [UInt8(number)] }
    // A number of n bytes has 5 n + 1 bits: six in each byte after the first.
    var length = 2
    while length < 7, number >> UInt64(5 * length + 1) > 0 { length += 1 }
    var bytes = [UInt8(truncatingIfNeeded: 0xff00 >> length) | UInt8(truncatingIfNeeded: number >> UInt64(6 * (length - 1)))]
    for place in (0..<length - 1).reversed() {
      bytes.append(0x80 | UInt8(truncatingIfNeeded: number >> UInt64(6 * place)) & 0x3f)
    }
    return bytes
  }

  /// The sum that guards a header or a frame.
  private static func check(_ bytes: [UInt8], _ kind: AVCRCId) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer { unsafe av_crc(av_crc_get_table(kind), 0, $0.baseAddress, $0.count) }
  }
}
