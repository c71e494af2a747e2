internal import CFFmpeg

/// Writes the packets of a track that lies beside pictures and sound, such as texts: each before those of the other tracks that are later.
@safe final class SideTrackWriter {
  /// The bytes of a time, in the track's ticks.
  struct Sample {
    var start: Int64
    var end: Int64
    var bytes: [UInt8]
  }

  /// The way in which the track stands in its file.
  struct Form {
    let codec: AVCodecID
    let kind: AVMediaType
    /// The ticks in a second.
    let timescale: Int32
    /// The description of the samples, where the codec has one.
    var description: [UInt8] = []
    var tag: String?
    /// The language as FFmpeg's writers of the file type know it; nil where none is told.
    var language: String?
    var handler: String?
    var isDefault = true

    init(_ codec: AVCodecID, _ kind: AVMediaType, timescale: Int32) {
      (self.codec, self.kind, self.timescale) = (codec, kind, timescale)
    }
  }

  private let stream: Int
  private let unit: AVRational
  private var samples: ArraySlice<Sample>
  /// Owned: the packet that is written next.
  private let packet: UnsafeMutablePointer<AVPacket>
  private let path: String

  /// Adds the track to a movie that has not begun.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  init(_ form: Form, _ samples: [Sample], _ movie: ContainerWriter) throws(MediaError) {
    (path, self.samples, unit) = (movie.file.path, samples[...], AVRational(num: 1, den: form.timescale))
    guard let parameters = unsafe avcodec_parameters_alloc(), let packet = unsafe av_packet_alloc() else {
      throw MediaError(-ENOMEM, from: "avcodec_parameters_alloc", at: path)
    }
    unsafe self.packet = packet
    var freed: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
    defer { unsafe avcodec_parameters_free(&freed) }
    unsafe (parameters.pointee.codec_type, parameters.pointee.codec_id) = (form.kind, form.codec)
    if !form.description.isEmpty {
      guard let data = unsafe av_mallocz(form.description.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
        throw MediaError(-ENOMEM, from: "av_mallocz", at: path)
      }
      unsafe data.copyMemory(from: form.description, byteCount: form.description.count)
      unsafe parameters.pointee.extradata = data.assumingMemoryBound(to: UInt8.self)
      unsafe parameters.pointee.extradata_size = Int32(form.description.count)
    }
    stream = try unsafe movie.addStream(
      parameters, timeBase: unit, tag: form.tag, isDefault: form.isDefault, language: form.language, handler: form.handler)
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
    unsafe av_packet_free(&packet)
  }

  /// Writes what begins before a time, or all that is left.
  func write(before time: (ticks: Int64, unit: AVRational)?, to movie: ContainerWriter) throws(MediaError) {
    while let sample = samples.first {
      if let time, av_compare_ts(sample.start, unit, time.ticks, time.unit) > 0 { return }
      samples.removeFirst()
      guard unsafe av_new_packet(packet, Int32(sample.bytes.count)) >= 0 else {
        throw MediaError(-ENOMEM, from: "av_new_packet", at: path)
      }
      defer { unsafe av_packet_unref(packet) }
      unsafe packet.pointee.data.update(from: sample.bytes, count: sample.bytes.count)
      unsafe (packet.pointee.pts, packet.pointee.dts) = (sample.start, sample.start)
      unsafe packet.pointee.duration = sample.end - sample.start
      unsafe packet.pointee.flags = AV_PKT_FLAG_KEY
      try unsafe movie.write(packet, unit: unit, to: stream)
    }
  }
}
