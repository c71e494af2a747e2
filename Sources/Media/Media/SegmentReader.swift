internal import CFFmpeg
internal import Glibc

/// Reads a track of a segment file once, from front to back, and checks on the way that it is what its facts say: parameter sets, a first
/// picture that can be decoded alone, positions without a gap, length, digest.
///
/// The file is proved only after `next` has returned false. One owner, one thread.
@safe final class SegmentReader {
  /// The most samples of priming that a segment may tell: over 20 s at 48 kHz.
  private static let longestPriming = 1 << 20

  let parameters: CodecParameters
  private let input: SegmentInput
  private let file: HashedInput
  /// Owned: closed in `deinit`; its `pb` belongs to `file`.
  private let context: UnsafeMutablePointer<AVFormatContext>
  /// Owned: the packet after the one that `next` gave last. Its position tells how long that one lasts. Empty at the end.
  private let following: UnsafeMutablePointer<AVPacket>
  private var packetCount: Int64 = 0
  private var shown = ShownFrames()

  /// - Parameters:
  ///   - opened: the segment's, from its beginning; nil for opening it.
  ///   - unit: the frame duration, in which a picture's position counts. Sound counts its samples.
  /// - Throws: `MediaError` naming the segment file: `unreadable`, `corrupt` when it is not what its facts say, `outOfMemory`.
  init(_ input: SegmentInput, from opened: HashedInput? = nil, unit: AVRational) throws(MediaError) {
    precondition(LibraryLog.isQuiet)
    self.input = input
    file = if let opened { opened } else { try HashedInput(input.path) }
    var demuxer = unsafe avformat_alloc_context()
    guard let following = unsafe av_packet_alloc(), unsafe demuxer != nil else {
      unsafe avformat_free_context(demuxer)
      throw MediaError(-ENOMEM, from: "avformat_alloc_context", at: input.path)
    }
    unsafe demuxer!.pointee.pb = file.io
    // The packets are those of the encoder. The demuxer must not change them by guesses from their content.
    unsafe demuxer!.pointee.flags |= AVFMT_FLAG_CUSTOM_IO | AVFMT_FLAG_NOPARSE | AVFMT_FLAG_NOFILLIN
    let code = unsafe avformat_open_input(&demuxer, nil, av_find_input_format("nut"), nil)
    guard code >= 0, let context = unsafe demuxer, unsafe Int(context.pointee.nb_streams) > input.stream,
      let stream = unsafe context.pointee.streams[input.stream],
      let priming = unsafe Self.priming(of: context, stream: input.stream)
    else {
      unsafe avformat_close_input(&demuxer)
      var following: UnsafeMutablePointer<AVPacket>? = unsafe following
      unsafe av_packet_free(&following)
      throw MediaError(.corrupt, at: input.path, "not a segment file")
    }
    unsafe (self.context, self.following) = (context, following)
    for index in unsafe 0..<Int(context.pointee.nb_streams) where index != input.stream {
      unsafe context.pointee.streams[index]!.pointee.discard = AVDISCARD_ALL
    }
    let codec = unsafe stream.pointee.codecpar!
    for (tag, id) in CodecParameters.codecsInNUT {
      if unsafe codec.pointee.codec_tag == FourCharacters.code(tag) { unsafe codec.pointee.codec_id = id }
    }
    if unsafe av_dict_get(context.pointee.metadata, SegmentWriter.enhancedKey(of: input.stream), nil, 0) != nil {
      unsafe codec.pointee.codec_id = AV_CODEC_ID_EAC3
    }
    let isPicture = unsafe codec.pointee.codec_type == AVMEDIA_TYPE_VIDEO
    parameters = try unsafe CodecParameters(
      copying: codec, timeBase: isPicture ? unit : AVRational(num: 1, den: codec.pointee.sample_rate),
      priming: priming)
    guard parameters.parameterSetDigest == input.facts.parameterSetDigest else {
      throw corrupt("other parameter sets than proved")
    }
    try readFollowing()
  }

  /// The samples of priming that a segment file tells, 0 where it tells none; nil when no encoder has so many. Encoders prime
  /// with some thousand samples. The bound keeps what is computed from the number within its types.
  private static func priming(of context: UnsafeMutablePointer<AVFormatContext>, stream: Int) -> Int? {
    guard let entry = unsafe av_dict_get(context.pointee.metadata, SegmentWriter.primingKey(of: stream), nil, 0) else { return 0 }
    return unsafe Int(String(cString: entry.pointee.value)).flatMap { (0...longestPriming).contains($0) ? $0 : nil }
  }

  /// The number of bytes read from the file so far.
  var readByteCount: Int64 { file.byteCount }

  deinit {
    var (context, following): (UnsafeMutablePointer<AVFormatContext>?, UnsafeMutablePointer<AVPacket>?) = unsafe (
      context, following
    )
    unsafe avformat_close_input(&context)
    unsafe av_packet_free(&following)
  }

