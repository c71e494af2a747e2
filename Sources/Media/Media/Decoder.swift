internal import CFFmpeg

/// A decoder that turns one stream's packets into frames. One thread at a time.
@safe final class Decoder {
  enum Output {
    case frame(OwnedFrame)
    /// No frame comes until another packet is sent.
    case needsPacket
    case ended
  }

  /// The most pixels of a picture; larger ones are refused. This is 16384 x 8192, twice what any camera writes.
  private static let maxPixels = 1 << 27

  /// The codec; nil once it is closed.
  private var context: UnsafeMutablePointer<AVCodecContext>?
  /// The path and track, for errors.
  private let place: String
  private let faults = FaultCount()
  /// Whether the codec has two decoders of its own: one for pictures and one for their alpha.
  private let hasAlphaBeside: Bool
  /// The frame that was not filled when the decoder was asked last.
  private var empty: OwnedFrame?

  /// - Parameter threads: the codec's threads. The frames do not depend on their number.
  /// - Throws: `MediaError` `unsupported` when no decoder handles the stream's codec or parameters.
  init(_ stream: UnsafeMutablePointer<AVStream>, threads: Int, at place: String) throws(MediaError) {
    let parameters = unsafe stream.pointee.codecpar!
    guard let codec = unsafe Self.codec(of: stream) else {
      throw MediaError(
        .unsupported, at: place, "no decoder for \(unsafe String(cString: avcodec_get_name(parameters.pointee.codec_id)))")
    }
    guard let context = unsafe avcodec_alloc_context3(codec) else {
      throw MediaError(.outOfMemory, at: place, "there is not enough memory for a decoder")
    }
    unsafe self.context = context
    (self.place, hasAlphaBeside) = unsafe (place, stream.hasAlphaBeside)
    let copied = unsafe avcodec_parameters_to_context(context, parameters)
    guard copied >= 0 else { throw MediaError(copied, from: "avcodec_parameters_to_context", at: place) }
    unsafe context.pointee.pkt_timebase = stream.pointee.time_base
    unsafe context.pointee.thread_count = Int32(clamping: threads)
    unsafe context.pointee.max_pixels = Int64(Self.maxPixels)
    // Checksums in the stream are verified. FFmpeg's other checks (AV_EF_BITSTREAM, AV_EF_BUFFER) report faults in what common
    // encoders write, so they stay off.
    unsafe context.pointee.err_recognition = AV_EF_CRCCHECK
    unsafe context.pointee.opaque = faults.reference
    let opened = unsafe avcodec_open2(context, codec, nil)
    guard opened >= 0 else { throw MediaError(opened, from: "avcodec_open2", at: place) }
  }

  /// FFmpeg's decoder for a stream; nil where there is none. Of VP8 and VP9 only libvpx's decoders read the alpha beside the
  /// pictures. They give the same pictures as FFmpeg's own.
  static func codec(of stream: UnsafeMutablePointer<AVStream>) -> UnsafePointer<AVCodec>? {
    let id = unsafe stream.pointee.codecpar.pointee.codec_id
    guard unsafe stream.hasAlphaBeside else { return unsafe avcodec_find_decoder(id) }
    return unsafe avcodec_find_decoder_by_name(id == AV_CODEC_ID_VP8 ? "libvpx" : "libvpx-vp9")
  }

  deinit { close() }

  /// Frees the codec and its pictures, but for those that others hold. The decoder cannot be used any more.
  func close() { unsafe avcodec_free_context(&context) }

  private var codec: UnsafeMutablePointer<AVCodecContext> {
    get throws(MediaError) {
      guard let context = unsafe context else { throw MediaError(.internal, at: place, "its decoder was closed") }
      return unsafe context
    }
  }

  /// Sends a packet, or nil at the end of the stream. As in FFmpeg's tools, a packet that the codec cannot decode is passed over;
  /// `takeFault` then returns true.
  ///
  /// - Parameter number: the `packetNumber` that this packet's frame will have.
  /// - Precondition: `receive` returned `needsPacket`.
  func send(_ packet: UnsafePointer<AVPacket>?, number: Int64 = spool_AV_NOPTS_VALUE) throws(MediaError) {
    let codec = try unsafe codec
    unsafe codec.pointee.reordered_opaque = number
    let code = unsafe avcodec_send_packet(codec, packet)
    if code < 0 { try throwUnlessDamage(code, from: "avcodec_send_packet") }
  }

  func receive() throws(MediaError) -> Output {
    let frame: OwnedFrame
    if let empty { frame = empty } else { frame = try OwnedFrame() }
    empty = nil
    let codec = try unsafe codec
    while true {
      let code = unsafe avcodec_receive_frame(codec, frame.pointer)
      switch code {
      case 0...: return .frame(frame)
      case spool_AVERROR_EAGAIN:
        empty = frame
        return .needsPacket
      case spool_AVERROR_EOF: return .ended
      default: try throwUnlessDamage(code, from: "avcodec_receive_frame")
      }
    }
  }

  /// Decodes one packet so that the codec learns what it says about the stream. Its frames are dropped.
  ///
  /// libvpx has nothing to learn, and does not forget what it decoded. Alpha may have its keyframes elsewhere than the pictures:
  /// it would then go on from the packet's alpha, where without it reports a fault.
  func learn(from packet: OwnedPacket) throws(MediaError) {
    if hasAlphaBeside { return }
    try unsafe send(packet.pointer)
    while case .frame = try receive() {}
    try unsafe avcodec_flush_buffers(codec)
    _ = takeFault()
  }

  /// Whether the codec reported a fault, by an error or by a message, since the last call. With one thread the fault is in the
  /// packet that was sent last.
  func takeFault() -> Bool { faults.take() }

  /// Notes a fault. An error that the content does not cause, such as want of memory, is thrown instead.
  private func throwUnlessDamage(_ code: Int32, from call: String) throws(MediaError) {
    let error = MediaError(code, from: call, at: place)
    guard error.kind == .corrupt || error.kind == .unsupported else { throw error }
    faults.note()
  }
}

extension OwnedFrame {
  /// The number of the packet that the frame comes from; nil where the codec does not tell.
  var packetNumber: Int64? {
    let number = unsafe pointer.pointee.reordered_opaque
    return number == spool_AV_NOPTS_VALUE ? nil : number
  }

  /// Whether the codec marks the frame as damaged.
  var isFaulty: Bool {
    unsafe pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT != 0 || pointer.pointee.decode_error_flags != 0
  }
}
