internal import CFFmpeg
package import Formats
package import MediaTime

/// Encodes the frames of one segment as closed GOPs that start with an IDR picture. The parameter sets and the reorder depth are
/// the same for every segment with the same settings.
///
/// The same frames give the same bytes each time, whatever the number of cores. x264's decisions depend, in the last digits of
/// its estimates, on the processor's instruction sets, so another processor model may give other bytes. One owner, one thread.
@safe package final class VideoEncoder {
  package let parameters: CodecParameters
  private var encoder: Encoder
  /// The frames before those that an encoder with the next step of `crf` encodes, and what it is opened with; nil where one encoder does all.
  private var rest: (length: Int64, opening: Opening, rateFactor: Double)?
  /// The opening of another encoder of the same settings, and its rate factor.
  private let again: (opening: Opening, rateFactor: Double?)
  /// The number of the first frame of the encoder that is in use.
  private var begin: Int64 = 0
  private let format: PixelFormat
  private let size: PixelSize
  private let hasAlpha: Bool
  /// The field that comes first in each frame; nil where frames are whole.
  private let fieldOrder: FieldOrder?
  /// Brings pictures to a palette; nil where they keep their colours.
  private let palette: PaletteFilter?
  /// The way in which the encoder takes the samples of a pixel together; nil where it takes planes.
  private let packing: PixelPacking?
  private let cap: RateCap?
  /// The average of the quantizers that frames are given; nil where all have the same one, or the encoder chooses.
  private let quantizer: Double?
  /// The steps by which the first frame is finer than the encoder would have it; nil where it is as the encoder has it.
  private let openingSteps: Double?
  /// The numbers with which a stream of HEVC is written anew; nil where it stays as it is.
  private let numbers: HEVCNumbers?
  /// Whether x264 encodes, which writes about itself in front of each stream (docs/decisions/0249-chunks-say-nothing-of-their-encoder.md).
  private let isH264: Bool
  /// Measures what is encoded; nil where nobody asks for that.
  private let meter: QualityMeter?
  /// The decoder's buffer, where the rate is bounded.
  private var bucket: LeakyBucket?
  /// Owned: a reference to the picture that is being encoded. The picture's own frame stays untouched.
  private let frame: UnsafeMutablePointer<AVFrame>
  /// The frames whose numbers are multiples of it become keyframes; nil leaves all to the encoder.
  private let forcedKeyInterval: Int64?
  /// The number of the first frame in the movie.
  private let first: Int64
  /// The place of its track in the segment file.
  private let stream: Int
  private var sentCount: Int64 = 0
  private var receivedCount: Int64 = 0
  /// The packets that nobody took yet, in decode order, each with the place of its frame in the segment.
  package private(set) var packets: [(frame: Int, byteCount: Int)] = []
  /// The bytes of all packets so far.
  package private(set) var byteCount = 0
  /// The distortion of what was encoded, on the scale of its measure; nil before `finish`, and where nothing is measured.
  package private(set) var distortion: Double?

  /// - Parameters:
  ///   - format: the pictures' layout and bit depth, as the settings ask for.
  ///   - frameDuration: the duration of a frame; positive.
  ///   - frameCount: the number of frames that are expected; a larger one where that is not known.
  ///   - againCount: the number of times that these frames were encoded in vain, because they did not keep within the rate's bound.
  ///   - rateFactor: the rate factor in place of the settings'; nil leaves it to them.
  ///   - forcedKeyInterval: the frames from one forced keyframe to the next, counted from the movie's first; nil forces none.
  ///   - first: the number of the first frame in the movie.
  ///   - parameterSetID: the number of the stream's parameter sets, where packets of sources stand beside it.
  ///   - wishes: what a program's own writer wishes; nothing for movies of documents.
  ///   - color: the tags that are written to the stream. They must hold for every frame.
  ///   - hdrMetadata: written in front of every keyframe of H.264. For FFV1 the container states it.
  ///   - stream: the place of the track in its segment file.
  ///   - measure: the measure of the quality of what is encoded; nil measures nothing.
  /// - Throws: `MediaError` `unsupported` for a size, format or rate that the codec cannot hold; `outOfMemory`.
  package init(
    settings: VideoCodecSettings, size: PixelSize, format: PixelFormat, frameDuration: MediaTime, frameCount: Int = .max,
    againCount: Int = 0, rateFactor: Double? = nil, forcedKeyInterval: Int? = nil, first: Int = 0, parameterSetID: Int? = nil,
    wishes: StreamWishes = StreamWishes(), color: ColorTags, hdrMetadata: HDRMetadata? = nil, stream: Int = 0,
    measuring measure: QualityTarget.Measure? = nil
  ) throws(MediaError) {
    precondition(settings.bitDepth == format.bitDepth, "the pixel format has the settings' bit depth")
    let timeBase = try AVRational(frameDuration)
    let coder = settings.coding.coder
    let picture = EncodedPicture(
      size: size, frameDuration: frameDuration, hdrMetadata: hdrMetadata, hasAlpha: settings.hasAlpha,
      hasAVX512: av_get_cpu_flags() & AV_CPU_FLAG_AVX512 != 0,
      seconds: frameDuration.seconds * Double(frameCount), againCount: againCount,
      rateFactor: rateFactor, parameterSetID: parameterSetID, forcesKeyframes: forcedKeyInterval != nil,
      fieldOrder: settings.fields?.order, wishes: wishes)
    let opening = Opening(
      settings: settings, picture: picture, format: format, timeBase: timeBase, forcedKeyInterval: forcedKeyInterval, color: color
    )
    let parting = rateFactor.flatMap { coder.parting($0, frameCount: frameCount) }
    let encoder = try opening.encoder(rateFactor: parting?.first ?? rateFactor)
    rest = parting.map { (length: Int64($0.length), opening: opening, rateFactor: $0.second) }
    again = (opening, rateFactor)
    guard let frame = unsafe av_frame_alloc() else {
      throw MediaError(.outOfMemory, at: "frame", "there is not enough memory for a frame")
    }
    (self.encoder, self.format, self.size, hasAlpha) = (encoder, format, size, settings.hasAlpha)
    unsafe self.frame = frame
    fieldOrder = settings.fields?.order
    (self.forcedKeyInterval, self.first, self.stream) = (forcedKeyInterval.map(Int64.init), Int64(first), stream)
    isH264 = settings.codec == .h264
    palette = coder.palette.map { PaletteFilter(dither: $0, hasAlpha: settings.hasAlpha) }
    packing = coder.packing
    cap = coder.rateCap(for: picture)
    quantizer = coder.quantizer(for: picture).flatMap { $0 == $0.rounded() ? nil : $0 }
    openingSteps = wishes.averageBitRate == nil ? coder.openingSteps : nil
    bucket = cap.map { LeakyBucket($0, frameSeconds: frameDuration.seconds) }
    let parameters = try unsafe CodecParameters(of: encoder.context, priming: 0)
    numbers = try parameterSetID.flatMap { id throws(MediaError) in try settings.codec == .hevc ? HEVCNumbers.numbered(id) : nil }
    let written = try numbers.map { numbers throws(MediaError) in try parameters.renumbered(numbers) } ?? parameters
    self.parameters = written
    meter = try measure.map { measure throws(MediaError) in try QualityMeter(measure, written, frameDuration: frameDuration) }
  }

  deinit {
    var frame: UnsafeMutablePointer<AVFrame>? = unsafe frame
    unsafe av_frame_free(&frame)
  }

  /// Encodes the segment's next frame. Packets go to `segment` as they become ready; without a segment they are only counted.
  ///
  /// - Parameter isKey: whether it becomes a keyframe, whatever its number is; only where keyframes are forced at all.
  /// - Precondition: the picture has the encoder's format and size. It has alpha only if the movie has.
  /// - Throws: `MediaError`.
  package func encode(_ picture: PixelBuffer, isKey: Bool = false, to segment: SegmentWriter?) throws(MediaError) {
    try encode(picture, isKey: isKey, into: segment)
  }

  /// Encodes the next frame of a track whose fragments are made while it is encoded.
  ///
  /// - Precondition: as the other. The frame's time is known to the track.
  /// - Throws: `MediaError`.
  package func encode(_ picture: PixelBuffer, isKey: Bool, to track: LiveTrack) throws(MediaError) {
    try encode(picture, isKey: isKey, into: track)
  }

  /// Encodes the frames that the encoder holds back. The next frame begins anew with a keyframe, by another encoder of the same settings.
  ///
  /// - Throws: `MediaError`; `internal` when not every frame came out.
  package func part(_ track: LiveTrack) throws(MediaError) {
    try finish(to: track)
    encoder = try again.opening.encoder(rateFactor: again.rateFactor)
    begin = sentCount
  }

  private func encode(_ picture: PixelBuffer, isKey: Bool, into segment: (any PacketReceiver)?) throws(MediaError) {
    precondition(!isKey || forcedKeyInterval != nil, "keyframes are forced")
    precondition(picture.format == format && PixelSize(picture.width, picture.height) == size)
    precondition(hasAlpha || picture.alpha == nil, "a movie without alpha has opaque pictures")
    if let rest, sentCount == rest.length {
      // A keyframe parts the two, as at a joint of chunks.
      self.rest = nil
      try unsafe encode(nil, to: segment)
      encoder = try rest.opening.encoder(rateFactor: rest.rateFactor)
    }
    if let packing { return try encode(PackedPicture(picture, packing, hasAlpha: hasAlpha), to: segment) }
    let code = unsafe av_frame_ref(frame, picture.frame)
    guard code >= 0 else { throw MediaError(code, from: "av_frame_ref", at: "frame") }
    defer { unsafe av_frame_unref(frame) }
    if hasAlpha { try unsafe frame.pointee.add(picture.alphaPlane()) }
    // What a source's picture carries beside its samples, such as captions and a part to be shown, is not the movie's.
    unsafe frame.dropSideData()
    unsafe frame.pointee.interlaced_frame = fieldOrder == nil ? 0 : 1
    unsafe frame.pointee.top_field_first = fieldOrder == .topFirst ? 1 : 0
    unsafe frame.pointee.pts = sentCount
    // The picture type that a decoder left in the frame must not decide the encoder's.
    let isForced = isKey || forcedKeyInterval.map { (first + sentCount) % $0 == 0 } ?? false
    if let quantizer {
      unsafe frame.pointee.quality = QuantizerMix.quantizer(quantizer, ofFrame: first + sentCount) * FF_QP2LAMBDA
    }
    meter?.expect(picture)
    if sentCount == begin, let openingSteps { try unsafe frame.refine(by: openingSteps, bitDepth: format.bitDepth) }
    unsafe frame.pointee.pict_type = isForced ? AV_PICTURE_TYPE_I : AV_PICTURE_TYPE_NONE
    sentCount += 1
    guard let palette else { return try unsafe encode(frame, to: segment) }
    let paletted = try unsafe palette.paletted(frame)
    unsafe paletted.pointer.pointee.pts = sentCount - 1
    try unsafe encode(paletted.pointer, to: segment)
  }

  /// Changes the rate factor for the frames that come.
  ///
  /// - Precondition: the codec `isSteered`.
  package func steer(to rateFactor: Double) throws(MediaError) {
    let code = unsafe av_opt_set(encoder.context, "crf", "\(rateFactor)", AV_OPT_SEARCH_CHILDREN)
    guard code >= 0 else { throw MediaError(code, from: "av_opt_set(crf)", at: "encoder", while: .writing) }
  }

  private func encode(_ picture: PackedPicture, to segment: (any PacketReceiver)?) throws(MediaError) {
    unsafe picture.frame.pointer.pointee.pts = sentCount
    sentCount += 1
    try unsafe encode(picture.frame.pointer, to: segment)
  }

  /// Encodes the frames that the encoder holds back. The encoder cannot be used after that.
  ///
  /// - Throws: `MediaError`; `internal` when not every frame came out.
  package func finish(to segment: SegmentWriter?) throws(MediaError) { try finish(into: segment) }
  /// Encodes them for a track whose fragments are made meanwhile.
  package func finish(to track: LiveTrack) throws(MediaError) { try finish(into: track) }

  private func finish(into segment: (any PacketReceiver)?) throws(MediaError) {
    try unsafe encode(nil, to: segment)
    guard receivedCount == sentCount else {
      throw MediaError(.internal, at: "encoder", "\(receivedCount) packets for \(sentCount) frames")
    }
    guard let meter else { return }
    try unsafe meter.take(nil)
    distortion = try meter.distortion()
  }

  /// The packets that have come since they were taken last. Whoever encodes a long chunk takes them, so that memory does not grow with it.
  @discardableResult
  package func takePackets() -> [(frame: Int, byteCount: Int)] {
    defer { packets = [] }
    return packets
  }

  /// Whether what was encoded keeps within the rate's bound, before and after whatever does too. It is asked after `finish`.
  package var keepsRate: Bool { bucket?.isFitForJoint ?? true }

  private func encode(_ frame: UnsafePointer<AVFrame>?, to segment: (any PacketReceiver)?) throws(MediaError) {
    try unsafe encoder.encode(frame) { packet throws(MediaError) in
      receivedCount += 1
      if let cap { try unsafe MPEG2Headers.state(cap, in: packet, parameters) }
      if isH264, case let length = unsafe H264Units.wordsLength(in: packet.bytes), length > 0 {
        try unsafe packet.replaceData(with: Array(packet.bytes[length...]))
      }
      if let numbers { try unsafe packet.replaceData(with: numbers.renumbered(packet.bytes)) }
      bucket?.take(byteCount: unsafe Int(packet.pointee.size))
      // Decoding comes before the segment, which counts a packet's time in its own units.
      try unsafe meter?.take(packet)
      unsafe packets.append((Int(packet.pointee.pts), Int(packet.pointee.size)))
      unsafe byteCount += Int(packet.pointee.size)
      try unsafe segment?.append(packet, to: stream, length: 1)
    }
  }
}

