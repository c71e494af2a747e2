internal import CFFmpeg
internal import Formats
internal import MediaTime

/// Writes a movie as pieces that players fetch one by one, with their playlists, into one roll: each file behind its name
/// (docs/decisions/0195-a-movie-in-pieces-is-a-folder.md). A track's pieces come first, then its opening; then
/// come the playlists, and texts and still pictures at the end.
struct PieceMux {
  let file: OutputFile
  /// The length of a piece.
  let interval: MediaTime
  /// The movie's duration.
  let duration: OpeningBoxes.MediaDuration
  let frameDuration: MediaTime
  let color: ColorTags
  let hdrMetadata: HDRMetadata?
  let video: VideoCodecSettings?
  /// The sounds, in the order of their tracks.
  let sounds: [SoundInput]
  let comment: String?
  /// The tracks of texts.
  var texts: [PieceText] = []
  /// The still pictures that lie in the folder, and the file of their times.
  var stills: [CompanionFile] = []
  /// The places of the thumbnails among them; nil without any.
  var sheets: ThumbnailSheets?

  /// Writes all pieces and playlists, and hands the roll to the disk.
  ///
  /// - Parameters:
  ///   - tracks: each track, and its pieces.
  ///   - progress: called after each packet. What it throws ends the writing.
  /// - Returns: the roll's size and digest.
  func write(
    _ tracks: some Sequence<(MovieTrack, FragmentTrack)>, progress: () throws -> Void
  ) throws -> FileDigest {
    var made: [(PieceTrack, MovieTrack)] = []
    for (read, track) in tracks {
      let pictures = made.filter { !$0.0.kind.isSound }
      let place = made.count - pictures.count
      let kind =
        !track.isPicture
        ? PieceNames.Track.sound(at: place) : pictures.isEmpty ? .picture : PieceNames.Track.rendition(at: pictures.count - 1)
      let written = try write(
        track, kind: kind, sound: track.isPicture ? nil : sounds[place], of: read, progress: progress)
      // Players change from one rendition to another between pieces.
      if case .rendition = kind, written.pieces.map(\.duration) != pictures[0].0.pieces.map(\.duration) {
        throw MediaError(.internal, at: file.path, "its pieces \(kind) do not end where those of the picture end")
      }
      made.append((written, read))
    }
    let listing = PieceListing(
      made.map(\.0), of: made.map(\.1), sounds: sounds, texts: texts, frameDuration: frameDuration, color: color,
      comment: comment,
      thumbnails: sheets.map { sheets in SheetListing(sheets, byteCounts: stills.filter(sheets.holds).map(\.bytes.count)) })
    for (name, text) in listing.files {
      try append(name, byteCount: text.utf8.count)
      try file.append(Array(text.utf8))
    }
    // A roll has its files in the order in which they are looked for in the folder.
    let others = stills + texts.enumerated().map { CompanionFile(PieceNames.text(at: $0), $1.bytes) }
    for other in others.sorted(by: { PieceNames.Place($0.name) < PieceNames.Place($1.name) }) {
      try append(other.name, byteCount: other.bytes.count)
      try file.append(other.bytes)
    }
    return try file.finishMovie()
  }

  /// Writes the pieces and the opening of a track.
  ///
  /// - Parameter sound: what is said of it; nil for a picture.
  private func write(
    _ track: FragmentTrack, kind: PieceNames.Track, sound: SoundInput?, of read: MovieTrack, progress: () throws -> Void
  ) throws -> PieceTrack {
    var pieces: [PieceTrack.Piece] = []
    while !track.isAtEnd {
      let run = try track.run(every: interval)
      let number = pieces.count + 1
      guard number <= PieceNames.mostPieces else {
        throw MediaError(
          .unsupported, at: file.path, "more than \(PieceNames.mostPieces) pieces: set a longer export.fragmentInterval")
      }
      let head = (number == 1 ? words(of: track, sound) : []) + MovieFragment.head(number: number, [run])
      try append(PieceNames.piece(kind, number), byteCount: head.count + run.byteCount)
      try file.append(head)
      try track.write(run, to: file, progress: progress)
      // What comes before the movie's beginning is not played.
      pieces.append(
        PieceTrack.Piece(
          byteCount: head.count + run.byteCount, head: head.count + (run.samples.first?.byteCount ?? 0),
          duration: run.duration - (number == 1 && !track.isPicture ? track.delay : 0)))
    }
    let opening = try self.opening(of: track, read, kind, sound)
    guard let codec = CodecName.of(opening: opening) else {
      throw MediaError(.internal, at: file.path, "the opening of its \(kind) names no codec")
    }
    return PieceTrack(kind: kind, timescale: track.timescale, codec: codec, pieces: pieces)
  }

  /// The words that stand before a track's first piece. FFmpeg's reader of DASH opens each piece with the opening anew: there, they would take away sound
  /// from every piece.
  private func words(of track: FragmentTrack, _ sound: SoundInput?) -> [UInt8] {
    guard track.parameters.isAAC, let sampleCount = sound?.sampleCount, let skipped = UInt32(exactly: track.delay), skipped > 0
    else { return [] }
    return OpeningBoxes.gapless(skipping: skipped, of: sampleCount)
  }

  /// Writes the opening of a track.
  ///
  /// - Returns: its bytes.
  private func opening(
    of track: FragmentTrack, _ read: MovieTrack, _ kind: PieceNames.Track, _ sound: SoundInput?
  ) throws -> [UInt8] {
    let name = Array(PieceNames.opening(kind).utf8)
    try file.append(PictureRoll.head(name.count) + name)
    let start = file.end
    // FFmpeg writes behind the length, which is not known yet.
    try file.append(PictureRoll.head(0))
    let writer = try ContainerWriter(file, format: "mp4")
    // It is the only one in its file, so players play it.
    let alone = sound.map { SoundInput($0.segments, language: $0.language, title: $0.title) }
    _ = try writer.addStream(read, sound: alone, color: color, hdrMetadata: hdrMetadata, in: .mp4, of: video)
    if let comment { try writer.set("comment", to: comment) }
    try writer.start(options: FileType.mp4.fragmentOptions([read]))
    try file.flush()
    let made = try file.head(TrackOpening.longest, from: start + PictureRoll.lengthSize)
    withExtendedLifetime(writer) {}
    guard let skipped = UInt32(exactly: track.delay),
      let opening = OpeningBoxes.completed(made, [OpeningBoxes.Track(skipped: skipped)], lasting: duration, isPiece: true)
    else { throw MediaError(.internal, at: file.path, "the opening of its \(kind) has no header") }
    try file.replaceEnd(from: start, by: PictureRoll.head(opening.count) + opening)
    return opening
  }

  /// Writes what stands before a file in the roll.
  private func append(_ name: String, byteCount: Int) throws(MediaError) {
    let name = Array(name.utf8)
    try file.append(PictureRoll.head(name.count) + name + PictureRoll.head(byteCount))
  }
}

extension ThumbnailSheets {
  /// Whether a file in the movie's folder is one of the sheets.
  fileprivate func holds(_ file: CompanionFile) -> Bool { (1...sheetCount).contains { StillNames().sheet($0) == file.name } }
}
