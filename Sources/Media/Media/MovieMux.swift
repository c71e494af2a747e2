internal import CFFmpeg
package import Formats
package import MediaTime

/// What is known of a movie that was written.
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
/// front; its picture starts later by the same time. Memory holds one packet a track, and the index that the container writes at
/// its end.
package enum MovieMux {
  /// Writes the movie to `path`, which is not its final name, and hands it to the disk.
  ///
  /// The same segment files give the same bytes. Each segment's digest is checked before FFmpeg sees a byte of it, since its
  /// demuxer may read damaged bytes for hours. It is checked again while it is read. Where a segment is not what its facts say,
  /// the error names it. After any failure nothing is left at `path`.
  ///
  /// - Parameters:
  ///   - folder: the movie's folder, where it is held open.
  ///   - pictures: the picture segments in the order of their frames; may be empty when there is sound.
  ///   - renditions: the versions of the pictures beside them, each as its segments (cmaf). They have the same settings but for size and rate.
  ///   - sounds: the sounds among which players choose, in place of `sound`.
  ///   - joinsParameterSets: whether packets of some picture segments were copied from sources. These may have parameter sets of their
  ///     own.
  ///   - video: the settings with which the pictures were encoded. Segment files do not keep all that containers ask for.
  ///   - frameDuration: the duration of a frame; positive. The pictures were encoded with it, and with `color` and `hdrMetadata`.
  ///   - times: the times of the frames, where they are not multiples of `frameDuration`.
  ///   - orientation: the way in which players turn the stored picture (mp4, mov).
  ///   - optimizeForNetworkUse: moves the index to the front (mp4, mov), which reads and writes the movie once more.
  ///   - fragmentInterval: the length of the fragments in which the movie is written (mp4, mov, m4a), without chapters and text tracks; nil for none.
  ///   - timecode: the label of the first frame (mp4, mov, mxf); nil writes none, or in mxf that of 0. The frames' rate has such a label.
  ///   - comment: the comment in the movie's metadata; nil for none.
  ///   - tags: what the file says of the movie. Keys that the file type does not hold are left out.
  ///   - chapters: the movie's named parts, one after the other from 0 on.
  ///   - captions: the movie's text tracks.
  ///   - playCount: how many times an animation is played; nil is for ever.
  ///   - coming: the segments that are still made behind those of `pictures` and of the sounds, of which one is given each. It waits for them
  ///     (not for animations, sequences, pieces, fragments and mxf). The total that `progress` is told leaves them out.
  ///   - progress: called with the bytes of the segment files read so far and their total, each byte being read twice, after each
  ///     packet and mebibyte, and while the index moves. What it throws stops the mux.
  /// - Throws: `MediaError`, or what `progress` threw.
  @discardableResult package static func write(
    pictures: [SegmentInput], renditions: [[SegmentInput]] = [], sound: SegmentInput?, sounds: [SoundInput] = [], to path: String,
    in folder: OutputFolder? = nil,
    fileType: FileType, video: VideoCodecSettings? = nil, joinsParameterSets: Bool = false,
    frameDuration: MediaTime, color: ColorTags, hdrMetadata: HDRMetadata? = nil, times: FrameTimes? = nil,
    orientation: Orientation = .up, optimizeForNetworkUse: Bool,
    fragmentInterval: MediaTime? = nil, timecode: String? = nil, comment: String? = nil, tags: MovieTags = MovieTags(),
    chapters: [MovieChapter] = [],
    captions: [MovieCaptions] = [], playCount: Int? = nil, coming: ComingSegments? = nil,
    progress: (_ done: Int64, _ total: Int64) throws -> Void
  ) throws -> MuxedMovie {
    let sounds = sound.map { [SoundInput([$0])] } ?? sounds
    precondition(!pictures.isEmpty || !sounds.isEmpty, "a movie has pictures or sound")
    precondition(renditions.isEmpty || fileType.holdsRenditions && !pictures.isEmpty, "the file type holds no renditions")
    precondition(coming == nil || fileType.isWrittenOnce && fragmentInterval == nil, "the movie is written from all its segments")
    let segments = [pictures].filter { !$0.isEmpty } + renditions + sounds.map(\.segments)
    // Each byte is read twice.
    let total = segments.joined().reduce(0) { $0 + 2 * $1.facts.digest.byteCount }
    var (proved, stop): (Int64, (any Error)?) = (0, nil)
    var tracks: [MovieTrack] = []
    func tell() throws { try progress(proved + tracks.reduce(0) { $0 + $1.readByteCount }, total) }
    func prove(_ segment: SegmentInput) throws {
      let start = proved
      let found = try FileDigest(of: segment.path) { count in
        proved = start + count
        guard stop == nil else { return }
        do { try tell() } catch { stop = error }
      }
      if let stop { throw stop }
      try segment.require(found)
    }
    func open(
      _ inputs: [SegmentInput], _ coming: ComingTrack? = nil, _ prove: (SegmentInput) throws -> Void
    ) throws -> MovieTrack {
      let shifts = [.mkv, .webm].contains(fileType)
      return try MovieTrack(
        inputs, unit: AVRational(frameDuration), times: times, subtractsDelay: shifts, joinsParameterSets: joinsParameterSets,
        coming: coming, prove: prove)
    }
    for (index, inputs) in segments.enumerated() { tracks.append(try open(inputs, coming?.tracks[index], prove)) }
    func muxed(_ digest: FileDigest) -> MuxedMovie {
      MuxedMovie(pictureByteCount: pictures.isEmpty ? 0 : tracks[0].payloadByteCount, digest: digest)
    }

    if [.apng, .webp].contains(fileType) || fileType.isSequence {
      let digest = try AnimationMux.write(
        tracks[0], count: pictures.reduce(0) { $0 + $1.facts.length }, to: path, in: folder, fileType,
        hasAlpha: video?.hasAlpha ?? false, frameDuration: frameDuration, playCount: playCount
      ) {
        try tracks[0].advance(prove)
        try tell()
      }
      return muxed(digest)
    }
    let file = try OutputFile(path, .hashed(BlockHash()), in: folder)
    file.handsOver = coming != nil
    func fragmented() throws -> [FragmentTrack] {
      try segments.enumerated().map { index, inputs in FragmentTrack(tracks[index], try open(inputs) { _ in }) }
    }
    if fileType == .cmaf {
      let pieces = PieceMux(
        file: file, interval: fragmentInterval ?? MediaTime(seconds: 6), duration: duration(of: tracks),
        frameDuration: frameDuration,
        color: color, hdrMetadata: hdrMetadata, video: video, sounds: sounds, comment: comment)
      return muxed(try pieces.write(zip(tracks, fragmented()), prove, progress: tell))
    }
    let movie = try ContainerWriter(file, format: fileType.muxerName)
    for (index, track) in tracks.enumerated() {
      let sound = track.parameters.isPicture ? nil : sounds[index - (tracks.count - sounds.count)]
      let stream = try movie.addStream(track, sound, color, hdrMetadata, in: fileType, of: video)
      if track.parameters.isPicture, orientation != .up { try movie.turn(stream, orientation) }
    }
    let texts = try captions.map { captions in try CaptionWriter(captions, movie, fileType) }
    if let comment { try movie.set("comment", to: comment) }
    if let timecode { try movie.set("timecode", to: timecode) }
    try movie.set(tags)
    // Matroska's times are shifted by the priming, and so are its chapters.
    let shift = [.mkv, .webm].contains(fileType) ? tracks.map(\.primingMilliseconds).max() ?? 0 : 0
    try movie.add(chapters, shiftedByMilliseconds: Int64(shift))
    if let fragmentInterval {
      try movie.start(options: fileType.fragmentOptions(tracks))
      let digest = try FragmentedMovie(file: file, tracks: fragmented(), interval: fragmentInterval)
        .write(lasting: duration(of: tracks), sampleCount: sounds.first?.sampleCount, prove, progress: tell)
      return muxed(digest)
    }
    try movie.start(options: fileType.options(tracks, moovFirst: optimizeForNetworkUse, playCount: playCount))

    // The mp3 muxer takes the priming from the first packet.
    if fileType == .mp3 { try tracks[0].tellPriming() }
    let framed = fileType == .mxf && tracks.count > 1
    let units = framed ? try EditUnits(tracks[1], frameDuration: tracks[0].unit, at: path) : nil
    while let index = nextTrack(units == nil ? tracks : [tracks[0]]) {
      let track = tracks[index]
      let time = unsafe (track.packet.pointee.dts, track.unit)
      for text in texts { try text.write(before: time, to: movie) }
      try unsafe movie.write(track.packet, unit: track.unit, to: index)
      try track.advance(prove)
      try units?.write(to: movie, stream: 1, prove)
      try tell()
    }
    try units?.finish(prove)
    for text in texts { try text.write(before: nil, to: movie) }
    return try withoutActuallyEscaping(progress) { progress in
      file.goesOn = {
        do { try progress(total, total) } catch { stop = error }
        return stop == nil
      }
      defer { file.goesOn = { true } }
      do {
        let digest = try movie.finish { file throws(MediaError) in
          if fileType == .mxf { try MXFIdentity.write(to: file, of: Array(segments.joined())) }
        }
        guard let digest else { preconditionFailure("a movie's file has a digest") }
        return muxed(digest)
      } catch { throw stop ?? error }
    }
  }

  /// The duration of the longest track.
  private static func duration(of tracks: [MovieTrack]) -> OpeningBoxes.MediaDuration {
    let all: [OpeningBoxes.MediaDuration] = tracks.map { ($0.length * Int64($0.unit.num), Int64($0.unit.den)) }
    return all.max { Int128($0.value) * Int128($1.timescale) < Int128($1.value) * Int128($0.timescale) } ?? (0, 1)
  }

  /// The index of the track whose packet is decoded next; nil when all tracks are at their end.
  private static func nextTrack(_ tracks: [MovieTrack]) -> Int? {
    let open = tracks.indices.filter { !tracks[$0].isAtEnd }
    return open.min { tracks[$0].isBefore(tracks[$1]) }
  }
}