/// The settings with which an encoder of FFmpeg is opened.
private struct Opening {
  let settings: VideoCodecSettings
  let picture: EncodedPicture
  let format: PixelFormat
  let timeBase: AVRational
  let forcedKeyInterval: Int?
  let color: ColorTags

  /// - Parameter rateFactor: the rate factor in place of the settings'; nil leaves it to them.
  func encoder(rateFactor: Double?) throws(MediaError) -> Encoder {
    var picture = picture
    picture.rateFactor = rateFactor
    let (coder, size, wishes, frameDuration) = (settings.coding.coder, picture.size, picture.wishes, picture.frameDuration)
    let encoder = try unsafe Encoder(coder.encoderName, options: coder.options(for: picture)) { context throws(MediaError) in
      let code = try coder.check(size, format, frameDuration, hasAlpha: settings.hasAlpha)
      unsafe (context.pointee.width, context.pointee.height) = (Int32(size.width), Int32(size.height))
      unsafe context.pointee.pix_fmt = code
      unsafe context.pointee.time_base = timeBase
      unsafe context.pointee.framerate = AVRational(num: timeBase.den, den: timeBase.num)
      unsafe context.pointee.sample_aspect_ratio = AVRational(settings.pixelAspect)
      unsafe (
        context.pointee.color_primaries, context.pointee.color_trc, context.pointee.colorspace, context.pointee.color_range
      ) = (coder.packing == nil ? color : .untagged).codes
      // SVT-AV1 forces no keyframe. Its groups are as long as fragments, counted from the chunk's first frame.
      let keyInterval = min(
        coder.keyInterval(frameDuration), forcedKeyInterval.map(Int64.init) ?? .max, wishes.mostFrames(frameDuration))
      unsafe context.pointee.gop_size = Int32(keyInterval)
      // The alpha of VP9 is a stream of its own, which has keyframes where the picture has them only if neither chooses.
      if settings.hasAlpha { unsafe context.pointee.keyint_min = context.pointee.gop_size }
      unsafe context.pointee.flags |= Int32(bitPattern: AV_CODEC_FLAG_CLOSED_GOP)
      if settings.fields != nil { unsafe context.pointee.flags |= AV_CODEC_FLAG_INTERLACED_DCT | AV_CODEC_FLAG_INTERLACED_ME }
      if let rate = wishes.averageBitRate { unsafe context.pointee.bit_rate = Int64(rate.rounded()) }
      if let quantizer = coder.quantizer(for: picture) {
        unsafe context.pointee.flags |= AV_CODEC_FLAG_QSCALE
        unsafe context.pointee.global_quality = Int32(quantizer) * FF_QP2LAMBDA
      }
      if let threads = coder.threads { unsafe context.pointee.thread_count = threads }
      if let level = coder.level { unsafe context.pointee.level = level }
    }
    if let depth = coder.reorderDepth { unsafe encoder.context.pointee.has_b_frames = wishes.reordersFrames ? depth : 0 }
    return encoder
  }
}

