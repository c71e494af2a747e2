internal import Compositing
internal import Formats
internal import Media
internal import MediaTime
internal import Messages
internal import Scenes
internal import Timeline

/// Makes the files of a movie's still pictures, which come in the order of their frames: the poster, then the sheets. One thread at a time.
struct StillFiles {
  private let plan: StillPlan
  private let color: ColorTags
  private var poster: [UInt8] = []
  private var sheets: [[UInt8]] = []
  private var sheet: StillSheet?
  private var count = 0

  /// - Parameter color: the colour of the movie.
  init(_ plan: StillPlan, of color: ColorTags) { (self.plan, self.color) = (plan, StillScaler.color(of: color)) }

  /// Takes the next still of a track.
  ///
  /// - Parameter index: the place of the track among those of the plan. The poster's is the first.
  mutating func take(_ still: PixelBuffer, ofTrack index: Int) throws(MediaError) {
    if index == 0, plan.poster != nil { poster = try JPEGImage(still).bytes } else { try takeThumbnail(still) }
  }

  private mutating func takeThumbnail(_ still: PixelBuffer) throws(MediaError) {
    guard let places = plan.sheets, count < places.count else { preconditionFailure("the plan has so many thumbnails") }
    let place = places.place(of: count)
    if place.sheet > sheets.count { try finishSheet() }
    let drawn: StillSheet
    if let sheet { drawn = sheet } else { drawn = try StillSheet(places.size, color: color) }
    drawn.draw(still, x: place.column * places.tile.width, y: place.row * places.tile.height)
    (sheet, count) = (drawn, count + 1)
  }

  /// The files in their order; nil where stills are missing.
  mutating func finish() throws(MediaError) -> [[UInt8]]? {
    try finishSheet()
    guard count == plan.sheets?.count ?? 0, plan.poster == nil || !poster.isEmpty else { return nil }
    return (plan.poster == nil ? [] : [poster]) + sheets
  }

  private mutating func finishSheet() throws(MediaError) {
    if let sheet { sheets.append(try JPEGImage(sheet.picture).bytes) }
    sheet = nil
  }
}

/// The still pictures of a movie that is compared with its edit, made of the edit's own frames. One thread at a time.
struct ComparedStills {
  private let plan: StillPlan
  private let scalers: [StillScaler]
  private var files: StillFiles

  /// - Returns: nil for an edit without stills.
  init?(of edit: ResolvedTimeline) throws {
    guard let plan = try edit.stills else { return nil }
    (self.plan, files) = (plan, StillFiles(plan, of: edit.color))
    scalers = plan.tracks.map { edit.stillScaler(to: $0.size) }
  }

  /// Takes a frame of the edit, by its number. All come, in order.
  mutating func take(_ frame: PixelBuffer, number: Int) throws {
    for (index, track) in plan.tracks.enumerated() where !track.places(in: number..<number + 1).isEmpty {
      try files.take(scalers[index].still(frame), ofTrack: index)
    }
  }

  /// The digests of the files, in their order; nil where frames are missing.
  mutating func digests() throws -> [String]? { try files.finish()?.map { try CompanionFile("", $0).digest } }
}

/// Makes the files of a movie's still pictures out of those that lie in its segments.
struct StillJoin {
  let edit: ResolvedTimeline
  let chunks: [Winner<PictureProof>]
  /// The files of the chunks, as inputs of the main picture.
  let inputs: [SegmentInput]

  /// - Parameter progress: called after each chunk that was read, with the number of chunks.
  /// - Returns: the files in their order; none for an edit without stills.
  /// - Throws: `MediaError` naming a segment file that is not what its proof says; `Failure` where a still is missing.
  func files(progress: (Int) -> Void) throws -> [[UInt8]] {
    guard let plan = try edit.stills, let frameDuration = edit.videoComposition?.frameDuration else { return [] }
    var files = StillFiles(plan, of: edit.color)
    let color = StillScaler.color(of: edit.color)
    for (number, (chunk, input)) in zip(chunks, inputs).enumerated() {
      var isProved = false
      for (index, track) in plan.tracks.enumerated() {
        let (count, place) = (track.places(in: chunk.proof.frames.indices).count, edit.renditions.count + index)
        guard count > 0 else { continue }
        let facts = SegmentFacts(
          digest: input.facts.digest, length: Int64(count), parameterSetDigest: chunk.proof.renditions[place].parameterSetDigest)
        // The digest is checked before FFmpeg sees a byte of the file, as by every mux.
        if !isProved { try FileDigest(of: input.path).require(input) }
        isProved = true
        try StoredStills.read(
          SegmentInput(path: input.path, facts: facts, stream: place + 1), frameDuration: frameDuration, color: color,
          size: track.size
        ) { still in
          try files.take(still, ofTrack: index)
        }
      }
      progress(number + 1)
    }
    guard let made = try files.finish() else { throw Failure(.bug, at: "mux", "some still pictures are in no segment") }
    return made
  }
}
