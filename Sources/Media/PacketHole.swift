internal import CFFmpeg

extension UnsafeMutablePointer<AVPacket> {
  /// Codecs that never write many zeros in a row: H.264 and HEVC break them up, the others code by arithmetic.
  private static let codecs = [
    AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9, AV_CODEC_ID_AV1,
  ]
  /// Twice what encoders fill up their packets with.
  private static let longestRun = 32
  /// FFmpeg's mark of profiles whose frames are filled up to a fixed size with zeros, such as AVC-Intra.
  private static let intraProfile: Int32 = 1 << 11

  /// Whether zeros stand where content was: a block that a disk or a transfer lost. Decoders may take them for pictures.
  func hasHole(_ parameters: UnsafeMutablePointer<AVCodecParameters>) -> Bool {
    let (codec, profile) = unsafe (parameters.pointee.codec_id, parameters.pointee.profile)
    guard unsafe Self.codecs.contains(codec), profile < 0 || profile & Self.intraProfile == 0 else { return false }
    guard let bytes = unsafe pointee.data else { return false }
    let count = unsafe Int(pointee.size)
    // Every run of that length has a byte at one of these places.
    var place = Self.longestRun - 1
    while place < count {
      if unsafe bytes[place] == 0 {
        var (first, end) = (place, place + 1)
        while first > 0, unsafe bytes[first - 1] == 0 { first -= 1 }
        while end < count, unsafe bytes[end] == 0 { end += 1 }
        if end - first >= Self.longestRun { return true }
      }
      place += Self.longestRun
    }
    return false
  }
}