extension ContainerWriter {
  /// Adds the stream of a track.
  ///
  /// - Parameter sound: what is said of it; nil for a picture.
  /// - Returns: the stream's index.
  func addStream(
    _ track: MovieTrack, _ sound: SoundInput?, _ color: ColorTags, _ hdrMetadata: HDRMetadata?, in fileType: FileType,
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
      isDefault: sound?.isDefault ?? true, language: sound?.language.flatMap { LanguageCode.written($0, in: fileType) },
      title: sound?.title
    ) { codec in
      // Segment files have no fields for the parameters that are set here.
      if parameters.isPicture {
        unsafe (codec.pointee.color_primaries, codec.pointee.color_trc, codec.pointee.color_space, codec.pointee.color_range) =
          color.codes
        unsafe codec.pointee.sample_aspect_ratio = AVRational(num: 1, den: 1)
        // VP9 has no header of its own beside the frames, so mp4 states these facts. MXF states them of every codec.
        if let video, unsafe codec.pointee.codec_id == AV_CODEC_ID_VP9 || fileType == .mxf {
          let format = PixelFormat(.init(video.chroma), bitDepth: video.bitDepth)
          unsafe codec.pointee.format = (video.hasAlpha ? format.codeWithAlpha ?? format.code : format.code).rawValue
        }
      } else {
        unsafe av_channel_layout_default(&codec.pointee.ch_layout, codec.pointee.ch_layout.nb_channels)
        unsafe codec.pointee.initial_padding = Int32(parameters.priming)
        let bits = unsafe av_get_bits_per_sample(codec.pointee.codec_id)
        if bits == 0 { unsafe codec.pointee.frame_size = Int32(track.blockLength) }
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
    case .mp4, .mov, .mkv, .webm, .mpegts: true
    case .m4a, .mxf, .cmaf, .avi, .gif, .apng, .webp, .pngSequence, .jpegSequence, .tiffSequence, .mp3, .wav, .aiff, .flac, .ogg:
      false
    }
  }

  fileprivate var muxerName: String {
    switch self {
    case .mp4: "mp4"
    case .mov: "mov"
    case .mkv: "matroska"
    case .m4a: "ipod"
    case .webm, .mxf, .mpegts, .avi, .gif, .mp3, .wav, .aiff, .flac, .ogg: rawValue
    case .cmaf, .apng, .webp, .pngSequence, .jpegSequence, .tiffSequence: preconditionFailure("FFmpeg does not write it")
    }
  }

  fileprivate func options(_ tracks: [MovieTrack], moovFirst: Bool, playCount: Int?) -> [String: String] {
    switch self {
    case .mp4, .mov, .m4a:
      [
        "movflags": moovFirst ? "+write_colr+faststart" : "+write_colr", "movie_timescale": String(timescale(of: tracks)),
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
  private func timescale(of tracks: [MovieTrack]) -> Int32 {
    let exact = tracks.reduce(Int64(1)) { $0 / gcd($0, $1.durationDenominator) * $1.durationDenominator }
    // There are at least QuickTime's usual 1000 ticks. Where no 32-bit number is exact, a tick is a microsecond, and durations
    // are rounded up.
    return Int32(exactly: exact * ((1000 + exact - 1) / exact)) ?? 1_000_000
  }
}
