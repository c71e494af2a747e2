internal import CFFmpeg

/// The units of H.264 and HEVC (ITU-T H.264 and H.265, chapter 7) in a packet or in a codec's parameters. They stand behind their
/// lengths, as in mp4, or behind start codes (Annex B).
enum CodedUnits {
  /// The places of the units.
  ///
  /// - Parameter lengthSize: the bytes of the length before each unit; nil for start codes.
  /// - Returns: nil where the bytes are no sequence of units.
  static func places(in bytes: UnsafeBufferPointer<UInt8>, lengthSize: Int?) -> [Range<Int>]? {
    guard let lengthSize else { return unsafe behindStartCodes(bytes) }
    return unsafe behindLengths(bytes, lengthSize)
  }

  private static func behindLengths(_ bytes: UnsafeBufferPointer<UInt8>, _ size: Int) -> [Range<Int>]? {
    var (places, index): ([Range<Int>], Int) = ([], 0)
    while index < bytes.count {
      guard index + size <= bytes.count else { return nil }
      let length = (0..<size).reduce(0) { unsafe $0 << 8 | Int(bytes[index + $1]) }
      index += size
      guard length > 0, length <= bytes.count - index else { return nil }
      places.append(index..<(index + length))
      index += length
    }
    return places
  }

  private static func behindStartCodes(_ bytes: UnsafeBufferPointer<UInt8>) -> [Range<Int>]? {
    var (places, start): ([Range<Int>], Int?) = ([], nil)
    var (index, zeros) = (0, 0)
    while index < bytes.count {
      let byte = unsafe bytes[index]
      if byte == 1, zeros >= 2 {
        if let start, start < index - zeros { places.append(start..<(index - zeros)) }
        start = index + 1
      }
      zeros = byte == 0 ? zeros + 1 : 0
      index += 1
    }
    guard let start else { return nil }
    // Zeros behind the last unit belong to none.
    if start < index - zeros { places.append(start..<(index - zeros)) }
    return places
  }

  /// The units with a start code before each.
  static func withStartCodes(_ units: [[UInt8]]) -> [UInt8] { units.flatMap { [0, 0, 0, 1] + $0 } }

  /// The bytes with a start code before each unit.
  static func withStartCodes(_ bytes: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>]) -> [UInt8] {
    var written: [UInt8] = []
    written.reserveCapacity(bytes.count + 4 * places.count)
    for place in places {
      written += [0, 0, 0, 1]
      unsafe written.append(contentsOf: bytes[place])
    }
    return written
  }

  /// The bytes with a length of four bytes before each unit.
  static func withLengths(_ bytes: UnsafeBufferPointer<UInt8>, _ places: [Range<Int>]) -> [UInt8] {
    var written: [UInt8] = []
    written.reserveCapacity(bytes.count + 4 * places.count)
    for place in places {
      for shift in [24, 16, 8, 0] { written.append(UInt8(truncatingIfNeeded: place.count >> shift)) }
      unsafe written.append(contentsOf: bytes[place])
    }
    return written
  }
}

extension UnsafeMutablePointer<AVPacket> {
  /// Puts other bytes in the place of the packet's, and keeps its times and flags.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  func replaceData(with bytes: [UInt8]) throws(MediaError) {
    guard let size = Int32(exactly: bytes.count), let fresh = unsafe av_packet_alloc() else {
      throw MediaError(.outOfMemory, at: "packet", "there is not enough memory for a packet")
    }
    var owned: UnsafeMutablePointer<AVPacket>? = unsafe fresh
    defer { unsafe av_packet_free(&owned) }
    guard unsafe av_new_packet(fresh, size) >= 0, unsafe av_packet_copy_props(fresh, self) >= 0 else {
      throw MediaError(.outOfMemory, at: "packet", "there is not enough memory for a packet")
    }
    unsafe bytes.withUnsafeBufferPointer { unsafe fresh.pointee.data.update(from: $0.baseAddress!, count: $0.count) }
    unsafe av_packet_unref(self)
    unsafe av_packet_move_ref(self, fresh)
  }

  /// The packet's bytes, which are the packet's own.
  var bytes: UnsafeBufferPointer<UInt8> { unsafe UnsafeBufferPointer(start: pointee.data, count: Int(pointee.size)) }
}
