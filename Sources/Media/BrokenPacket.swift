internal import CFFmpeg

/// What a packet itself tells of damage, before it is decoded.
enum BrokenPacket {
  /// Codecs that never write many zeros in a row: H.264 and HEVC break them up, the others code by arithmetic.
  private static let codecs: [AVCodecID] = [
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
  ]
  /// Twice what encoders fill up their packets with.
  private static let longestRun = 32
  /// FFmpeg's mark of profiles whose frames are filled up to a fixed size with zeros, such as AVC-Intra.
  private static let intraProfile: Int32 = 1 << 11

  /// Whether the demuxer found a part missing, or zeros stand where content was: a block that a disk or a transfer lost. Decoders
  /// may take either for pictures.
  static func matches(
    _ packet: UnsafeMutablePointer<AVPacket>, _ parameters: UnsafeMutablePointer<AVCodecParameters>
  ) -> Bool {
    if unsafe packet.pointee.flags & AV_PKT_FLAG_CORRUPT != 0 { return true }
    let profile = unsafe parameters.pointee.profile
    guard unsafe Self.codecs.contains(parameters.pointee.codec_id) else { return false }
    guard profile < 0 || profile & Self.intraProfile == 0 else { return false }
    let count = unsafe Int(packet.pointee.size)
    guard let bytes = unsafe packet.pointee.data else { return false }
    // Every run of that length begins before one of these places.
    for place in stride(from: Self.longestRun - 1, to: count, by: Self.longestRun) {
      guard unsafe bytes[place] == 0 else { continue }
      var run = 1
      while run <= place, unsafe bytes[place - run] == 0 { run += 1 }
      var end = place + 1
      while end < count, unsafe bytes[end] == 0 { end += 1 }
      if run + end - place - 1 >= Self.longestRun { return true }
    }
    return false
  }
}