  /// Moves the next packet in decode order into `packet`.
  ///
  /// Its `pts` and `dts` count frames or samples (priming included) from the segment's start. Its `dts` is before its `pts` by
  /// the reorder depth at most.
  ///
  /// - Returns: false at the end of the file, which has then been proved whole.
  /// - Throws: `MediaError` naming the segment file: `unreadable`, `corrupt` when it is not what its facts say.
  func next(into packet: UnsafeMutablePointer<AVPacket>) throws(MediaError) -> Bool {
    unsafe av_packet_unref(packet)
    guard unsafe following.pointee.size > 0 else {
      try proveWhole()
      return false
    }
    unsafe av_packet_move_ref(packet, following)
    if packetCount == 0, unsafe !isIndependent(packet) { throw corrupt("the first picture needs others") }
    packetCount += 1
    try readFollowing()
    let position = unsafe packet.pointee.pts
    if parameters.isPicture {
      unsafe (packet.pointee.dts, packet.pointee.duration) = (packetCount - 1 - parameters.reorderDepth, 1)
      guard unsafe packet.pointee.dts <= position, shown.insert(position) else { throw corrupt("a picture out of order") }
    } else {
      let end = unsafe following.pointee.size > 0 ? following.pointee.pts : Int64(parameters.priming) + input.facts.length
      guard position < end, packetCount > 1 || position == 0 else { throw corrupt("a sound block out of order") }
      unsafe (packet.pointee.dts, packet.pointee.duration) = (position, end - position)
    }
    return true
  }

  private func readFollowing() throws(MediaError) {
    var code = unsafe av_read_frame(context, following)
    // The demuxer passes over the packets of other sounds where it can.
    while code >= 0, unsafe Int(following.pointee.stream_index) != input.stream {
      unsafe av_packet_unref(following)
      code = unsafe av_read_frame(context, following)
    }
    guard code != spool_AVERROR_EOF else { return }
    guard code >= 0 else {
      // An I/O error or a wrong digest tells more than the demuxer's code.
      try proveDigest()
      throw MediaError(code, from: "av_read_frame", at: input.path)
    }
    // NUT's time base is a fraction of the unit.
    let (time, timeBase) = unsafe (following.pointee.pts, context.pointee.streams[input.stream]!.pointee.time_base)
    let position = av_rescale_q(time, timeBase, parameters.timeBase)
    guard av_compare_ts(position, parameters.timeBase, time, timeBase) == 0 else { throw corrupt("a time between two frames") }
    unsafe following.pointee.pts = position - parameters.reorderDepth
    unsafe following.mendAlphaBeside()
  }

  private func proveWhole() throws(MediaError) {
    try proveDigest()
    guard !parameters.isPicture || shown.isComplete(input.facts.length) else {
      throw corrupt("\(packetCount) frames, \(input.facts.length) proved")
    }
  }

  private func proveDigest() throws(MediaError) { try input.require(try file.finish()) }

  private func corrupt(_ reason: String) -> MediaError { MediaError(.corrupt, at: input.path, reason) }

  /// Whether decoding can start with the packet, whatever came before: an IDR picture of H.264 or HEVC, or a broken link; for other codecs
  /// what the encoder marked as a keyframe.
  private func isIndependent(_ packet: UnsafeMutablePointer<AVPacket>) -> Bool {
    guard unsafe packet.pointee.flags & AV_PKT_FLAG_KEY != 0 else { return false }
    let codec = unsafe parameters.codec.pointee.codec_id
    guard ParameterSets.areUsed(by: codec) else { return true }
    guard let places = unsafe CodedUnits.places(in: packet.bytes, lengthSize: nil) else { return false }
    return codec == AV_CODEC_ID_H264
      ? unsafe H264Units.beginsIndependently(packet.bytes, places) : unsafe HEVCUnits.beginsIndependently(packet.bytes, places)
  }
}

extension UnsafeMutablePointer<AVPacket> {
  /// Takes one of two identifiers away from the alpha that lies beside a packet. FFmpeg 5.1 writes its 8 bytes into NUT as a part of
  /// the data, and adds them again when it reads.
  fileprivate func mendAlphaBeside() {
    let (kind, length) = (AV_PKT_DATA_MATROSKA_BLOCKADDITIONAL, 8)
    var size = 0
    guard let data = unsafe av_packet_get_side_data(self, kind, &size), size >= 2 * length else { return }
    guard unsafe memcmp(data, data + length, length) == 0 else { return }
    unsafe memmove(data, data + length, size - length)
    unsafe av_packet_shrink_side_data(self, kind, size - length)
  }
}

extension FileDigest {
  /// Checks that this is the digest of the file that was proved.
  ///
  /// - Throws: `MediaError` `corrupt` when it is not.
  package func require(_ input: SegmentInput) throws(MediaError) { try input.require(self) }
}

extension SegmentInput {
  /// Checks a digest of the file.
  ///
  /// - Throws: `MediaError` `corrupt` when it is not the one that was proved.
  func require(_ found: FileDigest) throws(MediaError) {
    guard found != facts.digest else { return }
    throw MediaError(
      .corrupt, at: path,
      found.byteCount == facts.digest.byteCount
        ? "XXH3-128 \(found.hash), \(facts.digest.hash) proved"
        : "\(found.byteCount) bytes, \(facts.digest.byteCount) proved")
  }
}

/// The frames of a segment that have come, in decode order: all up to some number, and a few after it.
private struct ShownFrames {
  /// The most frames that may come before a missing one: H.264 keeps 16 pictures at most.
  private static let maxAhead = 16
  private var completeCount: Int64 = 0
  private var ahead: Set<Int64> = []

  /// Adds a frame.
  ///
  /// - Returns: false for a frame that came before, or that runs too far ahead.
  mutating func insert(_ frame: Int64) -> Bool {
    guard frame >= completeCount, ahead.insert(frame).inserted else { return false }
    while ahead.remove(completeCount) != nil { completeCount += 1 }
    return ahead.count <= Self.maxAhead
  }

  func isComplete(_ count: Int64) -> Bool { completeCount == count && ahead.isEmpty }
}
