internal import CFFmpeg

/// The units of H.264 and HEVC (ITU-T H.264 and H.265, chapter 7) in a packet or in a codec's parameters. They stand behind their
/// lengths, as in mp4, or behind start codes (Annex B).
package enum CodedUnits {
  /// The places of the units.
  ///
  /// - Parameter lengthSize: the bytes of the length before each unit; nil for start codes.
  /// - Returns: nil where the bytes are no sequence of units.
  package static func places(in bytes: UnsafeBufferPointer<UInt8>, lengthSize: Int?) -> [Range<Int>]? {
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
    // Zeros behind a unit belong to none.
    func close(before end: Int) {
      guard let start else { return }
      var end = end
      while end > start, unsafe bytes[end - 1] == 0 { end -= 1 }
      if end > start { places.append(start..<end) }
    }
    var index = 0
    while let code = unsafe startCode(in: bytes, from: index) {
      close(before: code)
      index = code + 3
      start = index
    }
    guard start != nil else { return nil }
    close(before: bytes.count)
    return places
  }

  /// The place of the next start code, 00 00 01, at `index` or behind it.
  ///
  /// It looks at 64 places at a time, of which nearly all have none: start codes stand before units alone. Three words that begin one byte after the
  /// other are 0 in a byte, after the last one's lowest bit was turned, where a start code begins. Whether a word has a byte of 0 is
  /// asked as by Mycroft: `(x - 0x01…01) & ~x & 0x80…80` is not 0 then.
  private static func startCode(in bytes: UnsafeBufferPointer<UInt8>, from index: Int) -> Int? {
    typealias Words = SIMD8<UInt64>
    let width = MemoryLayout<Words>.size
    let (ones, tops) = (Words(repeating: 0x0101_0101_0101_0101), Words(repeating: 0x8080_8080_8080_8080))
    let raw = UnsafeRawBufferPointer(bytes)
    var index = index
    while index + 3 <= raw.count {
      var end = raw.count - 2
      if index + width + 2 <= raw.count {
        end = index + width
        let (first, second, third) = unsafe (
          raw.loadUnaligned(fromByteOffset: index, as: Words.self), raw.loadUnaligned(fromByteOffset: index + 1, as: Words.self),
          raw.loadUnaligned(fromByteOffset: index + 2, as: Words.self)
        )
        let word = first | second | (third ^ ones)
        let zeros = (word &- ones) & ~word & tops
        guard zeros != .zero else {
          index = end
          continue
        }
      }
      while index < end {
        if unsafe raw[index] == 0, unsafe raw[index + 1] == 0, unsafe raw[index + 2] == 1 { return index }
        index += 1
      }
    }
    return nil
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
  /// Puts the length of each unit in the place of its start code.
  ///
  /// - Throws: `MediaError` `corrupt` naming `path` where the packet is no sequence of units; `outOfMemory`.
  func putLengths(at path: String) throws(MediaError) {
    guard let places = unsafe CodedUnits.places(in: bytes, lengthSize: nil) else {
      throw MediaError(.corrupt, at: path, "a packet is no sequence of units")
    }
    // A start code of four bytes is as long as the length, so most packets need no copy.
    var end = 0
    let fits = places.allSatisfy { place in
      defer { end = place.upperBound }
      return place.lowerBound == end + 4
    }
    guard fits, unsafe end == Int(pointee.size), unsafe av_packet_make_writable(self) >= 0, let data = unsafe pointee.data else {
      return try unsafe replaceData(with: CodedUnits.withLengths(bytes, places))
    }
    for place in places {
      for index in 0..<4 {
        unsafe data[place.lowerBound - 4 + index] = UInt8(truncatingIfNeeded: place.count >> (24 - 8 * index))
      }
    }
  }

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
