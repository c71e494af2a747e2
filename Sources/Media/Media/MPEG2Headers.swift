internal import CFFmpeg
internal import Formats
internal import MediaTime

/// The headers of MPEG-2 video that tell of the whole movie, though each chunk is encoded by itself (ISO/IEC 13818-2, 6.2.2).
enum MPEG2Headers {
  /// Writes the bound of the movie's rate into the sequence header of a packet. The encoder would write the part of it for which it
  /// was told to plan, or next to nothing. Packets of other codecs, and without such a header, are left alone.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  static func state(_ cap: RateCap, in packet: UnsafeMutablePointer<AVPacket>, _ parameters: CodecParameters) throws(MediaError) {
    // The standard counts 400 bits a second, and buffers in 16,384 bits.
    let rate = UInt32((cap.maxBitRate / 400).rounded(.up)), buffer = UInt32((cap.bufferSize / 16_384).rounded(.up))
    try unsafe change(packet, parameters) { bytes in
      if let start = unsafe find(0xb3, in: bytes), bytes.count >= start + 8 {
        // Behind the size, the shape and the frame rate: 18 bits of rate, a one, 10 bits of buffer, and 3 bits that stay.
        let word = unsafe read(bytes, start + 4) & 0x2007
        unsafe write(word | (rate & 0x3ffff) << 14 | (buffer & 0x3ff) << 3, bytes, start + 4)
      }
      if let start = unsafe find(0xb5, in: bytes), bytes.count >= start + 5, unsafe bytes[start] >> 4 == 1 {
        // Behind 19 bits: 12 more bits of rate, a one, and 8 more bits of buffer.
        unsafe write(read(bytes, start) & ~0x1ffe | (rate >> 18) << 1, bytes, start)
        unsafe bytes[start + 4] = UInt8(truncatingIfNeeded: buffer >> 10)
      }
    }
  }

  /// Writes the time code of the movie's frame `frame` into the group's header in its packet, which begins a group. The encoder counts
  /// from the chunk's first frame. Packets of other codecs, and those that begin no group, are left alone.
  ///
  /// - Parameter timecode: that of the movie's first frame; nil counts from 0, without leaving numbers out.
  /// - Throws: `MediaError` `outOfMemory`; `internal` for a time code that labels no frame.
  static func state(
    frame: Int64, from timecode: SourceTimecode?, in packet: UnsafeMutablePointer<AVPacket>, _ parameters: CodecParameters
  ) throws(MediaError) {
    guard unsafe beginsGroup(packet, parameters) else { return }
    let (value, timescale) = (Int64(parameters.timeBase.num), Int64(parameters.timeBase.den))
    // 29.97 frames a second are counted as 30.
    let perSecond = max(1, (timescale + value / 2) / value)
    var numbers = [frame / perSecond / 3600 % 24, frame / perSecond / 60 % 60, frame / perSecond % 60, frame % perSecond]
    var drops = false
    if let timecode {
      do throws(TimeError) {
        let label = try timecode.label(ofFrame: frame)
        numbers = label.split { $0 == ":" || $0 == ";" }.compactMap { Int64($0) }
        // The standard has the flag at this rate alone.
        drops = label.contains(";") && perSecond == 30
      } catch { throw MediaError(.internal, at: "time code \(timecode.label)", "\(error)") }
    }
    guard numbers.count == 4 else { return }
    let fields = numbers.map { UInt32(truncatingIfNeeded: $0) }
    let code = (drops ? 1 << 24 : 0) | fields[0] << 19 | fields[1] << 13 | 1 << 12 | fields[2] << 6 | fields[3]
    try unsafe change(packet, parameters) { bytes in
      guard let start = unsafe find(0xb8, in: bytes), bytes.count >= start + 4 else { return }
      // A bit for dropped numbers, 24 of time, and 7 that stay: whether the group is closed, and padding.
      unsafe write(read(bytes, start) & 0x7f | code << 7, bytes, start)
    }
  }

  private static func beginsGroup(_ packet: UnsafeMutablePointer<AVPacket>, _ parameters: CodecParameters) -> Bool {
    unsafe parameters.codec.pointee.codec_id == AV_CODEC_ID_MPEG2VIDEO && packet.pointee.flags & AV_PKT_FLAG_KEY != 0
  }

  private static func change(
    _ packet: UnsafeMutablePointer<AVPacket>, _ parameters: CodecParameters,
    _ body: (UnsafeMutableBufferPointer<UInt8>) -> Void
  ) throws(MediaError) {
    guard unsafe beginsGroup(packet, parameters) else { return }
    let code = unsafe av_packet_make_writable(packet)
    guard code >= 0 else { throw MediaError(code, from: "av_packet_make_writable", at: "packet") }
    unsafe body(UnsafeMutableBufferPointer(start: packet.pointee.data, count: Int(packet.pointee.size)))
  }

  /// The place behind the first start code of a kind: 00 00 01 and the kind. It is searched up to the picture's own header.
  private static func find(_ kind: UInt8, in bytes: UnsafeMutableBufferPointer<UInt8>) -> Int? {
    var index = 0
    while index + 3 < bytes.count {
      if unsafe bytes[index] == 0, unsafe bytes[index + 1] == 0, unsafe bytes[index + 2] == 1 {
        if unsafe bytes[index + 3] == kind { return index + 4 }
        // A picture's header has the kind 0.
        if unsafe bytes[index + 3] == 0 { return nil }
        index += 3
      }
      index += 1
    }
    return nil
  }

  private static func read(_ bytes: UnsafeMutableBufferPointer<UInt8>, _ start: Int) -> UInt32 {
    (0..<4).reduce(0) { unsafe $0 << 8 | UInt32(bytes[start + $1]) }
  }

  private static func write(_ value: UInt32, _ bytes: UnsafeMutableBufferPointer<UInt8>, _ start: Int) {
    for index in 0..<4 { unsafe bytes[start + index] = UInt8(truncatingIfNeeded: value >> (24 - 8 * index)) }
  }
}
