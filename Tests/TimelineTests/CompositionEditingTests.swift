import FarmTesting
import Formats
import MediaTime
import Testing
import Timeline

@Suite struct `Editing a composition` {
  private let a = SegmentSource(asset: AssetID("a"))
  private let b = SegmentSource(asset: AssetID("b"))

  private func range(_ start: Int64, _ duration: Int64) throws -> MediaTimeRange {
    try MediaTimeRange(start: MediaTime(start), duration: MediaTime(duration))
  }

  private func track(_ id: String = "V") -> CompositionTrack { CompositionTrack(id: TrackID(id), media: .video) }

  /// The track as texts, one for each segment: "a 2+3 @ 0+3" is source range at target range; "gap @ 3+1" is empty.
  private func text(_ track: CompositionTrack) -> [String] {
    track.segments.map { segment in
      let place = "@ \(segment.timeRange.start)+\(segment.timeRange.duration)"
      switch segment {
      case .empty: return "gap \(place)"
      case .media(let source, let mapping):
        let direction = mapping.isReversed ? " back" : ""
        return "\(source) \(mapping.source.start)+\(mapping.source.duration)\(direction) \(place)"
      }
    }
  }

  // MARK: - Reverse and freeze

  @Test func `a reversed range plays its segments backwards, the last one first`() throws {
    var track = track()
    try track.append(range(10, 4), of: a)
    try track.insert(range(0, 2), of: b, at: MediaTime(5))
    try track.reverseTimeRange(range(1, 5))
    #expect(
      text(track) == ["a 10+1 @ 0+1", "b 0+1 back @ 1+1", "gap @ 2+1", "a 11+3 back @ 3+3", "b 1+1 @ 6+1"])
  }

  @Test func `reversing twice changes nothing`() throws {
    var track = track()
    try track.append(range(10, 4), of: a)
    try track.scaleTimeRange(range(0, 4), toDuration: MediaTime(3))
    try track.insertFreezeFrame(at: MediaTime(7), of: b, at: MediaTime(3), lasting: MediaTime(2))
    let before = track
    try track.reverseTimeRange(range(0, 5))
    #expect(track != before)
    try track.reverseTimeRange(range(0, 5))
    #expect(track == before)
  }

  @Test func `a reversed segment is cut where it is seen`() throws {
    var track = track()
    try track.append(range(10, 6), of: a)
    try track.reverseTimeRange(range(0, 6))
    try track.insert(range(0, 1), of: b, at: MediaTime(2))
    #expect(text(track) == ["a 14+2 back @ 0+2", "b 0+1 @ 2+1", "a 10+4 back @ 3+4"])
  }

  @Test func `a frozen frame has no length in its source`() throws {
    var track = track()
    try track.append(range(0, 2), of: a)
    try track.insertFreezeFrame(at: MediaTime(1), of: a, at: MediaTime(1), lasting: MediaTime(3))
    #expect(text(track) == ["a 0+1 @ 0+1", "a 1+0 @ 1+3", "a 1+1 @ 4+1"])
  }

  // MARK: - Insert

  @Test func `appended ranges follow each other`() throws {
    var track = track()
    try track.append(range(2, 3), of: a)
    try track.append(range(0, 4), of: b)
    #expect(text(track) == ["a 2+3 @ 0+3", "b 0+4 @ 3+4"])
  }

  @Test func `an insertion cuts the segment it falls into, and moves the rest`() throws {
    var track = track()
    try track.append(range(10, 6), of: a)
    try track.insert(range(0, 4), of: b, at: MediaTime(2))
    #expect(text(track) == ["a 10+2 @ 0+2", "b 0+4 @ 2+4", "a 12+4 @ 6+4"])
  }

  @Test func `an insertion between segments cuts neither`() throws {
    var track = track()
    try track.append(range(0, 1), of: a)
    try track.append(range(1, 1), of: a)
    try track.insert(range(0, 1), of: b, at: MediaTime(1))
    #expect(text(track) == ["a 0+1 @ 0+1", "b 0+1 @ 1+1", "a 1+1 @ 2+1"])
  }

  @Test func `an insertion past the end leaves a gap before it`() throws {
    var track = track()
    try track.insert(range(0, 1), of: a, at: MediaTime(5))
    #expect(text(track) == ["gap @ 0+5", "a 0+1 @ 5+1"])
  }

  @Test func `an insertion before zero or of nothing is refused`() throws {
    var track = track()
    #expect(throws: CompositionError.negativeTime(try MediaTime(-1))) { try track.insert(range(0, 1), of: a, at: MediaTime(-1)) }
    #expect(throws: CompositionError.emptyRange(try range(3, 0))) { try track.insert(range(3, 0), of: a, at: .zero) }
    #expect(throws: CompositionError.emptyRange(try range(3, 0))) { try track.append(range(3, 0), of: a) }
    #expect(track.segments == [])
  }

  @Test func `an empty range moves what follows it`() throws {
    var track = track()
    try track.append(range(0, 4), of: a)
    try track.insertEmptyTimeRange(range(1, 2))
    try track.insertEmptyTimeRange(range(2, 1))
    #expect(text(track) == ["a 0+1 @ 0+1", "gap @ 1+3", "a 1+3 @ 4+3"])
  }

  @Test func `a track does not end with a gap`() throws {
    var track = track()
    try track.append(range(0, 4), of: a)
    #expect(throws: CompositionError.beyondEnd(try MediaTime(4), end: try MediaTime(4))) {
      try track.insertEmptyTimeRange(range(4, 1))
    }
    try track.insertEmptyTimeRange(range(2, 1))
    try track.removeTimeRange(range(3, 2))
    #expect(text(track) == ["a 0+2 @ 0+2"])
  }

  // MARK: - Remove

  @Test func `removing takes out the range and closes up`() throws {
    var track = track()
    try track.append(range(0, 4), of: a)
    try track.append(range(10, 4), of: b)
    try track.removeTimeRange(range(3, 2))
    #expect(text(track) == ["a 0+3 @ 0+3", "b 11+3 @ 3+3"])
  }

  @Test func `removing from within a segment leaves its two ends`() throws {
    var track = track()
    try track.append(range(0, 10), of: a)
    try track.removeTimeRange(range(4, 2))
    #expect(text(track) == ["a 0+4 @ 0+4", "a 6+4 @ 4+4"])
  }

  @Test func `removing beyond the end is refused, and changes nothing`() throws {
    var track = track()
    try track.append(range(0, 4), of: a)
    let before = track
    #expect(throws: CompositionError.beyondEnd(try MediaTime(5), end: try MediaTime(4))) {
      try track.removeTimeRange(range(3, 2))
    }
    #expect(throws: CompositionError.emptyRange(try range(1, 0))) { try track.removeTimeRange(range(1, 0)) }
    #expect(track == before)
  }

  // MARK: - Scale

  @Test func `scaling plays the range at another speed and moves the rest`() throws {
    var track = track()
    try track.append(range(0, 4), of: a)
    try track.append(range(0, 4), of: b)
    try track.scaleTimeRange(range(2, 4), toDuration: MediaTime(8))
    #expect(text(track) == ["a 0+2 @ 0+2", "a 2+2 @ 2+4", "b 0+2 @ 6+4", "b 2+2 @ 10+2"])
  }

  @Test func `a scaled segment is cut at the source time shown there`() throws {
    var track = track()
    try track.append(range(0, 9), of: a)
    try track.scaleTimeRange(range(0, 9), toDuration: MediaTime(3))
    try track.insert(range(0, 1), of: b, at: MediaTime(1))
    #expect(text(track) == ["a 0+3 @ 0+1", "b 0+1 @ 1+1", "a 3+6 @ 2+2"])
  }

  @Test func `a cut at a time too fine for the source is refused, and changes nothing`() throws {
    var track = track()
    try track.append(MediaTimeRange(start: .zero, duration: MediaTime(1, 2_147_483_647)), of: a)
    let before = track
    #expect(throws: CompositionError.self) { try track.scaleTimeRange(range(0, 1), toDuration: MediaTime(1)) }
    #expect(throws: CompositionError.self) { try track.insert(range(0, 1), of: b, at: MediaTime(1, 2_147_483_629)) }
    #expect(track == before)
  }

  // MARK: - Segments given whole

  @Test func `segments must follow each other from zero`() throws {
    let late = try TrackSegment.media(a, TimeMapping(source: range(0, 1), target: range(1, 1)))
    #expect(throws: CompositionError.notContiguous(end: .zero, next: try MediaTime(1))) {
      try CompositionTrack(id: TrackID("V"), media: .video, segments: [late])
    }
    let gap = try TrackSegment.empty(range(0, 1))
    #expect(try text(CompositionTrack(id: TrackID("V"), media: .video, segments: [gap, late])) == ["gap @ 0+1", "a 0+1 @ 1+1"])
  }

  @Test func `a gap must last`() throws {
    #expect(throws: CompositionError.emptyRange(try range(0, 0))) {
      try CompositionTrack(id: TrackID("V"), media: .video, segments: [.empty(range(0, 0))])
    }
  }

  // MARK: - The whole composition

  @Test func `an edit of the composition edits every track, as far as it reaches`() throws {
    var composition = Composition()
    try composition.addTrack(TrackID("V"), .video)
    try composition.addTrack(TrackID("S"), .audio)
    try composition.edit(TrackID("V")) { (track) throws(CompositionError) in try track.append(Self.seconds(0, 8), of: a) }
    try composition.edit(TrackID("S")) { (track) throws(CompositionError) in try track.append(Self.seconds(0, 3), of: b) }
    try composition.removeTimeRange(range(2, 4))
    #expect(composition.tracks.map(text) == [["a 0+2 @ 0+2", "a 6+2 @ 2+2"], ["b 0+2 @ 0+2"]])
    try composition.scaleTimeRange(range(1, 2), toDuration: MediaTime(4))
    #expect(
      composition.tracks.map(text) == [
        ["a 0+1 @ 0+1", "a 1+1 @ 1+2", "a 6+1 @ 3+2", "a 7+1 @ 5+1"], ["b 0+1 @ 0+1", "b 1+1 @ 1+2"],
      ])
    try composition.insertEmptyTimeRange(range(3, 1))
    #expect(
      composition.tracks.map(text) == [
        ["a 0+1 @ 0+1", "a 1+1 @ 1+2", "gap @ 3+1", "a 6+1 @ 4+2", "a 7+1 @ 6+1"], ["b 0+1 @ 0+1", "b 1+1 @ 1+2"],
      ])
  }

  @Test func `tracks have names of their own`() throws {
    var composition = Composition()
    try composition.addTrack(TrackID("V"), .video)
    #expect(throws: CompositionError.duplicateTrack(TrackID("V"))) { try composition.addTrack(TrackID("V"), .audio) }
    #expect(throws: CompositionError.unknownTrack(TrackID("W"))) { try composition.edit(TrackID("W")) { _ in } }
  }

  // MARK: - Against a model

  /// The model of a track is the list of the source seconds that it shows, one for each second. It gives the meaning of each edit
  /// without the edit's code.
  @Test(arguments: 1...8 as ClosedRange<UInt64>)
  func `random edits do what they do to a list of seconds`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    var (track, model) = (track(), [Int64?]())
    for _ in 0..<60 {
      let count = Int64.random(in: 1...5, using: &random)
      let start = Int64.random(in: 0...Int64(model.count), using: &random)
      switch Int.random(in: 0...3, using: &random) {
      case 0:
        let source = Int64.random(in: 0...1_000, using: &random)
        try track.insert(range(source, count), of: a, at: MediaTime(start))
        model.insert(contentsOf: (source..<source + count).map { $0 }, at: Int(start))
      case 1 where start < model.count:
        try track.insertEmptyTimeRange(range(start, count))
        model.insert(contentsOf: Array(repeating: nil, count: Int(count)), at: Int(start))
      case 2 where start + count <= model.count:
        try track.removeTimeRange(range(start, count))
        model.removeSubrange(Int(start)..<Int(start + count))
      default:
        try track.append(range(500, count), of: a)
        model += (500..<500 + count).map { $0 }
      }
      while model.last == .some(nil) { model.removeLast() }
      #expect(try seconds(track) == model, "seed \(seed)")
      #expect(try CompositionTrack(id: track.id, media: .video, segments: track.segments) == track)
    }
  }

  private func seconds(_ track: CompositionTrack) throws -> [Int64?] {
    try (0..<track.duration.value).map { second in
      guard case .media(_, let mapping)? = track.segment(at: try MediaTime(second)) else { return nil }
      return try Int64(mapping.sourceTime(at: MediaTime(second)).floor)
    }
  }

  private static func seconds(_ start: Int64, _ duration: Int64) throws(CompositionError) -> MediaTimeRange {
    do { return try MediaTimeRange(start: MediaTime(start), duration: MediaTime(duration)) } catch { throw .time(error) }
  }
}
