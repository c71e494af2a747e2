internal import CFFmpeg
package import Formats
internal import MediaTime

/// The facts of a movie that was written.
package struct MuxedMovie: Hashable, Sendable {
  /// The bytes of the picture's packets, without its renditions; 0 without a picture.
  package let pictureByteCount: Int64
  /// The size and digest of the file, computed while it was written.
  package let digest: FileDigest
}

/// Puts segment files together into a movie without encoding again (docs/decisions/0030-mux-without-encoding.md).
///
/// Every timestamp is computed: frame `i` is shown at `i * frameDuration`, and sample `n` is heard at `n / sampleRate`. In mp4
/// and mov an edit list cuts off the priming. Matroska counts milliseconds and keeps the priming of AAC and MP3 as silence in
/// front; its picture starts later by the same time. Memory holds two segments a track, of 64 MiB at most, or one
/// packet of longer ones, and the index that the container writes at its end.
package enum MovieMux {
  /// Writes the movie to `path`, which is not its final name, and hands it to the disk.
  ///
  /// The same segment files give the same bytes. Each segment's digest is checked before FFmpeg sees a byte of it, since its
  /// demuxer may read damaged bytes for hours. One that is too long for memory is checked again while it is read (`SegmentSupply`).
  /// Where a segment is not what its facts say, the error names it. After any failure nothing is left at `path`.
  ///
  /// - Parameters:
  ///   - folder: the movie's folder, where it is held open.
  ///   - coming: the segments that are still made behind the given ones, of which one is given for each track. The mux waits for
  ///     them (not for animations, sequences, pieces, fragments and mxf). The total that `progress` is told leaves them out.
  ///   - progress: called with the bytes of the segment files read so far and their total, each byte counting twice, after each
  ///     packet and mebibyte, and while the index moves. What it throws stops the mux.
  /// - Throws: `MediaError`, or what `progress` threw.
  @discardableResult package static func write(
    _ segments: MovieSegments, as form: MovieForm, to path: String, in folder: OutputFolder? = nil, coming: ComingSegments? = nil,
    progress: (_ done: Int64, _ total: Int64) throws -> Void
  ) throws -> MuxedMovie {
    precondition(!segments.all.isEmpty, "a movie has pictures or sound")
    precondition(
      segments.renditions.isEmpty || form.fileType.holdsRenditions && !segments.pictures.isEmpty,
      "the file type holds no renditions")
    precondition(
      coming == nil || form.fileType.isWrittenOnce && form.fragmentInterval == nil, "the movie is written from all its segments")
    return try withoutActuallyEscaping(progress) { progress in
      let muxing = try MovieMuxing(segments, form, coming: coming, progress: progress)
      let digest = try muxing.write(to: path, in: folder)
      return MuxedMovie(pictureByteCount: muxing.pictureByteCount, digest: digest)
    }
  }
}

/// A track whose stream a container is told of before its packets come.
protocol StreamedTrack: AnyObject {
  var parameters: CodecParameters { get }
  /// The unit of its packets' times.
  var unit: AVRational { get }
  /// The samples of a block of sound; 0 where it is not known yet.
  var blockLength: Int64 { get }
}

extension MovieTrack: StreamedTrack {}

extension ContainerWriter {
  /// Adds the stream of a track.
  ///
  /// - Parameters:
  ///   - sound: what is said of it; nil for a picture.
  ///   - language: that of a picture, as a BCP 47 tag; nil where none is told.
  /// - Returns: the stream's index.
  func addStream(
    _ track: MovieTrack, sound: SoundInput?, language: String? = nil, color: ColorTags, hdrMetadata: HDRMetadata?,
    in fileType: FileType,
    of video: VideoCodecSettings?
  ) throws(MediaError) -> Int {
    var words = TrackWords(language: sound?.language ?? language)
    (words.title, words.isDefault, words.sampleCount) = (sound?.title, sound?.isDefault ?? true, sound.map { _ in track.length })
    let codec = unsafe track.parameters.codec.pointee
    let stride = unsafe Int64(av_get_bits_per_sample(codec.codec_id) / 8 * codec.ch_layout.nb_channels)
    // The muxer's counters would begin anew without a word.
    if sound != nil, stride > 0, let objection = fileType.objection(toSamples: track.length, of: stride) {
      throw MediaError(.unsupported, at: file.path, objection)
    }
    return try addStream(track, words, color: color, hdrMetadata: hdrMetadata, in: fileType, of: video)
  }

