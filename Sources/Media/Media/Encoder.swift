internal import CFFmpeg
internal import Glibc

/// The encoders of this machine's FFmpeg.
package enum Encoders {
  /// Whether FFmpeg has the encoder that it calls `name`.
  package static func have(_ name: String) -> Bool { unsafe avcodec_find_encoder_by_name(name) != nil }
}

/// An open FFmpeg encoder and the packet it fills. One owner, one thread.
@safe final class Encoder {
  /// Owned: freed in `deinit`, as is the packet.
  let context: UnsafeMutablePointer<AVCodecContext>
  private let packet: UnsafeMutablePointer<AVPacket>
  private let place: String

  /// Allocates the encoder `name`, lets `configure` check and fill in its settings, and opens it with `options`, its own or those
  /// of every encoder.
  ///
  /// - Throws: `MediaError` `unsupported` when FFmpeg lacks the encoder or refuses the settings, and what `configure` throws.
  init(
    _ name: String, options: [String: String] = [:],
    configure: (UnsafeMutablePointer<AVCodecContext>) throws(MediaError) -> Void
  ) throws(MediaError) {
    precondition(LibraryLog.isQuiet)
    place = "encoder \(name)"
    guard let codec = unsafe avcodec_find_encoder_by_name(name) else {
      throw MediaError(spool_AVERROR_ENCODER_NOT_FOUND, from: "avcodec_find_encoder_by_name", at: place)
    }
    var context = unsafe avcodec_alloc_context3(codec)
    var packet = unsafe av_packet_alloc()
    guard let opened = unsafe context, let filled = unsafe packet else {
      unsafe avcodec_free_context(&context)
      unsafe av_packet_free(&packet)
      throw MediaError(-ENOMEM, from: "avcodec_alloc_context3", at: place)
    }
    unsafe (self.context, self.packet) = (opened, filled)
    // The encoder has one thread unless `configure` sets another fixed number: the bytes must not depend on the machine.
    unsafe opened.pointee.thread_count = 1
    unsafe opened.pointee.flags |= AV_CODEC_FLAG_GLOBAL_HEADER | AV_CODEC_FLAG_BITEXACT
    try unsafe configure(opened)
    for (key, value) in options {
      let code = unsafe av_opt_set(opened, key, value, AV_OPT_SEARCH_CHILDREN)
      guard code >= 0 else { throw MediaError(code, from: "av_opt_set(\(key)=\(value))", at: place, while: .writing) }
    }
    let code = OrdinaryPriority.keep { unsafe avcodec_open2(opened, codec, nil) }
    guard code >= 0 else {
      throw code == -ENOMEM
        ? MediaError(code, from: "avcodec_open2", at: place)
        : MediaError(.unsupported, at: place, "the encoder refuses the settings")
    }
  }

  deinit {
    var (context, packet): (UnsafeMutablePointer<AVCodecContext>?, UnsafeMutablePointer<AVPacket>?) = unsafe (context, packet)
    unsafe avcodec_free_context(&context)
    unsafe av_packet_free(&packet)
  }

  /// Encodes one frame, or with nil the frames that are still held back. Hands the packets that are ready to `receive`, in decode
  /// order.
  ///
  /// - Parameter receive: takes a packet, which is valid during the call only.
  /// - Throws: `MediaError`, also what `receive` throws.
  func encode(
    _ frame: UnsafePointer<AVFrame>?, receive: (UnsafeMutablePointer<AVPacket>) throws(MediaError) -> Void
  ) throws(MediaError) {
    // Each call takes out all packets that are ready, so the encoder always has room for a frame.
    let code = unsafe avcodec_send_frame(context, frame)
    guard code >= 0 else { throw MediaError(code, from: "avcodec_send_frame", at: place, while: .writing) }
    while true {
      let code = unsafe avcodec_receive_packet(context, packet)
      if code == spool_AVERROR_EAGAIN || code == spool_AVERROR_EOF { return }
      guard code >= 0 else { throw MediaError(code, from: "avcodec_receive_packet", at: place, while: .writing) }
      defer { unsafe av_packet_unref(packet) }
      // An empty packet carries side data only, such as FLAC's late checksum. Segment files do not keep it.
      if unsafe packet.pointee.size > 0 { try unsafe receive(packet) }
    }
  }
}
