internal import CFFmpeg

/// The frames of a packet of AMR sound, one by one: FFmpeg's decoders take the first and drop the others.
@safe final class AMRFrames {
  /// Bytes of a frame by its type, which its first byte tells (RFC 4867, 5.3, with the padding to whole bytes).
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

  /// The next frame, which holds until the call after; nil after the last. The first has the packet's timestamp.
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
