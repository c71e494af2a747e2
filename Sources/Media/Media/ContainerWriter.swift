internal import CFFmpeg
internal import Formats
internal import Glibc

/// Writes a file through an FFmpeg muxer: streams, header, packets in decode order, trailer. One owner, one thread.
///
/// The bytes depend on the arguments alone: no dates, no random identifiers, no version texts.
@safe final class ContainerWriter {
  let file: OutputFile
  /// Owned: freed in `deinit`; its `pb` belongs to `file`.
  private let context: UnsafeMutablePointer<AVFormatContext>
  private let packet: UnsafeMutablePointer<AVPacket>

  /// - Parameter format: FFmpeg's short name of the container.
  /// - Throws: `MediaError` `unsupported` when FFmpeg lacks the muxer, `outOfMemory`.
  init(_ file: OutputFile, format: String) throws(MediaError) {
    precondition(LibraryLog.isQuiet)
    self.file = file
    var made: UnsafeMutablePointer<AVFormatContext>?
    // Muxers that move the index to the front open their own file again, by this name.
    let code = unsafe avformat_alloc_output_context2(&made, nil, format, "file:" + file.openPath)
    guard let context = unsafe made, let packet = unsafe av_packet_alloc() else {
      unsafe avformat_free_context(made)
      throw MediaError(min(code, -ENOMEM), from: "avformat_alloc_output_context2(\(format))", at: file.path, while: .writing)
    }
    unsafe (self.context, self.packet) = (context, packet)
    unsafe context.pointee.pb = file.io
    unsafe context.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_BITEXACT
  }

  deinit {
    // This also frees what the muxer still holds where no trailer was written.
    unsafe avformat_free_context(context)
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
    unsafe av_packet_free(&packet)
  }

  /// Sets the comment in the container's metadata. Call it before `start`.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  func setComment(_ text: String) throws(MediaError) {
    let code = unsafe av_dict_set(&context.pointee.metadata, "comment", text, 0)
    guard code >= 0 else { throw MediaError(code, from: "av_dict_set", at: file.path) }
  }

  /// Adds a stream. Call it before `start`.
  ///
  /// - Parameters:
  ///   - timeBase: the unit that the stream's clock should count in. The container may choose a finer or coarser one.
  ///   - tag: the four characters that name the codec in this container; nil for the muxer's own choice.
  ///   - adjust: changes the copy of `parameters`.
  /// - Returns: the stream's index.
  /// - Throws: `MediaError` `outOfMemory`.
  @discardableResult
  func addStream(
    _ parameters: UnsafePointer<AVCodecParameters>, timeBase: AVRational, hdrMetadata: HDRMetadata? = nil, tag: String? = nil,
    adjust: (UnsafeMutablePointer<AVCodecParameters>) -> Void = { _ in }
  ) throws(MediaError) -> Int {
    guard let stream = unsafe avformat_new_stream(context, nil),
      unsafe avcodec_parameters_copy(stream.pointee.codecpar, parameters) >= 0
    else { throw MediaError(-ENOMEM, from: "avformat_new_stream", at: file.path) }
    unsafe stream.pointee.time_base = timeBase
    unsafe stream.pointee.disposition = AV_DISPOSITION_DEFAULT
    unsafe adjust(stream.pointee.codecpar)
    try unsafe hdrMetadata?.attach(to: stream)
    unsafe stream.pointee.sample_aspect_ratio = stream.pointee.codecpar.pointee.sample_aspect_ratio
    // A numbered codec tag is valid only in the container it was read from.
    unsafe stream.pointee.codecpar.pointee.codec_tag = tag.map(FourCharacters.code) ?? 0
    if unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO {
      unsafe stream.pointee.avg_frame_rate = AVRational(num: timeBase.den, den: timeBase.num)
    }
    return unsafe Int(stream.pointee.index)
  }

  /// Writes the header.
  ///
  /// - Throws: `MediaError` `unsupported` for parameters or options that the container refuses, and errors as `OutputFile.check`.
  func start(options: [String: String] = [:], metadata: [String: String] = [:]) throws(MediaError) {
    for (key, value) in options {
      let code = unsafe av_opt_set(context, key, value, AV_OPT_SEARCH_CHILDREN)
      guard code >= 0 else { throw MediaError(code, from: "av_opt_set(\(key)=\(value))", at: file.path, while: .writing) }
    }
    for (key, value) in metadata {
      let code = unsafe av_dict_set(&context.pointee.metadata, key, value, 0)
      guard code >= 0 else { throw MediaError(code, from: "av_dict_set", at: file.path, while: .writing) }
    }
    let code = unsafe avformat_write_header(context, nil)
    // A muxer reports an invalid argument only for codecs that its container cannot hold.
    guard code != -EINVAL else {
      let codecs = unsafe (0..<Int(context.pointee.nb_streams)).map { index in
        unsafe String(cString: avcodec_get_name(context.pointee.streams[index]!.pointee.codecpar.pointee.codec_id))
      }
      let name = unsafe String(cString: context.pointee.oformat.pointee.name)
      throw MediaError(.unsupported, at: file.path, "\(name) does not hold \(codecs.joined(separator: " with "))")
    }
    try file.check(code, "avformat_write_header")
  }

  /// Writes one packet. Its data is not copied and stays the caller's.
  ///
  /// - Parameters:
  ///   - source: the packet, with its times in `unit`.
  ///   - unit: the unit of the packet's `pts`, `dts` and `duration`.
  ///   - stream: the index that `addStream` gave.
  /// - Throws: errors as `OutputFile.check`.
  func write(_ source: UnsafePointer<AVPacket>, unit: AVRational, to stream: Int) throws(MediaError) {
    try file.check(unsafe av_packet_ref(packet, source), "av_packet_ref")
    defer { unsafe av_packet_unref(packet) }
    unsafe packet.pointee.stream_index = Int32(stream)
    unsafe packet.pointee.pos = -1
    unsafe av_packet_rescale_ts(packet, unit, context.pointee.streams[stream]!.pointee.time_base)
    try file.check(unsafe av_write_frame(context, packet), "av_write_frame")
  }

  /// Writes the trailer, and hands the file to the disk.
  ///
  /// - Returns: the digest of a sequential file.
  /// - Throws: errors as `OutputFile.finish`.
  @discardableResult
  func finish() throws(MediaError) -> FileDigest? {
    try file.check(unsafe av_write_trailer(context), "av_write_trailer")
    return try file.finish()
  }
}