extension AVRational {
  /// A pixel's width over its height.
  init(_ aspect: PixelSize) { self.init(num: Int32(aspect.width), den: Int32(aspect.height)) }
}

extension VideoCoder {
  /// Checks whether the encoder takes such pictures.
  ///
  /// - Returns: FFmpeg's number of their format.
  fileprivate func check(
    _ size: PixelSize, _ format: PixelFormat, _ frameDuration: MediaTime, hasAlpha: Bool
  ) throws(MediaError) -> AVPixelFormat {
    let place = "encoder \(encoderName)"
    guard size.width > 0, size.height > 0 else { throw MediaError(.unsupported, at: place, "a picture without pixels") }
    if let objection = objection(to: size, lasting: frameDuration) { throw MediaError(.unsupported, at: place, objection.words) }
    if palette != nil { return AV_PIX_FMT_PAL8 }
    if let packing { return PackedPicture.format(packing, bitDepth: format.bitDepth, hasAlpha: hasAlpha) }
    guard let wanted = hasAlpha ? format.codeWithAlpha : format.code else {
      throw MediaError(.unsupported, at: place, "no encoding of \(format) pictures with alpha")
    }
    guard let codec = unsafe avcodec_find_encoder_by_name(encoderName), var formats = unsafe codec.pointee.pix_fmts else {
      return wanted
    }
    while unsafe formats.pointee != wanted {
      guard unsafe formats.pointee != AV_PIX_FMT_NONE else {
        throw MediaError(.unsupported, at: place, "no encoding of \(format) pictures")
      }
      unsafe formats += 1
    }
    guard needsEvenSides, format.planeCount > 1 else { return wanted }
    let (x, y) = format.shift(ofPlane: 1)
    guard size.width % (1 << x) == 0, size.height % (1 << y) == 0 else {
      throw MediaError(
        .unsupported, at: place, "\(size.width)x\(size.height) pictures: \(format) needs even sides where chroma is halved")
    }
    return wanted
  }
}

