import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `A segment's time map` {
  /// A document whose picture and sound play along the same points.
  private static func document(_ points: String, _ more: String = "", mix: String = "[]", sound: String? = nil) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [
      {"id": "V", "media": "video", "segments": [{"asset": "a", "timeMap": [\(points)]\(more)}]},
      {"id": "S", "media": "audio", "segments": [{"asset": "a", "timeMap": [\(sound ?? points)]}]}]}, "audioMix": \(mix)}
    """
  }

  private static let ramp =
    #"{"at": "0", "source": "10"}, {"at": "2", "speed": "1/4"}, {"at": "3", "speed": 1}, {"at": "5", "source": "12"}"#

  private static func resolved(_ document: String) throws -> ResolvedTimeline {
    try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): Assets.movie()])
  }

  private static func faults(_ document: String) throws -> [String] {
    let facts = [AssetID("a"): try Assets.movie()]
    do throws(DocumentFaults) {
      _ = try Timeline.parse(Array(document.utf8)).resolved(with: facts)
      return []
    } catch { return error.faults.map(\.description) }
  }

  @Test func `says where the source is, or how fast it becomes`() throws {
    let edit = try Timeline.parse(Array(Self.document(Self.ramp).utf8))
    let clip = try #require(edit.composition.tracks.first?.clips.first)
    let curve = try #require(clip.mapping.curve)
    #expect(try curve.pieces.map(\.sourceEnd) == [MediaTime(45, 4), MediaTime(95, 8), MediaTime(12)])
    #expect(try curve.pieces.map(\.endSpeed) == [Rational(1, over: 4), Rational(1), Rational(1, over: 16)])
    #expect(try clip.mapping.target == MediaTimeRange(start: .zero, duration: MediaTime(5)))
    #expect(edit.composition.duration == (try MediaTime(5)))
  }

  @Test func `what follows it stands behind it, and gaps stay`() throws {
    let document = Self.document(Self.ramp, #", "at": "1"}, {"asset": "a", "source": {"start": "0", "duration": "2"}"#)
    let track = try #require(Timeline.parse(Array(document.utf8)).composition.tracks.first)
    #expect(track.clips.map { "\($0.mapping.target)" } == ["[1, 6)", "[6, 8)"])
  }

  @Test func `its canonical form says the same`() throws {
    let edit = try Timeline.parse(Array(Self.document(Self.ramp).utf8))
    let text = String(decoding: edit.canonicalJSON(), as: UTF8.self)
    let start = #""timeMap":[{"at":"0","source":"10","speed":"1"},{"at":"2","speed":"1/4"}"#
    #expect(text.contains(start + #",{"at":"3","speed":"1"},{"at":"5","source":"12"}]"#))
    #expect(try Timeline.parse(Array(text.utf8)) == edit)
    // A ramp that is none is a piece of constant speed, and is said so.
    let steady = try Timeline.parse(Array(Self.document(#"{"at": "0", "source": "1"}, {"at": "2", "speed": 1}"#).utf8))
    #expect(
      String(decoding: steady.canonicalJSON(), as: UTF8.self)
        .contains(#""timeMap":[{"at":"0","source":"1"},{"at":"2","source":"3"}]"#))
  }

  @Test func `frames show the source's time and direction`() throws {
    let points = #"{"at": "0", "source": "10", "speed": 0}, {"at": "2", "speed": 2}, {"at": "4", "source": "9"}"#
    let edit = try Self.resolved(Self.document(points))
    #expect(try edit.frameCount == 100)
    let seen = try [0, 7, 50, 75].map { try #require(edit.scene(at: $0).pictures.first) }
    #expect(
      try seen.map(\.time) == [Rational(10), Rational(10) + Rational(49, over: 1250), Rational(12), Rational(21, over: 2)])
    #expect(seen.map(\.isReversed) == [false, false, true, true])
  }

  @Test func `a music bed begins it again, and cuts it`() throws {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [
        {"id": "V", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "7"}}]},
        {"id": "S", "media": "audio", "bed": "loop", "segments": [{"asset": "a", "timeMap": [
          {"at": "0", "source": "10"}, {"at": "4", "speed": 2}]}]}]}}
      """
    let edit = try Timeline.parse(Array(document.utf8))
    let clips = try #require(edit.composition.track(TrackID("S"))).clips
    #expect(clips.map { "\($0.mapping.target)" } == ["[0, 4)", "[4, 7)"])
    #expect(try clips[1].mapping.sourceTime(at: MediaTime(6)) == Rational(25, over: 2))
    #expect(clips[1].mapping.curve?.pieces.last?.endSpeed == (try Rational(7, over: 4)))
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
  }

  @Test(arguments: [
    (#"{"at": "0", "source": "1"}"#, "timeMap: needs two points at least: where it begins and where it ends"),
    (
      #"{"at": "1", "source": "1"}, {"at": "2", "source": "2"}"#,
      "timeMap[0].at: the first point is at 0, where the segment begins"
    ),
    (
      #"{"at": "0"}, {"at": "2", "source": "2"}"#,
      "timeMap[0]: needs \"source\", the time in the source at which it begins"
    ),
    (
      #"{"at": "0", "source": "1", "speed": 2}, {"at": "2", "source": "2"}"#,
      "timeMap[0].speed: the speed up to the next point is constant, since that one says its source: leave it out"
    ),
    (
      #"{"at": "0", "source": "1"}, {"at": "2", "source": "2"}, {"at": "2", "source": "3"}"#,
      "timeMap[2].at: 2 is not after the previous point's, 2"
    ),
    (
      #"{"at": "0", "source": "1"}, {"at": "2", "source": "2", "speed": 1}"#,
      "timeMap[1]: needs either \"source\", the time in the source, or \"speed\", to which it changes on the way"
    ),
    (
      #"{"at": "0", "source": "1"}, {"at": "2"}"#,
      "timeMap[1]: needs either \"source\", the time in the source, or \"speed\", to which it changes on the way"
    ),
    (
      #"{"at": "0", "source": "1"}, {"at": "0.1", "source": "12"}"#,
      "timeMap[1].source: more than 100 times faster than the source"
    ),
    (#"{"at": "0", "source": "1"}, {"at": "1", "speed": -101}"#, "timeMap[1].speed: is not between -100 and 100"),
    (
      #"{"at": "0", "source": "1"}, {"at": "1", "speed": -1}"#,
      "timeMap[1].speed: the source turns round on the way: put a point with the speed 0 between"
    ),
    (
      #"{"at": "0", "source": "1", "speed": 0}, {"at": "3", "speed": -1}"#,
      "timeMap[1].speed: runs back to -0.5, before the source's beginning"
    ),
    (
      #"{"at": "0", "source": "1", "speed": "1/65537"}, {"at": "1/65539", "speed": "2/65537"}"#,
      "timeMap[1].speed: time out of range: 8590458889/8590458886 s"
    ),
    (
      #"{"at": "0", "source": "1"}, {"at": "1", "rate": 2, "source": "2"}"#,
      "timeMap[1].rate: unknown key (that is said by speed)"
    ),
  ])
  func `that cannot be is a fault at its place`(points: String, fault: String) {
    let found = Documents.faults(Self.document(points, sound: Self.ramp))
    #expect(found == ["composition.tracks[0].segments[0].\(fault)"])
  }

  @Test func `leaves nothing for the other keys to say`() throws {
    #expect(
      try Self.faults(Self.document(Self.ramp, #", "reversed": true, "duration": "3", "source": {"start": "0"}"#))
        == ["source", "duration", "reversed"].map {
          "composition.tracks[0].segments[0].\($0): the timeMap says what is played, how long and in which direction: leave it out"
        })
  }

  @Test func `plays only what its source has, and sound that moves`() throws {
    let late = #"{"at": "0", "source": "59"}, {"at": "2", "source": "61"}"#
    #expect(
      try Self.faults(Self.document(late, sound: Self.ramp))
        == ["composition.tracks[0].segments[0].timeMap: ends at 61, but asset 'a' lasts 60"])
    #expect(
      try Self.faults(Self.document(Self.ramp, sound: #"{"at": "0", "source": "5"}, {"at": "2", "source": "5"}"#))
        == ["composition.tracks[1].segments[0].timeMap: sound cannot be held: the source never moves"])
    #expect(try Self.faults(Self.document(#"{"at": "0", "source": "5"}, {"at": "2", "source": "5"}"#, sound: Self.ramp)) == [])
  }

  @Test func `keeps the pitch or changes it, and sound that is bent inside is not straightened around it`() throws {
    let keeps = #"[{"track": "S", "preservesPitch": true}]"#
    #expect(try Self.faults(Self.document(Self.ramp, mix: keeps)) == [])
    let fast = #"{"at": "0", "source": "5"}, {"at": "2", "speed": "17/2"}"#
    #expect(
      try Self.faults(Self.document(fast, mix: keeps)) == [
        "composition.tracks[1].segments[0].timeMap: more than 8 times faster than the source, with preservesPitch"
      ])
    func nested(_ duration: String, inside: String = "[]") throws -> [String] {
      try Self.faults(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "compositions": {"n": {"tracks": [
          {"id": "T", "media": "audio", "segments": [{"asset": "a", "timeMap": [\(Self.ramp)]}]}], "audioMix": \(inside)}},
         "composition": {"tracks": [{"id": "S", "media": "audio", "segments": [
          {"composition": "n", "source": {"start": "0", "duration": "5"}, "duration": "\(duration)"}]}]},
         "audioMix": \(keeps), "export": {"fileType": "m4a"}}
        """)
    }
    #expect(try nested("5") == [])
    #expect(
      try nested("4") == [
        "composition.tracks[0].segments[0]: composition 'n' has sound along a timeMap, which changes its pitch with its speed, "
          + "with preservesPitch: let its track change the pitch, or let the track inside keep it, too"
      ])
    #expect(try nested("4", inside: #"[{"track": "T", "preservesPitch": true}]"#) == [])
  }

  @Test func `is followed by a composition's picture, and not by its mixed sound`() throws {
    func played(_ media: String) throws -> [String] {
      try Self.faults(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "compositions": {"n": {"tracks": [
          {"id": "U", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "60"}}]},
          {"id": "T", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "60"}}]}]}},
         "composition": {"tracks": [{"id": "S", "media": "\(media)", "segments": [{"composition": "n", "timeMap": [\(Self.ramp)]}]}]},
         "export": {"fileType": "\(media == "audio" ? "m4a" : "mp4")"}}
        """)
    }
    #expect(try played("video") == [])
    #expect(
      try played("audio") == [
        "composition.tracks[0].segments[0].timeMap: the mixed sound of a composition follows no timeMap: "
          + "give one to its own segments, or play it at a constant speed"
      ])
  }

  @Test func `sound follows it on the movie's clock, also through nested compositions`() throws {
    // The composition is played backwards at twice its speed: its curve is, too.
    let edit = try Self.resolved(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "compositions": {"n": {"tracks": [
        {"id": "T", "media": "audio", "segments": [{"asset": "a", "at": "1", "timeMap": [\(Self.ramp)]}]}]}},
       "composition": {"tracks": [{"id": "S", "media": "audio", "segments": [
        {"composition": "n", "source": {"start": "0", "duration": "6"}, "duration": "3", "reversed": true}]}]},
       "export": {"fileType": "m4a"}}
      """)
    let span = try #require(edit.soundSpans(SoundMeasures()).first)
    let pieces = try #require(span.curve).pieces
    #expect(span.samples == 0..<Int64(2.5 * Double(edit.audio?.sampleRate ?? 0)))
    #expect(try pieces.map(\.start) == [Rational(0), Rational(1), Rational(3, over: 2)])
    #expect(try pieces.map(\.source) == [Rational(12), Rational(95, over: 8), Rational(45, over: 4)])
    #expect(try pieces.map(\.speed) == [Rational(-1, over: 8), Rational(-2), Rational(-1, over: 2)])
    // Each ends where the next begins.
    for (piece, next) in zip(pieces, pieces.dropFirst()) {
      let passed = piece.duration
      #expect(
        try piece.source + piece.speed * passed + piece.acceleration * passed * passed / Rational(2) == next.source)
    }
  }
}
