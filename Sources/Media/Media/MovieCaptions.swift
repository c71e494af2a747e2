internal import CFFmpeg
internal import Formats
package import MediaTime

/// A text track of a movie, which players show or not.
package struct MovieCaptions: Hashable, Sendable {
  package struct Cue: Hashable, Sendable {
    package var text: String
    /// The time in the movie.
    package var range: MediaTimeRange

    package init(_ text: String, _ range: MediaTimeRange) { (self.text, self.range) = (text, range) }
  }

  /// The language as a BCP 47 tag; nil where it is not known.
  package var language: String?
  /// The cues by their start. They may overlap.
  package var cues: [Cue]

  package init(_ cues: [Cue], language: String? = nil) { (self.cues, self.language) = (cues, language) }

  /// A text that stands alone for a while, in milliseconds.
  struct Sample: Hashable {
    var start: Int64
    var end: Int64
    var text: String
  }

  /// The texts one after the other. Cues that are shown together are one text, the earlier one above. Times when nothing is shown
  /// have no sample.
  var samples: [Sample] {
    func milliseconds(_ time: MediaTime) -> Int64 { av_rescale(time.value, 1000, Int64(time.timescale)) }
    let cues = cues.map { (text: $0.text, start: milliseconds($0.range.start), end: milliseconds($0.range.end)) }
    let borders = Set(cues.flatMap { [$0.start, $0.end] }).sorted()
    var (samples, open, next): ([Sample], [Int], Int) = ([], [], 0)
    for (start, end) in zip(borders, borders.dropFirst()) {
      while next < cues.count, cues[next].start <= start {
        open.append(next)
        next += 1
      }
      open.removeAll { cues[$0].end <= start }
      guard !open.isEmpty else { continue }
      samples.append(Sample(start: start, end: end, text: open.map { cues[$0].text }.joined(separator: "\n")))
    }
    return samples
  }

  /// The language as FFmpeg's writers of this file type know it; nil where it is not one of those that are known.
  func languageCode(in fileType: FileType) -> String? { language.flatMap { LanguageCode.written($0, in: fileType) } }
}

extension FileType {
  /// The codec of text tracks in files of this type; nil where they hold none.
  var captionCodec: AVCodecID? {
    switch self {
    case .mp4, .mov: AV_CODEC_ID_MOV_TEXT
    case .mkv: AV_CODEC_ID_SUBRIP
    case .webm: AV_CODEC_ID_WEBVTT
    case .m4a, .mp3, .wav, .flac, .ogg, .aiff, .mxf, .mpegts, .avi, .cmaf, .gif, .apng, .webp, .pngSequence, .jpegSequence,
      .tiffSequence:
      nil
    }
  }
}

/// Writes the packets of a text track, each before those of the other tracks that are later.
@safe final class CaptionWriter {
  private let stream: Int
  private var samples: ArraySlice<MovieCaptions.Sample>
  private let hasLength: Bool
  /// Owned: the packet that is written next.
  private let packet: UnsafeMutablePointer<AVPacket>
  private let path: String

  private static let unit = AVRational(num: 1, den: 1000)

  /// Adds the track to a movie that has not begun.
  ///
  /// - Throws: `MediaError` `unsupported` for a file type without text tracks, and for a text of more than 65,535 bytes in mp4 or mov;
  ///   `outOfMemory`.
  init(_ captions: MovieCaptions, _ movie: ContainerWriter, _ fileType: FileType) throws(MediaError) {
    path = movie.file.path
    guard let codec = fileType.captionCodec else {
      throw MediaError(.unsupported, at: path, "\(fileType) holds no captions")
    }
    hasLength = codec == AV_CODEC_ID_MOV_TEXT
    samples = captions.samples[...]
    if hasLength, let long = samples.first(where: { $0.text.utf8.count > 65_535 }) {
      throw MediaError(.unsupported, at: path, "the captions at \(long.start) ms are longer than the 65,535 bytes of a sample")
    }
    guard let parameters = unsafe avcodec_parameters_alloc(), let packet = unsafe av_packet_alloc() else {
      throw MediaError(-ENOMEM, from: "avcodec_parameters_alloc", at: path)
    }
    unsafe self.packet = packet
    var freed: UnsafeMutablePointer<AVCodecParameters>? = unsafe parameters
    defer { unsafe avcodec_parameters_free(&freed) }
    unsafe (parameters.pointee.codec_type, parameters.pointee.codec_id) = (AVMEDIA_TYPE_SUBTITLE, codec)
    if hasLength {
      guard let data = unsafe av_mallocz(Self.description.count + Int(AV_INPUT_BUFFER_PADDING_SIZE)) else {
        throw MediaError(-ENOMEM, from: "av_mallocz", at: path)
      }
      unsafe data.copyMemory(from: Self.description, byteCount: Self.description.count)
      unsafe parameters.pointee.extradata = data.assumingMemoryBound(to: UInt8.self)
      unsafe parameters.pointee.extradata_size = Int32(Self.description.count)
    }
    stream = try unsafe movie.addStream(
      parameters, timeBase: Self.unit, tag: hasLength ? "tx3g" : nil, isDefault: false,
      language: captions.languageCode(in: fileType))
  }

  deinit {
    var packet: UnsafeMutablePointer<AVPacket>? = unsafe packet
    unsafe av_packet_free(&packet)
  }

  /// Writes what begins before a time, or all that is left.
  func write(before time: (ticks: Int64, unit: AVRational)?, to movie: ContainerWriter) throws(MediaError) {
    while let sample = samples.first {
      if let time, av_compare_ts(sample.start, Self.unit, time.ticks, time.unit) > 0 { return }
      samples.removeFirst()
      let text = Array(sample.text.utf8)
      let bytes = hasLength ? [UInt8(text.count >> 8), UInt8(text.count & 0xff)] + text : text
      guard unsafe av_new_packet(packet, Int32(bytes.count)) >= 0 else {
        throw MediaError(-ENOMEM, from: "av_new_packet", at: path)
      }
      defer { unsafe av_packet_unref(packet) }
      unsafe packet.pointee.data.update(from: bytes, count: bytes.count)
      unsafe (packet.pointee.pts, packet.pointee.dts) = (sample.start, sample.start)
      unsafe packet.pointee.duration = sample.end - sample.start
      unsafe packet.pointee.flags = AV_PKT_FLAG_KEY
      try unsafe movie.write(packet, unit: Self.unit, to: stream)
    }
  }

  /// The description of samples (3GPP TS 26.245, 5.16): white text in the middle of the lower edge, in a face without serifs.
  private static let description: [UInt8] =
    [0, 0, 0, 0, 1, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 18, 0xff, 0xff, 0xff, 0xff]
    + [0, 0, 0, 23, 0x66, 0x74, 0x61, 0x62, 0, 1, 0, 1, 10] + Array("Sans-Serif".utf8)
}
