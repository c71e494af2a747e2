/// The pieces of a movie in fragments: its opening, and its fragments one after the other. Their times are those of the source.
struct SegmentPieces {
  private struct Track {
    let id: CMPersistentTrackID
    let mediaType: AVMediaType
    let timescale: CMTimeScale
    /// The ticks that an edit list takes away in front.
    let skipped: Int64
    /// The time of the source that is the movie's zero, in ticks.
    let start: Int64
  }

  /// The movie's opening, without samples.
  let opening: Data
  private let file: FileHandle
  private let extends: Data
  private let tracks: [Track]
  /// The place of the next fragment.
  private var place: UInt64

  /// The largest fragment, in bytes: one that memory holds.
  private static let largest: UInt64 = 1 << 32

  /// - Parameter start: the time of the source that is the movie's zero.
  /// - Throws: an `AVError` for times that pieces cannot have; what the system says of the file.
  init(of movie: URL, from start: CMTime) throws {
    file = try FileHandle(forReadingFrom: movie)
    var end: UInt64 = 0
    while let (type, size) = try Self.header(of: file, at: end), type != "moof".fourCharCode { end += size }
    try file.seek(toOffset: 0)
    guard let opening = try file.read(upToCount: Int(end)), let body = MovieAtoms.body("moov", in: opening),
      let extends = MovieAtoms.body("mvex", in: body)
    else { throw AVError(.unknown, "'spool write' of another version answered") }
    (self.opening, self.extends, place) = (opening, extends, end)
    tracks = try MovieAtoms(body).filter { $0.type == "trak".fourCharCode }.map { try Self.track($0.body, from: start) }
  }

  /// The opening with the brand of CMAF.
  var openingOfCMAF: Data {
    guard let size = opening.number(at: 0, bytes: 4), opening.number(at: 4, bytes: 4) == UInt64("ftyp".fourCharCode) else {
      return opening
    }
    let end = opening.startIndex + Int(size)
    let head = (0..<4).map { UInt8(truncatingIfNeeded: (size + 4) >> UInt64(24 - 8 * $0)) }
    return Data(head) + opening[(opening.startIndex + 4)..<end] + Data("cmfc".utf8) + opening[end...]
  }

  /// The next piece, and what it has; nil at the end.
  mutating func next() throws -> (Data, AVAssetSegmentReport)? {
    guard let (type, size) = try Self.header(of: file, at: place), type == "moof".fourCharCode else { return nil }
    guard let (_, more) = try Self.header(of: file, at: place + size) else {
      throw AVError(.unknown, "the pieces: their file has changed")
    }
    guard size < Self.largest, more < Self.largest - size else {
      throw AVError(.unknown, "the pieces: one has more than \(Self.largest) bytes", property: "preferredOutputSegmentInterval")
    }
    try file.seek(toOffset: place)
    guard var piece = try file.read(upToCount: Int(size + more)), piece.count == Int(size + more) else {
      throw AVError(.unknown, "the pieces: their file has changed")
    }
    place += size + more
    let report = report(of: piece)
    for track in tracks where track.start != 0 { Self.move(&piece, UInt64(track.id), by: track.start) }
    return (piece, report)
  }

  /// The kind and the size of the atom at a place; nil beyond the end of the file.
  private static func header(of file: FileHandle, at place: UInt64) throws -> (type: UInt32, size: UInt64)? {
    try file.seek(toOffset: place)
    guard let head = try file.read(upToCount: 16), let short = head.number(at: 0, bytes: 4),
      let type = head.number(at: 4, bytes: 4),
      let size = short == 1 ? head.number(at: 8, bytes: 8) : short, size >= 8, size < 1 << 62
    else { return nil }
    return (UInt32(type), size)
  }

  private static func track(_ body: Data, from start: CMTime) throws -> Track {
    func number(_ path: [String], _ old: Int, _ new: Int) -> UInt64? {
      let found = path.reduce(Data?.some(body)) { body, type in body.flatMap { MovieAtoms.body(type, in: $0) } }
      return found.flatMap { $0.number(at: $0.first == 1 ? new : old, bytes: 4) }
    }
    guard let id = number(["tkhd"], 12, 20), let scale = number(["mdia", "mdhd"], 12, 20), let timescale = Int32(exactly: scale),
      let type = number(["mdia", "hdlr"], 8, 8)
    else { throw AVError(.unknown, "'spool write' of another version answered") }
    let moved = start.convertScale(timescale, method: .roundHalfAwayFromZero)
    guard moved.isNumeric, moved.value >= 0 else {
      throw AVError(
        .operationNotAllowed, "startSession(atSourceTime:): pieces have no times before zero, and none as late as \(start)",
        time: start)
    }
    return Track(
      id: CMPersistentTrackID(truncatingIfNeeded: id), mediaType: type == UInt64("vide".fourCharCode) ? .video : .audio,
      timescale: timescale, skipped: Int64(number(["edts", "elst"], 12, 20) ?? 0), start: moved.value)
  }

  private func report(of piece: Data) -> AVAssetSegmentReport {
    var reading = FragmentReading(extends)
    if let fragment = MovieAtoms.body("moof", in: piece) { reading.take(fragment, at: 0, before: UInt64(piece.count)) }
    let reports = tracks.compactMap { track -> AVAssetSegmentTrackReport? in
      guard let samples = reading.tracks[UInt32(track.id)], samples.count > 0, let place = samples.runs.first?.place else {
        return nil
      }
      let first = (samples.start ?? 0) - track.skipped
      var (earliest, decoded) = (Int64.max, first)
      for (duration, delay) in zip(samples.durations, samples.delays) {
        earliest = min(earliest, decoded + delay)
        decoded += duration
      }
      // What comes before the movie's beginning is not heard.
      let hidden = max(0, -earliest)
      func time(_ ticks: Int64) -> CMTime { CMTime(value: ticks, timescale: track.timescale) }
      let sample = AVAssetSegmentReportSampleInformation(
        at: time(track.start + first + samples.delays[0]), offset: Int(place), length: Int(samples.sizes[0]),
        isSyncSample: samples.flags[0] & 0x10000 == 0)
      return AVAssetSegmentTrackReport(
        track.id, track.mediaType, from: time(track.start + earliest + hidden),
        lasting: time(samples.durations.reduce(0, +) - hidden), first: track.mediaType == .video ? sample : nil)
    }
    return AVAssetSegmentReport(.separable, reports)
  }

  /// Moves the times of a track's samples in a piece: those at which they are decoded (`tfdt`), from which the others count.
  private static func move(_ piece: inout Data, _ id: UInt64, by ticks: Int64) {
    guard let fragment = MovieAtoms.body("moof", in: piece) else { return }
    // The bodies are parts of the piece, and have its indices.
    for (type, body) in MovieAtoms(fragment) where type == "traf".fourCharCode {
      guard MovieAtoms.body("tfhd", in: body)?.number(at: 4, bytes: 4) == id, let time = MovieAtoms.body("tfdt", in: body),
        time.first == 1, let decoded = time.number(at: 4, bytes: 8)
      else { continue }
      let moved = decoded + UInt64(ticks)
      for index in 0..<8 { piece[time.startIndex + 4 + index] = UInt8(truncatingIfNeeded: moved >> UInt64(56 - 8 * index)) }
    }
  }
}
