internal import CFFmpeg

/// The owner of one FFmpeg frame, which it frees in `deinit`.
@safe final class OwnedFrame {
  let pointer: UnsafeMutablePointer<AVFrame>

  /// An empty frame.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  init() throws(MediaError) {
    guard let pointer = unsafe av_frame_alloc() else {
      throw MediaError(.outOfMemory, at: "frame", "there is not enough memory for a frame")
    }
    unsafe self.pointer = pointer
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVFrame>? = unsafe pointer
    unsafe av_frame_free(&pointer)
  }
}

/// The owner of one FFmpeg packet, which it frees in `deinit`.
@safe final class OwnedPacket {
  let pointer: UnsafeMutablePointer<AVPacket>

  /// An empty packet.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  init() throws(MediaError) {
    guard let pointer = unsafe av_packet_alloc() else {
      throw MediaError(.outOfMemory, at: "packet", "there is not enough memory for a packet")
    }
    unsafe self.pointer = pointer
  }

  /// Makes another reference to the content of `other`.
  convenience init(sharing other: OwnedPacket) throws(MediaError) {
    try self.init()
    let code = unsafe av_packet_ref(pointer, other.pointer)
    guard code >= 0 else { throw MediaError(code, from: "av_packet_ref", at: "packet") }
  }

  deinit {
    var pointer: UnsafeMutablePointer<AVPacket>? = unsafe pointer
    unsafe av_packet_free(&pointer)
  }
}
