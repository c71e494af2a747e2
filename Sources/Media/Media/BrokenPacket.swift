internal import CFFmpeg
internal import CJPEG

/// The signs of damage that a packet itself shows before it is decoded.
enum BrokenPacket {
  /// Codecs that never write many zeros in a row: H.264 and HEVC break them up, the others code by arithmetic.
  private static let codecs: [AVCodecID] = [
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
  ]
  /// Codecs that may write any number of zeros before a start code, and at the end of a packet, but nowhere else.
  private static let stuffed: [AVCodecID] = [AV_CODEC_ID_MPEG1VIDEO, AV_CODEC_ID_MPEG2VIDEO]
  /// The number of zero bytes in a row that proves damage. It is twice what encoders fill up their packets with.
  private static let longestRun = 32
  /// FFmpeg's mark of profiles whose frames are filled up to a fixed size with zeros, such as AVC-Intra.
  private static let intraProfile: Int32 = 1 << 11

  /// Whether the demuxer found a part missing, or zeros stand where content was: a block that a disk or a transfer lost. Decoders
  /// may take either for pictures.
  static func matches(
    _ packet: UnsafeMutablePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>
  ) -> Bool {
    if unsafe packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { return true }
    guard let data = unsafe packet.pointee.data else { return false }
    let bytes = unsafe UnsafeBufferPointer(start: data, count: Int(max(0, packet.pointee.size)))
    let (codec, profile) = unsafe (parameters.pointee.codec_id, parameters.pointee.profile)
    if codec == AV_CODEC_ID_MJPEG { return unsafe isBrokenJPEG(bytes, pictures: 2) ?? false }
    if codec == AV_CODEC_ID_WEBP { return unsafe StillWebP.isBroken(bytes) }
    if stuffed.contains(codec) { return unsafe hasLongRunOfZeros(bytes, besides: .stuffing) }
    guard Self.codecs.contains(codec), profile < 0 || profile & Self.intraProfile == 0 else { return false }
    return unsafe hasLongRunOfZeros(bytes)
  }

  /// Whether libjpeg finds damage in a JPEG that FFmpeg's decoder accepts. Lost bytes that became zeros are valid codes, but they
  /// seldom make as many samples as the picture has.
  ///
  /// - Parameter pictures: the most pictures that the data may hold. A frame may consist of two, its fields.
  /// - Returns: nil where libjpeg cannot tell.
  static func isBrokenJPEG(_ bytes: UnsafeBufferPointer<UInt8>, pictures: Int32) -> Bool? {
    guard let base = bytes.baseAddress else { return nil }
    let faults = unsafe spool_jpeg_faults(base, bytes.count, pictures)
    return faults < 0 ? nil : faults > 0
  }

  /// The zeros that prove nothing.
  private enum Exempt {
    case none
    /// Zeros before a start code (ISO/IEC 13818-2, 5.2.3, `next_start_code`), and at the end.
    case stuffing
  }

  private static func hasLongRunOfZeros(_ bytes: UnsafeBufferPointer<UInt8>, besides exempt: Exempt = .none) -> Bool {
    let count = bytes.count
    // A run of that length that begins after byte `place - longestRun` has byte `place`. Each byte is read once or twice, however
    // long the runs are.
    var place = Self.longestRun - 1
    while place < count {
      guard unsafe bytes[place] == 0 else {
        place += Self.longestRun
        continue
      }
      var (start, end) = (place, place + 1)
      while start > 0, unsafe bytes[start - 1] == 0 { start -= 1 }
      while end < count, unsafe bytes[end] == 0 { end += 1 }
      let isStuffing = unsafe exempt == .stuffing && (end == count || bytes[end] == 1)
      if end - start >= Self.longestRun, !isStuffing { return true }
      place = end + Self.longestRun
    }
    return false
  }
}
