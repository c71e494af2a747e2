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

extension SideTrackWriter {
  /// Adds a text track to a movie that has not begun.
  ///
  /// - Throws: `MediaError` `unsupported` for a file type without text tracks, and for a text of more than 65,535 bytes in mp4 or mov;
  ///   `outOfMemory`.
  convenience init(_ captions: MovieCaptions, _ movie: ContainerWriter, _ fileType: FileType) throws(MediaError) {
    let path = movie.file.path
    guard let codec = fileType.captionCodec else {
      throw MediaError(.unsupported, at: path, "\(fileType) holds no captions")
    }
    let hasLength = codec == AV_CODEC_ID_MOV_TEXT
    let texts = captions.samples
    if hasLength, let long = texts.first(where: { $0.text.utf8.count > 65_535 }) {
      throw MediaError(.unsupported, at: path, "the captions at \(long.start) ms are longer than the 65,535 bytes of a sample")
    }
    let samples = texts.map { text in
      let bytes = Array(text.text.utf8)
      let length = hasLength ? [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] : []
      return Sample(start: text.start, end: text.end, bytes: length + bytes)
    }
    var form = Form(codec, AVMEDIA_TYPE_SUBTITLE, timescale: 1000)
    (form.description, form.tag) = (hasLength ? Self.captionDescription : [], hasLength ? "tx3g" : nil)
    (form.language, form.isDefault) = (captions.languageCode(in: fileType), false)
    try self.init(form, samples, movie)
  }

  /// The description of samples (3GPP TS 26.245, 5.16): white text in the middle of the lower edge, in a face without serifs.
  private static let captionDescription: [UInt8] =
    [0, 0, 0, 0, 1, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 18, 0xff, 0xff, 0xff, 0xff]
    + [0, 0, 0, 23, 0x66, 0x74, 0x61, 0x62, 0, 1, 0, 1, 10] + Array("Sans-Serif".utf8)
}
