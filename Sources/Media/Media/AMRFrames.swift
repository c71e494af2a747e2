internal import CFFmpeg

/// The single frames of one packet of AMR sound. FFmpeg's decoders take only the first frame of a packet and drop the others, so
/// each frame is sent to them by itself.
@safe final class AMRFrames {
  /// The length of a frame in bytes by its type, which is in its first byte (RFC 4867, section 5.3, padded to whole bytes).
  private static let narrow = [13, 14, 16, 18, 20, 21, 27, 32, 6, 1, 1, 1, 1, 1, 1, 1]
  private static let wide = [18, 24, 33, 37, 41, 47, 51, 59, 61, 6, 1, 1, 1, 1, 1, 1]

  private let packet: OwnedPacket
  private let lengths: [Int]
  private let frame: OwnedPacket
  private var offset = 0

  /// - Returns: nil for sound of another codec.
  init?(of packet: OwnedPacket, _ codec: AVCodecID) throws(MediaError) {
    switch codec {
    case AV_CODEC_ID_AMR_NB: lengths = Self.narrow
    case AV_CODEC_ID_AMR_WB: lengths = Self.wide
    default: return nil
    }
    self.packet = try OwnedPacket(sharing: packet)
    frame = try OwnedPacket(sharing: packet)
  }

  /// The next frame, or nil after the last one. The result is valid until the next call. Only the first frame carries the
  /// packet's timestamps.
  func next() -> UnsafePointer<AVPacket>? {
    let (whole, part) = unsafe (packet.pointer, frame.pointer)
    let left = unsafe Int(whole.pointee.size) - offset
    guard left > 0, let data = unsafe whole.pointee.data else { return nil }
    let start = unsafe data + offset
    unsafe part.pointee.data = start
    unsafe part.pointee.size = Int32(min(left, lengths[Int(start.pointee >> 3 & 15)]))
    if offset > 0 { unsafe (part.pointee.pts, part.pointee.dts) = (spool_AV_NOPTS_VALUE, spool_AV_NOPTS_VALUE) }
    offset += unsafe Int(part.pointee.size)
    return unsafe UnsafePointer(part)
  }
}