extension UnsafeMutablePointer<AVFrame> {
  /// Drops captions and the part to be shown, which encoders would write into the stream.
  fileprivate func dropSideData() {
    unsafe av_frame_remove_side_data(self, AV_FRAME_DATA_A53_CC)
    unsafe av_frame_remove_side_data(self, AV_FRAME_DATA_PANSCAN)
  }

  /// Asks the encoder for a finer quantizer in the whole picture.
  ///
  /// - Parameter steps: the steps of the quantizer, of which FFmpeg counts 51 at 8 bits, and 6 more with each further bit.
  fileprivate func refine(by steps: Double, bitDepth: Int) throws(MediaError) {
    let size = MemoryLayout<AVRegionOfInterest>.size
    guard let data = unsafe av_frame_new_side_data(self, AV_FRAME_DATA_REGIONS_OF_INTEREST, size) else {
      throw MediaError(.outOfMemory, at: "frame", "there is not enough memory for a region")
    }
    let share = AVRational(num: -Int32((steps * 1000).rounded()), den: Int32(51 + 6 * (bitDepth - 8)) * 1000)
    let region = unsafe AVRegionOfInterest(
      self_size: UInt32(size), top: 0, bottom: pointee.height, left: 0, right: pointee.width, qoffset: share)
    unsafe UnsafeMutableRawPointer(data.pointee.data).storeBytes(of: region, as: AVRegionOfInterest.self)
  }
}

extension AVRational {
  /// - Throws: `MediaError` `unsupported` when the value needs more than 31 bits.
  init(_ frameDuration: MediaTime) throws(MediaError) {
    guard frameDuration > .zero, let ticks = Int32(exactly: frameDuration.value) else {
      throw MediaError(.unsupported, at: "frame duration", "\(frameDuration) s")
    }
    self.init(num: ticks, den: frameDuration.timescale)
  }
}
