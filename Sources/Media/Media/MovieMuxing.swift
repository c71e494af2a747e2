internal import CFFmpeg
internal import Formats
internal import MediaTime

/// The writing of one movie (`MovieMux`). It counts the bytes that are read, and tells them. One thread uses it.
final class MovieMuxing {
  private let segments: MovieSegments
  private let form: MovieForm
  private let isComing: Bool
  private let progress: (_ done: Int64, _ total: Int64) throws -> Void
  private var tracks: [MovieTrack] = []
  /// Opens the segment files, and checks them before.
  private var supply = SegmentSupply.checked
  /// The bytes of all segment files, each counted twice: when it is checked, and when FFmpeg reads it.
  private let total: Int64
  /// The error by which `progress` stopped the writing where it could not be thrown.
  private var stop: (any Error)?

  /// Opens the tracks, for which it proves their first segments.
  init(
    _ segments: MovieSegments, _ form: MovieForm, coming: ComingSegments?,
    progress: @escaping (_ done: Int64, _ total: Int64) throws -> Void
  ) throws {
    (self.segments, self.form, self.progress, isComing) = (segments, form, progress, coming != nil)
    total = segments.all.joined().reduce(0) { $0 + 2 * $1.facts.digest.byteCount }
    supply = SegmentSupply { [unowned self] _ in try tell() }
    for (index, inputs) in segments.all.enumerated() { tracks.append(try open(inputs, coming?.tracks[index], from: supply)) }
  }

  /// The bytes of the picture's packets so far, without its renditions; 0 without a picture.
  var pictureByteCount: Int64 { segments.pictures.isEmpty ? 0 : tracks[0].payloadByteCount }

  /// - Returns: the size and digest of the file.
  func write(to path: String, in folder: OutputFolder?) throws -> FileDigest {
    if [.apng, .webp].contains(form.fileType) || form.fileType.isSequence { return try writeAnimation(to: path, in: folder) }
    let file = try OutputFile(path, .hashed(BlockHash()), in: folder)
    file.handsOver = isComing
    if form.fileType == .cmaf { return try writePieces(to: file) }
    let movie = try ContainerWriter(file, format: form.fileType.muxerName)
    let texts = try describe(movie)
    if let borders = form.fragmentBorders {
      try movie.start(options: form.withWords(form.fileType.fragmentOptions(tracks)))
      let counts = Array(repeating: Int64?.none, count: tracks.count - segments.sounds.count) + segments.sounds.map(\.sampleCount)
      let fragments = FragmentedMovie(
        file: file, tracks: try fragmented(), borders: borders, first: form.firstFragment, enabled: form.enabledTracks)
      return try fragments.write(lasting: duration, sampleCounts: counts, progress: tell)
    }
    try movie.start(
      options: form.withWords(
        form.fileType.options(
          tracks, listsChapters: form.listsChapters, playCount: form.playCount,
          denominators: form.metadata.flatMap(\.denominators))))
    try writePackets(to: movie, texts, at: path)
    return try finish(movie, file)
  }

  private func tell() throws { try progress(supply.provedByteCount + tracks.reduce(0) { $0 + $1.readByteCount }, total) }

  private func open(
    _ inputs: [SegmentInput], _ coming: ComingTrack? = nil, from supply: SegmentSupply
  ) throws -> MovieTrack {
    try MovieTrack(
      inputs, unit: AVRational(form.frameDuration), times: form.times,
      timecode: form.timecode.flatMap { SourceTimecode($0, frameDuration: form.frameDuration) }, subtractsDelay: form.isMatroska,
      joinsParameterSets: form.joinsParameterSets, coming: coming,
      statesLengths: form.fragmentBorders == nil && [.mp4, .mov, .mkv].contains(form.fileType), from: supply)
  }

  /// The tracks for a movie of pieces or fragments, each opened a second time.
  private func fragmented() throws -> [FragmentTrack] {
    try segments.all.enumerated().map { index, inputs in FragmentTrack(tracks[index], try open(inputs, from: .checked)) }
  }

  private func writeAnimation(to path: String, in folder: OutputFolder?) throws -> FileDigest {
    try AnimationMux.write(
      tracks[0], count: segments.pictures.reduce(0) { $0 + $1.facts.length }, to: path, in: folder, form.fileType,
      hasAlpha: form.video?.hasAlpha ?? false, frameDuration: form.frameDuration, playCount: form.playCount
    ) {
      try tracks[0].advance()
      try tell()
    }
  }

  private func writePieces(to file: OutputFile) throws -> FileDigest {
    let pieces = PieceMux(
      file: file, interval: form.fragmentInterval ?? MediaTime(seconds: 6), duration: duration, frameDuration: form.frameDuration,
      color: form.color, hdrMetadata: form.hdrMetadata, video: form.video, sounds: segments.sounds, comment: form.comment,
      texts: form.texts, stills: form.stills, sheets: form.sheets)
    return try pieces.write(zip(tracks, fragmented()), progress: tell)
  }