  /// Adds the stream of a track.
  ///
  /// - Returns: the stream's index.
  func addStream(
    _ track: some StreamedTrack, _ words: TrackWords, color: ColorTags, hdrMetadata: HDRMetadata?, in fileType: FileType,
    of video: VideoCodecSettings?
  ) throws(MediaError) -> Int {
    let parameters = track.parameters
    // QuickTime's colour atom has no field for the range, MXF's is not read by FFmpeg, and these codecs have none: players would take
    // full range for limited.
    guard !parameters.tellsNoRange || ![.mov, .mxf].contains(fileType) || color.range == .limited else {
      throw MediaError(.unsupported, at: file.path, "full range cannot be told as such in \(fileType): export to mkv")
    }
    let tag = parameters.isPicture && [.mp4, .mov].contains(fileType) ? video?.coding.coder.sampleEntry : nil
    return try unsafe addStream(
      parameters.codec, timeBase: track.unit, hdrMetadata: parameters.isPicture ? hdrMetadata : nil, tag: tag,
      isDefault: words.isDefault, language: words.language.flatMap { LanguageCode.written($0, in: fileType) }, title: words.title
    ) { codec in
      // Segment files have no fields for the parameters that are set here.
      if parameters.isPicture {
        unsafe (codec.pointee.color_primaries, codec.pointee.color_trc, codec.pointee.color_space, codec.pointee.color_range) =
          color.codes
        unsafe codec.pointee.sample_aspect_ratio = AVRational(video?.pixelAspect ?? PixelSize(1, 1))
        // The lines of both fields lie among each other. Of such frames these two orders say which field is shown first.
        if let fields = video?.fields {
          unsafe codec.pointee.field_order = fields.order == .topFirst ? AV_FIELD_TB : AV_FIELD_BT
        }
        // VP9 has no header of its own beside the frames, so mp4 states these facts. MXF states them of every codec.
        if let video, unsafe codec.pointee.codec_id == AV_CODEC_ID_VP9 || fileType == .mxf {
          let format = PixelFormat(.init(video.chroma), bitDepth: video.bitDepth)
          unsafe codec.pointee.format = (video.hasAlpha ? format.codeWithAlpha ?? format.code : format.code).rawValue
        }
      } else {
        unsafe AudioCodecSettings.ChannelLayout.complete(&codec.pointee.ch_layout)
        unsafe codec.pointee.initial_padding = Int32(parameters.priming)
        let bits = unsafe av_get_bits_per_sample(codec.pointee.codec_id)
        if bits == 0 { unsafe codec.pointee.frame_size = Int32(track.blockLength) }
        if fileType == .flac, let count = words.sampleCount { unsafe FLACFrames.state(sampleCount: count, in: codec) }
        // FFmpeg's AVI counts the samples of PCM by its bit rate.
        if fileType == .avi {
          unsafe codec.pointee.bit_rate = Int64(bits * codec.pointee.ch_layout.nb_channels) * Int64(codec.pointee.sample_rate)
        }
      }
    }
  }
}

extension FileType {
  /// Whether a movie of this type can be written while its segments are made: packet after packet, from one reading of each.
  package var isWrittenOnce: Bool {
    switch self {
    case .mp4, .mov, .mkv, .webm, .mpegts, .m4a, .wav, .aiff, .flac, .ogg: true
    case .mxf, .cmaf, .avi, .gif, .apng, .webp, .pngSequence, .jpegSequence, .tiffSequence, .mp3: false
    }
  }

  var muxerName: String {
    switch self {
    case .mp4: "mp4"
    case .mov: "mov"
    case .mkv: "matroska"
    case .m4a: "ipod"
    case .webm, .mxf, .mpegts, .avi, .gif, .mp3, .wav, .aiff, .flac, .ogg: rawValue
    case .cmaf, .apng, .webp, .pngSequence, .jpegSequence, .tiffSequence: preconditionFailure("FFmpeg does not write it")
    }
  }

  /// - Parameter denominators: those of further times that edit lists tell.
  func options(
    _ tracks: [MovieTrack], listsChapters: Bool, playCount: Int?, denominators: [Int64] = []
  ) -> [String: String] {
    switch self {
    case .mp4, .mov, .m4a:
      [
        "movflags": "+write_colr" + (listsChapters ? "" : "+disable_chpl"),
        "movie_timescale": String(timescale(of: tracks, denominators)),
        // FFmpeg 5.1 calls FLAC in mp4 experimental, although it has been specified since.
        "strict": "experimental",
      ]
    case .mkv, .webm:
      // No time may be negative, and FFmpeg 5.1 writes no codec delay for AAC and MP3: all tracks start later by the priming.
      ["output_ts_offset": "\(tracks.map(\.primingMilliseconds).max() ?? 0)ms"]
    case .mpegts:
      // No time may be negative: the stream's clock is a second or more ahead of the movie's. Packets come 1.4 s before they are decoded,
      // as `ffmpeg` has it.
      ["output_ts_offset": "\(tracks.map(\.leadSeconds).max() ?? 0)s", "max_delay": "700000"]
    // A file of more than 4 GB becomes RF64.
    case .wav: ["rf64": "auto"]
    // FFmpeg counts how often it is played again; -1 is never, and 0 for ever.
    case .gif: ["loop": "\(playCount.map { $0 == 1 ? -1 : $0 - 1 } ?? 0)"]
    case .mxf, .avi, .cmaf, .apng, .webp, .pngSequence, .jpegSequence, .tiffSequence, .mp3, .aiff, .flac, .ogg: [:]
    }
  }

  func fragmentOptions(_ tracks: [MovieTrack]) -> [String: String] {
    var options = [
      "movflags": "+empty_moov+default_base_moof+frag_custom+write_colr", "movie_timescale": String(timescale(of: tracks)),
    ]
    if let picture = tracks.first(where: \.parameters.isPicture) {
      options["video_track_timescale"] = String(TrackFragments.timescale(atLeast: picture.unit.den))
    }
    return options
  }

  /// The movie's ticks a second. The durations of all tracks are whole numbers of ticks, so that edit lists end with the last
  /// frame and sample.
  private func timescale(of tracks: [MovieTrack], _ denominators: [Int64] = []) -> Int32 {
    var exact: Int64 = 1
    for denominator in tracks.map(\.durationDenominator) + denominators where exact <= Int32.max {
      exact = exact / gcd(exact, denominator) * denominator
    }
    // There are at least QuickTime's usual 1000 ticks. Where no 32-bit number is exact, a tick is a microsecond, and durations
    // are rounded up.
    return Int32(exactly: exact * ((1000 + exact - 1) / exact)) ?? 1_000_000
  }
}
