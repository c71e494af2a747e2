/// The pieces of a movie in fragments: its opening, and what its fragments are with times of the source.
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
  private let extends: Data
  private let tracks: [Track]

  /// - Parameters:
  ///   - opening: the movie's opening.
  ///   - start: the time of the source that is the movie's zero.
  /// - Throws: an `AVError` for times that pieces cannot have.
  init(_ opening: Data, from start: CMTime) throws(AVError) {
    guard let body = MovieAtoms.body("moov", in: opening), let extends = MovieAtoms.body("mvex", in: body) else {
      throw AVError(.unknown, "'spool write' of another version answered")
    }
    (self.opening, self.extends) = (opening, extends)
    var tracks: [Track] = []
    for (type, body) in MovieAtoms(body) where type == "trak".fourCharCode { tracks.append(try Self.track(body, from: start)) }
    self.tracks = tracks
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

  /// A piece with the times of the source, and what it has.
  func moved(_ piece: Data) -> (Data, AVAssetSegmentReport) {
    var made = piece
    for track in tracks where track.start != 0 { Self.move(&made, UInt64(track.id), by: track.start) }
    return (made, report(of: piece))
  }

  private static func track(_ body: Data, from start: CMTime) throws(AVError) -> Track {
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