  /// Adds the streams, and all that the file says beside its packets.
  ///
  /// - Returns: the writers of the tracks of texts and of metadata.
  private func describe(_ movie: ContainerWriter) throws -> [SideTrackWriter] {
    for (index, track) in tracks.enumerated() {
      let sound = track.parameters.isPicture ? nil : segments.sounds[index - (tracks.count - segments.sounds.count)]
      let stream = try movie.addStream(
        track, sound: sound, language: sound == nil ? form.pictureLanguage : nil, color: form.color,
        hdrMetadata: form.hdrMetadata, in: form.fileType, of: form.video)
      if track.parameters.isPicture, form.orientation != .up { try movie.turn(stream, form.orientation) }
    }
    let texts =
      try form.captions.map { captions in try SideTrackWriter(captions, movie, form.fileType) }
      + form.metadata.map { metadata in try SideTrackWriter(metadata, movie, form.fileType) }
    if let comment = form.comment { try movie.set("comment", to: comment) }
    if let timecode = form.timecode { try movie.set("timecode", to: timecode) }
    try movie.set(form.tags, beside: form.words, names: form.tagNames)
    // Matroska's times are shifted by the priming, and so are its chapters.
    let shift = form.isMatroska ? tracks.map(\.primingMilliseconds).max() ?? 0 : 0
    try movie.add(form.chapters, shiftedByMilliseconds: Int64(shift))
    return texts
  }

  /// Writes the packets of all tracks, in the order in which they are decoded.
  private func writePackets(to movie: ContainerWriter, _ texts: [SideTrackWriter], at path: String) throws {
    // The mp3 muxer takes the priming from the first packet.
    if form.fileType == .mp3 { try tracks[0].tellPriming() }
    let framed = form.fileType == .mxf && tracks.count > 1
    let units = framed ? try EditUnits(tracks[1], frameDuration: tracks[0].unit, at: path) : nil
    while let index = nextTrack(units == nil ? tracks : [tracks[0]]) {
      let track = tracks[index]
      let time = unsafe (track.packet.pointee.dts, track.unit)
      for text in texts { try text.write(before: time, to: movie) }
      try unsafe movie.write(track.packet, unit: track.unit, to: index)
      try track.advance()
      try units?.write(to: movie, stream: 1)
      try tell()
    }
    try units?.finish()
    for text in texts { try text.write(before: nil, to: movie) }
  }

  /// Writes the index. While it moves to the front, `progress` is asked whether to go on.
  private func finish(_ movie: ContainerWriter, _ file: OutputFile) throws -> FileDigest {
    file.goesOn = { [self] in
      do { try progress(total, total) } catch { stop = error }
      return stop == nil
    }
    defer { file.goesOn = { true } }
    do {
      let digest = try movie.finish { file throws(MediaError) in
        if form.fileType == .mp3, !form.chapters.isEmpty { try ID3Frames.mend(in: file) }
        if form.fileType == .mxf { try MXFIdentity.write(to: file, of: Array(segments.all.joined())) }
        if form.tagNames == .quickTime { try MovieIndex.change(in: file, QuickTimeWords.lifted) }
        if !form.metadata.isEmpty {
          try MovieIndex.change(in: file) { MetadataBoxes.described($0, by: form.metadata.map(\.keys)) }
        }
        if let aperture = form.cleanAperture, let picture = tracks.first(where: \.parameters.isPicture) {
          let size = unsafe PixelSize(
            Int(picture.parameters.codec.pointee.width), Int(picture.parameters.codec.pointee.height))
          try MovieIndex.lengthen(in: file) { CleanAperture.stated(aperture, of: size, in: $0) }
        }
        if let enabled = form.enabledTracks { try MovieIndex.change(in: file) { MovieIndex.enabling(enabled, in: $0) } }
        if form.optimizeForNetworkUse, form.fileType.hasMovableIndex { try FastStart.apply(to: file) }
      }
      guard let digest else { preconditionFailure("a movie's file has a digest") }
      return digest
    } catch { throw stop ?? error }
  }

  /// The duration of the longest track.
  private var duration: OpeningBoxes.MediaDuration {
    let all: [OpeningBoxes.MediaDuration] = tracks.map { ($0.length * Int64($0.unit.num), Int64($0.unit.den)) }
    return all.max { Int128($0.value) * Int128($1.timescale) < Int128($1.value) * Int128($0.timescale) } ?? (0, 1)
  }

  /// The index of the track whose packet is decoded next; nil when all tracks are at their end.
  private func nextTrack(_ tracks: [MovieTrack]) -> Int? {
    let open = tracks.indices.filter { !tracks[$0].isAtEnd }
    return open.min { tracks[$0].isBefore(tracks[$1]) }
  }
}
