internal import CFFmpeg

/// The samples of a WAV or an AIFF, read as they lie in the file: without packets and without a decoder, which copy each sample three times. One
/// owner, one thread.
@safe final class PlainSamples {
  /// The bytes that are read at once. They are more than the input keeps, so that it does not copy them either, and few enough for
  /// the cache to hold those of some tracks.
  private static let pieceLength: Int64 = 48 << 10

  private let demuxer: Demuxer
  /// A frame of the sound, which has the form of all.
  private let model: OwnedFrame
  private let form: Form
  /// The place of the first sample in the file, and the bytes of a sample of all channels.
  private let (start, stride): (Int64, Int64)
  /// The number of samples, a channel.
  let count: Int64
  private var position: Int64 = 0
  /// Whether the input stands at `position`.
  private var isThere = false
  /// Owned: the bytes of the file where they are not those of a frame; nil where they are.
  private let bytes: UnsafeMutableBufferPointer<UInt8>?

  /// - Parameters:
  ///   - demuxer: has read the first packet of the sound, and nothing after it. It reads no packet any more.
  ///   - model: the frame of that packet.
  ///   - start: the place of that packet in the file, which has `count` samples of `stride` bytes from there on.
  /// - Returns: nil for samples of another form.
  init?(_ demuxer: Demuxer, model: OwnedFrame, start: Int64, stride: Int64, count: Int64, codec: AVCodecID) {
    let format = unsafe AVSampleFormat(rawValue: model.pointer.pointee.format)
    guard let form = Form(codec), form.format == format,
      unsafe stride == form.byteCount * Int64(model.pointer.pointee.ch_layout.nb_channels)
    else { return nil }
    self.form = form
    unsafe bytes = form.isOfFrame ? nil : .allocate(capacity: Int(max(Self.pieceLength, stride)))
    (self.demuxer, self.model, self.start, self.stride, self.count) = (demuxer, model, start, stride, count)
  }

  deinit { unsafe bytes?.deallocate() }

  /// Makes the next samples those from a position on.
  func go(to position: Int64) { (self.position, isThere) = (min(max(position, 0), count), false) }

  /// The next samples; nil at the end.
  ///
  /// - Throws: `MediaError` `changed` when the file became shorter, `unreadable`, and the network's error for a source that is not on this
  ///   machine.
  func next() throws(MediaError) -> SoundDecoder.Placed? {
    let length = min(max(Self.pieceLength / stride, 1), count - position)
    guard length > 0 else { return nil }
    let input = unsafe demuxer.context.pointee.pb
    if !isThere {
      let place = unsafe avio_seek(input, start + position * stride, SEEK_SET)
      try demuxer.requireRead()
      guard place >= 0 else { throw MediaError(Int32(clamping: place), from: "avio_seek", at: demuxer.path) }
      isThere = true
    }
    let frame = try frame(Int32(length))
    // A packed frame has all channels in its first plane.
    try unsafe fill(frame.pointer.pointee.data.0!, length * stride)
    defer { position += length }
    return SoundDecoder.Placed(
      frame: frame, tick: nil, stated: nil, position: position, count: Int(length), isLost: false, followsLoss: false)
  }

  /// Writes the samples of the next bytes to the plane of a frame.
  private func fill(_ plane: UnsafeMutablePointer<UInt8>, _ count: Int64) throws(MediaError) {
    let target = unsafe bytes?.baseAddress ?? plane
    let read = unsafe avio_read(demuxer.context.pointee.pb, target, Int32(count))
    try demuxer.requireRead()
    guard read >= 0 || read == spool_AVERROR_EOF else { throw MediaError(read, from: "avio_read", at: demuxer.path) }
    guard Int64(read) == count else { throw MediaError(.changed, at: demuxer.path, "became shorter while it was read") }
    if unsafe bytes != nil { unsafe form.convert(target, to: plane, count: Int(count / form.byteCount)) }
  }

  private func frame(_ length: Int32) throws(MediaError) -> OwnedFrame {
    let frame = try OwnedFrame()
    let (raw, form) = unsafe (frame.pointer, model.pointer)
    unsafe (raw.pointee.format, raw.pointee.nb_samples) = (form.pointee.format, length)
    unsafe raw.pointee.sample_rate = form.pointee.sample_rate
    let copied = unsafe av_channel_layout_copy(&raw.pointee.ch_layout, &form.pointee.ch_layout)
    guard copied >= 0 else { throw MediaError(copied, from: "av_channel_layout_copy", at: demuxer.path) }
    let code = unsafe av_frame_get_buffer(raw, 0)
    guard code >= 0 else { throw MediaError(code, from: "av_frame_get_buffer", at: demuxer.path) }
    return frame
  }
}

extension PlainSamples {
  /// The form in which a sample lies in the file, and in a frame.
  private struct Form {
    let byteCount: Int64
    /// The format of a decoder's frames.
    let format: AVSampleFormat
    private let isBigEndian: Bool

    /// - Returns: nil for a codec that is decoded otherwise.
    init?(_ codec: AVCodecID) {
      switch codec {
      case AV_CODEC_ID_PCM_S16LE: (byteCount, format, isBigEndian) = (2, AV_SAMPLE_FMT_S16, false)
      case AV_CODEC_ID_PCM_S16BE: (byteCount, format, isBigEndian) = (2, AV_SAMPLE_FMT_S16, true)
      case AV_CODEC_ID_PCM_S24LE: (byteCount, format, isBigEndian) = (3, AV_SAMPLE_FMT_S32, false)
      case AV_CODEC_ID_PCM_S24BE: (byteCount, format, isBigEndian) = (3, AV_SAMPLE_FMT_S32, true)
      case AV_CODEC_ID_PCM_S32LE: (byteCount, format, isBigEndian) = (4, AV_SAMPLE_FMT_S32, false)
      case AV_CODEC_ID_PCM_S32BE: (byteCount, format, isBigEndian) = (4, AV_SAMPLE_FMT_S32, true)
      case AV_CODEC_ID_PCM_F32LE: (byteCount, format, isBigEndian) = (4, AV_SAMPLE_FMT_FLT, false)
      case AV_CODEC_ID_PCM_F32BE: (byteCount, format, isBigEndian) = (4, AV_SAMPLE_FMT_FLT, true)
      default: return nil
      }
    }

    /// Whether a frame has the very bytes of the file.
    var isOfFrame: Bool { byteCount != 3 && isBigEndian == (UInt16(bigEndian: 1) == 1) }

    /// Writes samples of the file as a frame has them.
    ///
    /// - Precondition: there are so many samples, and the frame has room for them and is aligned.
    func convert(_ bytes: UnsafePointer<UInt8>, to frame: UnsafeMutablePointer<UInt8>, count: Int) {
      let target = UnsafeMutableRawPointer(frame)
      switch byteCount {
      case 2: unsafe SampleConversion.gather(bytes, to: target.assumingMemoryBound(to: UInt16.self), count, isBigEndian)
      case 3: unsafe SampleConversion.widen(bytes, to: target.assumingMemoryBound(to: UInt32.self), count, isBigEndian)
      default: unsafe SampleConversion.gather(bytes, to: target.assumingMemoryBound(to: UInt32.self), count, isBigEndian)
      }
    }
  }
}
