internal import CFFmpeg
package import Formats
internal import Glibc

/// Encodes the sound of a movie, which has an exact number of samples, or a part of it.
///
/// A part begins and ends with whole blocks. A lossy encoder remembers what came before, and looks ahead. So it is given some seconds before the
/// part and some blocks after it, and what it makes of them is dropped (decision 0200).
///
/// A codec with blocks of fixed size (AAC, MP3) is given silence before the first sample, just enough to fill the last block. All
/// that is not to be heard then lies in the priming. Every reader of an edit list cuts off the priming, but few cut off a part of
/// the last block. See docs/decisions/0031-exact-sound.md.
/// One owner, one thread.
@safe package final class AudioEncoder {
  package let parameters: CodecParameters
  private let encoder: Encoder
  private let form: Form
  /// The place of the sound in its segment file.
  private let stream: Int
  private let channelCount: Int
  /// Whether the length is not known before the end.
  private let isOpen: Bool
  /// The samples that the encoder is to be given: those of the whole sound, or those of the part with what comes before and after it.
  package let fed: Range<Int64>
  /// The positions, counted in samples with the priming, of what is kept, and of the whole sound's end.
  private let kept: Range<Int64>
  private var end: Int64
  /// The length of a full block, in samples a channel.
  let blockLength: Int
  /// Owned: the block that is being filled. It has `filledLength` samples so far.
  private let block: UnsafeMutablePointer<AVFrame>
  private var filledLength: Int
  private var takenSampleCount: Int64 = 0
  private var sentSampleCount: Int64 = 0
  /// The position, counted in samples with the priming, of the next block that comes out.
  private var position: Int64
  /// The number of the first block; FLAC's blocks state theirs.
  private let firstBlock: Int64

  /// The seconds before a part, of which a lossy encoder makes blocks that are dropped.
  static let leadSeconds: Int64 = 4
  /// The blocks after a part, which are dropped too. Encoders look one or two ahead.
  static let trailBlocks: Int64 = 8

  /// - Parameters:
  ///   - sampleCount: the length of the whole sound, in samples a channel; positive. Nil where it is not known: then no silence fills the last
  ///     block in front, and it ends with silence, which its length leaves out.
  ///   - part: the samples that are kept; nil keeps all. They begin and end with whole blocks (`AudioCoder.dividedBlock`).
  ///   - stream: the place of the sound in its segment file.
  /// - Throws: `MediaError` `unsupported` for a sample rate that the codec lacks, or an encoder that FFmpeg lacks here.
  package init(
    settings: AudioCodecSettings, sampleCount: Int64?, part: Range<Int64>? = nil, stream: Int = 0
  ) throws(MediaError) {
    // No sound has so many samples, and sums with this number are numbers.
    let isOpen = sampleCount == nil
    let sampleCount = sampleCount ?? 1 << 60
    let part = part ?? 0..<sampleCount
    precondition(!part.isEmpty && 0 <= part.lowerBound && part.upperBound <= sampleCount, "there is sound")
    let form = Form(settings.coding.coder)
    encoder = try unsafe Encoder(form.encoderName) { context throws(MediaError) in
      unsafe context.pointee.sample_rate = settings.sampleRate
      unsafe context.pointee.time_base = AVRational(num: 1, den: settings.sampleRate)
      unsafe context.pointee.sample_fmt = form.sampleFormat
      unsafe context.pointee.bit_rate = Int64(settings.coding.bitRate ?? 0)
      unsafe context.pointee.bits_per_raw_sample = form.bits
      unsafe context.pointee.ch_layout = settings.channelLayout.ffmpeg
      try form.check(sampleRate: settings.sampleRate)
    }
    let context = unsafe encoder.context
    // PCM has no blocks of its own. 4096 samples are short enough for the movie to interleave finely.
    blockLength = unsafe context.pointee.frame_size > 0 ? Int(context.pointee.frame_size) : 4096
    let delay = unsafe Int(context.pointee.initial_padding)
    let overhang = form.isLossy && !isOpen ? Int((Int64(delay) + sampleCount) % Int64(blockLength)) : 0
    let silence = overhang == 0 ? 0 : blockLength - overhang
    let (priming, block64) = (Int64(delay + silence), Int64(blockLength))
    unsafe form.tell(context, priming: delay + silence)
    // Only the first part begins with the priming, but all parts state it where their header has a field for it.
    parameters = try unsafe CodecParameters(of: context, priming: part.lowerBound == 0 ? delay + silence : 0)
    (kept, end) = ((part.lowerBound == 0 ? 0 : priming + part.lowerBound)..<priming + part.upperBound, priming + sampleCount)
    guard kept.lowerBound % block64 == 0, part.upperBound == sampleCount || kept.upperBound % block64 == 0 else {
      throw MediaError(
        .internal, at: "encoder \(form.encoderName)", "samples \(part) are no whole blocks of \(blockLength) samples")
    }
    let lead = form.isLossy ? (Self.leadSeconds * Int64(settings.sampleRate) + block64 - 1) / block64 : 0
    firstBlock = max(kept.lowerBound / block64 - lead, 0)
    let last = kept.upperBound / block64 + (form.isLossy ? Self.trailBlocks : 0)
    // What is encoded begins with the silence.
    let first = firstBlock == 0 ? 0 : firstBlock * block64 - Int64(silence)
    fed = first..<(part.upperBound == sampleCount ? sampleCount : min(sampleCount, last * block64 - Int64(silence)))
    position = firstBlock * block64
    filledLength = firstBlock == 0 ? silence : 0
    guard let block = unsafe av_frame_alloc() else { throw MediaError(-ENOMEM, from: "av_frame_alloc", at: form.encoderName) }
    unsafe self.block = block
    (self.form, self.stream, channelCount, self.isOpen) = (form, stream, settings.channelLayout.channelCount, isOpen)
    unsafe block.pointee.nb_samples = Int32(blockLength)
    unsafe block.pointee.format = context.pointee.sample_fmt.rawValue
    unsafe block.pointee.sample_rate = settings.sampleRate
    try check(unsafe av_channel_layout_copy(&block.pointee.ch_layout, &context.pointee.ch_layout), "av_channel_layout_copy")
    try check(unsafe av_frame_get_buffer(block, 0), "av_frame_get_buffer")
    unsafe av_samples_set_silence(
      block.pointee.extended_data, 0, Int32(filledLength), Int32(channelCount), context.pointee.sample_fmt)
  }

  deinit {
    var block: UnsafeMutablePointer<AVFrame>? = unsafe block
    unsafe av_frame_free(&block)
  }

  /// The samples that the encoder of a part may be given: `fed` lies in them.
  package static func reach(
    of part: Range<Int64>, _ settings: AudioCodecSettings, sampleCount: Int64
  ) -> Range<Int64> {
    guard !settings.codec.isLossless else { return part }
    let block = settings.coding.coder.dividedBlock(sampleRate: settings.sampleRate) ?? 0
    let lead = leadSeconds * Int64(settings.sampleRate) + 2 * block
    return max(0, part.lowerBound - lead)..<min(sampleCount, part.upperBound + (trailBlocks + 1) * block)
  }

  /// Encodes the next samples. Packets go to `segment` as they become ready.
  ///
  /// Samples are -1...1. Lossy codecs and PCM of floats keep louder ones; all other codecs clip them.
  ///
  /// - Parameter channels: one buffer for each channel, equally long, in FFmpeg's order (`ChannelLayout.places`).
  /// - Precondition: no more samples come than `fed` has.
  /// - Throws: `MediaError`.
  package func encode(_ channels: [UnsafeBufferPointer<Float>], to segment: SegmentWriter) throws(MediaError) {
    try unsafe encode(channels, into: segment)
  }

  /// Encodes them for a track whose fragments are made meanwhile.
  package func encode(_ channels: [UnsafeBufferPointer<Float>], to track: LiveTrack) throws(MediaError) {
    try unsafe encode(channels, into: track)
  }

  private func encode(_ channels: [UnsafeBufferPointer<Float>], into segment: any PacketReceiver) throws(MediaError) {
    let count = unsafe channels[0].count
    precondition(unsafe channels.count == channelCount && channels.allSatisfy { $0.count == count })
    precondition(Int64(count) <= Int64(fed.count) - takenSampleCount, "no more samples than announced")
    takenSampleCount += Int64(count)
    var start = 0
    while start < count {
      let length = min(count - start, blockLength - filledLength)
      unsafe fill(channels, start..<start + length)
      start += length
      filledLength += length
      if filledLength == blockLength { try sendBlock(to: segment) }
    }
  }

  /// Encodes the samples that are held back. The encoder cannot be used after that.
  ///
  /// - Throws: `MediaError`; `internal` when fewer samples came than were announced, or not all came out.
  package func finish(to segment: SegmentWriter) throws(MediaError) { try finish(into: segment) }
  /// Encodes them for a track whose fragments are made meanwhile.
  package func finish(to track: LiveTrack) throws(MediaError) { try finish(into: track) }

  private func finish(into segment: any PacketReceiver) throws(MediaError) {
    if isOpen { end = Int64(parameters.priming) + takenSampleCount }
    if filledLength > 0 { try sendBlock(to: segment) }
    try unsafe encode(nil, to: segment)
    guard !isOpen else {
      guard position >= end else {
        throw MediaError(.internal, at: "encoder \(form.encoderName)", "encoded up to \(position) of \(end)")
      }
      return
    }
    guard takenSampleCount == Int64(fed.count), position >= kept.upperBound else {
      throw MediaError(
        .internal, at: "encoder \(form.encoderName)",
        "\(takenSampleCount) of \(fed.count) samples given, encoded up to \(position) of \(kept.upperBound)")
    }
  }

  private func fill(_ channels: [UnsafeBufferPointer<Float>], _ range: Range<Int>) {
    if channelCount == 2, case .integers(bits: 16, isPlanar: false) = form.samples {
      // An interleaved block has both channels in its first plane.
      let plane = unsafe UnsafeMutableRawPointer(block.pointee.extended_data[0]!).assumingMemoryBound(to: Int16.self)
      return unsafe SampleConversion.round(
        pairs: UnsafeBufferPointer(rebasing: channels[0][range]), UnsafeBufferPointer(rebasing: channels[1][range]),
        to: plane + 2 * filledLength)
    }
    for unsafe(index, channel) in unsafe channels.enumerated() {
      // A planar block has a plane of `blockLength` samples for each channel. An interleaved block has `blockLength *
      // channelCount` samples in its first plane. `range` fits behind the samples that are in it.
      let plane = unsafe UnsafeMutableRawPointer(block.pointee.extended_data[form.isPlanar ? index : 0]!)
      let (first, step) = form.isPlanar ? (filledLength, 1) : (filledLength * channelCount + index, channelCount)
      let samples = unsafe UnsafeBufferPointer(rebasing: channel[range])
      switch form.samples {
      case .floats:
        unsafe SampleConversion.spread(samples, to: plane.assumingMemoryBound(to: Float.self) + first, every: step)
      case .integers(bits: 16, _):
        unsafe SampleConversion.round(samples, to: plane.assumingMemoryBound(to: Int16.self) + first, every: step)
      case .integers(let bits, _):
        unsafe SampleConversion.round(samples, to: plane.assumingMemoryBound(to: Int32.self) + first, every: step, bits: bits)
      }
    }
  }

  private func sendBlock(to segment: any PacketReceiver) throws(MediaError) {
    unsafe block.pointee.nb_samples = Int32(filledLength)
    unsafe block.pointee.pts = sentSampleCount
    sentSampleCount += Int64(filledLength)
    filledLength = 0
    try unsafe encode(block, to: segment)
    unsafe block.pointee.nb_samples = Int32(blockLength)
    // The encoder may have kept a reference to the samples.
    try check(unsafe av_frame_make_writable(block), "av_frame_make_writable")
  }

  private func encode(_ frame: UnsafePointer<AVFrame>?, to segment: any PacketReceiver) throws(MediaError) {
    try unsafe encoder.encode(frame) { packet throws(MediaError) in
      // MP3 ends with blocks that hold none of the samples.
      let (start, length) = (position, min(Int64(blockLength), end - position))
      guard length > 0 else { return }
      position += length
      guard kept.contains(start) else { return }
      if firstBlock > 0, form.encoderName == FLAC().encoderName { try unsafe FLACFrames.renumber(packet, by: firstBlock) }
      unsafe packet.pointee.pts = start - kept.lowerBound
      try unsafe segment.append(packet, to: stream, length: length)
    }
  }

  private func check(_ code: Int32, _ call: String) throws(MediaError) {
    guard code >= 0 else { throw MediaError(code, from: call, at: "encoder \(form.encoderName)", while: .writing) }
  }
}

