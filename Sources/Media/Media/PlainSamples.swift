internal import CFFmpeg

/// The samples of a WAV, read as they lie in the file: without packets and without a decoder, which copy each sample three times. One owner,
/// one thread.
@safe final class PlainSamples {
  /// The bytes that are read at once. They are more than the input keeps, so that it does not copy them either, and few enough for
  /// the cache to hold those of some tracks.
  private static let pieceLength: Int64 = 48 << 10

  private let demuxer: Demuxer
  /// A frame of the sound, which has the form of all.
  private let model: OwnedFrame
  /// The place of the first sample in the file, and the bytes of a sample of all channels.
  private let (start, stride): (Int64, Int64)
  /// The number of samples, a channel.
  let count: Int64
  private var position: Int64 = 0
  /// Whether the input stands at `position`.
  private var isThere = false

  /// - Parameters:
  ///   - demuxer: has read the first packet of the sound, and nothing after it. It reads no packet any more.
  ///   - model: the frame of that packet.
  ///   - start: the place of that packet in the file, which has `count` samples of `stride` bytes from there on.
  /// - Returns: nil where a frame's bytes are not those of the file.
  init?(_ demuxer: Demuxer, model: OwnedFrame, start: Int64, stride: Int64, count: Int64, codec: AVCodecID) {
    let formats = [
      AV_CODEC_ID_PCM_S16LE: AV_SAMPLE_FMT_S16, AV_CODEC_ID_PCM_S32LE: AV_SAMPLE_FMT_S32,
      AV_CODEC_ID_PCM_F32LE: AV_SAMPLE_FMT_FLT,
    ]
    let format = unsafe AVSampleFormat(rawValue: model.pointer.pointee.format)
    guard UInt16(littleEndian: 1) == 1, formats[codec] == format,
      unsafe stride == Int64(av_get_bytes_per_sample(format)) * Int64(model.pointer.pointee.ch_layout.nb_channels)
    else { return nil }
    (self.demuxer, self.model, self.start, self.stride, self.count) = (demuxer, model, start, stride, count)
  }

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
    let wanted = Int32(length * stride)
    // A packed frame has all channels in its first plane.
    let read = unsafe avio_read(input, frame.pointer.pointee.data.0, wanted)
    try demuxer.requireRead()
    guard read >= 0 || read == spool_AVERROR_EOF else { throw MediaError(read, from: "avio_read", at: demuxer.path) }
    guard read == wanted else { throw MediaError(.changed, at: demuxer.path, "became shorter while it was read") }
    defer { position += length }
    return SoundDecoder.Placed(
      frame: frame, tick: nil, stated: nil, position: position, count: Int(length), isLost: false, followsLoss: false)
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
