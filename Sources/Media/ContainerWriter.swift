internal import CFFmpeg
internal import Glibc
internal import Timeline

/// An FFmpeg muxer over an `OutputFile`: streams, header, packets in decode order, trailer. One owner, one thread.
///
/// What it writes depends on its arguments alone: no dates, no random identifiers, no version texts.
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
    // The name is for muxers that open their own file again to move the index to the front.
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
    // Frees what the muxer still holds where no trailer was written.
    unsafe avformat_free_context(context)
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
    unsafe av_packet_free(&packet)
  }

  /// Has the container say `text` of itself, before `start`.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  func setComment(_ text: String) throws(MediaError) {
    let code = unsafe av_dict_set(&context.pointee.metadata, "comment", text, 0)
    guard code >= 0 else { throw MediaError(code, from: "av_dict_set", at: file.path) }
  }

  /// Adds a stream before `start`.
  ///
  /// - Parameters:
  ///   - timeBase: the unit that the stream's clock should count in; the container may choose a finer or coarser one.
  ///   - adjust: changes the copy of `parameters`.
  /// - Throws: `MediaError` `outOfMemory`.
  @discardableResult
  func addStream(
    _ parameters: UnsafePointer<AVCodecParameters>, timeBase: AVRational, hdrMetadata: HDRMetadata? = nil,
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
    // A numbered codec tag belongs to the container it was read from.
    unsafe stream.pointee.codecpar.pointee.codec_tag = 0
    if unsafe parameters.pointee.codec_type == AVMEDIA_TYPE_VIDEO {
      unsafe stream.pointee.avg_frame_rate = AVRational(num: timeBase.den, den: timeBase.num)
    }
    return unsafe Int(stream.pointee.index)
  }

  /// Writes the header.
  ///
  /// - Throws: `MediaError` `unsupported` for parameters or options that the container refuses, or as `OutputFile.check`.
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
    // The one argument that muxers find invalid is what they are to hold.
    guard code != -EINVAL else {
      let codecs = unsafe (0..<Int(context.pointee.nb_streams)).map { index in
        unsafe String(cString: avcodec_get_name(context.pointee.streams[index]!.pointee.codecpar.pointee.codec_id))
      }
      let name = unsafe String(cString: context.pointee.oformat.pointee.name)
      throw MediaError(.unsupported, at: file.path, "\(name) does not hold \(codecs.joined(separator: " with "))")
    }
    try file.check(code, "avformat_write_header")
  }

  /// Writes one packet; its data is not copied and stays the caller's.
  ///
  /// - Parameters:
  ///   - source: data, flags, and the times in `unit`.
  ///   - unit: what the source's `pts`, `dts` and `duration` count.
  /// - Throws: as `OutputFile.check`.
  func write(_ source: UnsafePointer<AVPacket>, unit: AVRational, to stream: Int) throws(MediaError) {
    try file.check(unsafe av_packet_ref(packet, source), "av_packet_ref")
    defer { unsafe av_packet_unref(packet) }
    unsafe packet.pointee.stream_index = Int32(stream)
    unsafe packet.pointee.pos = -1
    unsafe av_packet_rescale_ts(packet, unit, context.pointee.streams[stream]!.pointee.time_base)
    try file.check(unsafe av_write_frame(context, packet), "av_write_frame")
  }

  /// Writes what belongs after the packets, and hands the file to the disk.
  ///
  /// - Throws: as `OutputFile.finish`.
  @discardableResult
  func finish() throws(MediaError) -> FileDigest? {
    try file.check(unsafe av_write_trailer(context), "av_write_trailer")
    return try file.finish()
  }
}