/// The way in which FFmpeg encodes a codec.
private struct Form {
  let encoderName: String
  let isLossy: Bool
  let samples: SampleForm

  init(_ coder: any AudioCoder) {
    (encoderName, isLossy, samples) = (coder.encoderName, coder.bitRates != nil, coder.sampleForm)
  }

  var isPlanar: Bool {
    switch samples {
    case .floats(let isPlanar), .integers(_, let isPlanar): isPlanar
    }
  }

  /// The bits of a sample that is a whole number; 0 for floats.
  var bits: Int32 { if case .integers(let bits, _) = samples { Int32(bits) } else { 0 } }

  var sampleFormat: AVSampleFormat {
    switch samples {
    case .floats(let isPlanar): isPlanar ? AV_SAMPLE_FMT_FLTP : AV_SAMPLE_FMT_FLT
    case .integers(bits: 16, let isPlanar): isPlanar ? AV_SAMPLE_FMT_S16P : AV_SAMPLE_FMT_S16
    case .integers(_, let isPlanar): isPlanar ? AV_SAMPLE_FMT_S32P : AV_SAMPLE_FMT_S32
    }
  }

  /// Writes the priming into Opus's header, which has a field for it (RFC 7845, "pre-skip", in samples of 48 kHz).
  func tell(_ context: UnsafeMutablePointer<AVCodecContext>, priming: Int) {
    guard unsafe context.pointee.codec_id == AV_CODEC_ID_OPUS, unsafe context.pointee.extradata_size >= 12 else { return }
    unsafe context.pointee.extradata[10] = UInt8(priming & 255)
    unsafe context.pointee.extradata[11] = UInt8(priming >> 8)
  }

  func check(sampleRate: Int32) throws(MediaError) {
    guard let codec = unsafe avcodec_find_encoder_by_name(encoderName), var rates = unsafe codec.pointee.supported_samplerates
    else { return }
    while unsafe rates.pointee != sampleRate {
      guard unsafe rates.pointee != 0 else {
        throw MediaError(.unsupported, at: "encoder \(encoderName)", "no sound of \(sampleRate) samples a second")
      }
      unsafe rates += 1
    }
  }
}
