import EditTesting
import Document
import MediaTime
import Scenes
import Testing
import Timeline

/// Tests of tracks that yield to others: what documents say, and the gain that follows from it.
@Suite struct `A track that yields` {
  private let plain = try? Ducking(
    under: [TrackID("voice")], gain: 0.25, attack: MediaTime(1, 10), hold: MediaTime(1, 20), release: MediaTime(1, 5))

  /// The keyframes as samples at 1000 Hz and gains.
  private func keys(_ ducking: Ducking?, _ active: [Range<Int64>]) throws -> [String] {
    try #require(ducking).envelope(yieldingTo: active, sampleRate: 1_000).keyframes.map { key in
      "\(try key.time.samples(at: 1_000)): \(key.value)"
    }
  }

  @Test func `the volume is down when the other track begins, and rises after the hold`() throws {
    #expect(try keys(plain, [500..<800]) == ["400: 1.0", "500: 0.25", "850: 0.25", "1050: 1.0"])
  }

  @Test func `a pause that is shorter than fall and hold does not let it rise`() throws {
    #expect(try keys(plain, [950..<1000, 500..<800]) == ["400: 1.0", "500: 0.25", "1050: 0.25", "1250: 1.0"])
    #expect(try keys(plain, [500..<800, 600..<700]) == ["400: 1.0", "500: 0.25", "850: 0.25", "1050: 1.0"])
  }

  @Test func `a fall begins from where a rise has come to`() throws {
    #expect(
      try keys(plain, [500..<800, 1050..<1100])
        == ["400: 1.0", "500: 0.25", "850: 0.25", "950: 0.625", "1050: 0.25", "1150: 0.25", "1350: 1.0"])
  }

  @Test func `a rise that ends where a fall begins has one keyframe there`() throws {
    #expect(
      try keys(plain, [500..<800, 1150..<1200])
        == ["400: 1.0", "500: 0.25", "850: 0.25", "1050: 1.0", "1150: 0.25", "1250: 0.25", "1450: 1.0"])
  }

  @Test func `without look-ahead a short sound is over before the fall is`() throws {
    let late = try Ducking(
      under: [TrackID("voice")], gain: 0, attack: MediaTime(1, 10), lookAhead: .zero, hold: .zero, release: MediaTime(1, 10))
    #expect(try keys(late, [500..<550]) == ["500: 1.0", "550: 0.5", "650: 1.0"])
    #expect(try keys(late, []) == [])
  }

  @Test func `times of zero are steps from one sample to the next`() throws {
    let gate = Ducking(under: [TrackID("voice")], gain: 0.5, attack: .zero, hold: .zero, release: .zero)
    #expect(try keys(gate, [500..<800]) == ["499: 1.0", "500: 0.5", "799: 0.5", "800: 1.0"])
  }

  @Test func `a fall that would begin before the edit is on its way at the edit's start`() throws {
    #expect(try keys(plain, [50..<60]) == ["-50: 1.0", "50: 0.25", "110: 0.25", "310: 1.0"])
  }

  private static let twoTracks = """
    {"spool": 1, "assets": {"a": {"path": "a.wav"}}, "composition": {"tracks": [
      {"id": "voice", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]},
      {"id": "music", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]}]},
     "audioMix": [{"track": "music", DUCK}], "export": {"fileType": "wav", LOUDNESS"audio": {"codec": "pcm"}}}
    """

  private func document(_ duck: String, loudness: String = "") -> String {
    Self.twoTracks.replacing("DUCK", with: duck).replacing("LOUDNESS", with: loudness)
  }

  private func parsed(_ document: String) throws -> Timeline { try Timeline.parse(Array(document.utf8)) }

  @Test func `what is left out has its usual value`() throws {
    let mix = try parsed(document(#""duck": {"under": ["voice"]}"#)).audioMix
    let written =
      #""duck": {"under": ["voice", "voice"], "by": "-12 dB", "attack": "0.2", "lookAhead": "0.2", "hold": "0.3", "release": "0.8"}"#
    #expect(try mix == parsed(document(written)).audioMix)
    let found = try #require(mix.ducking(of: TrackID("music")))
    #expect(found.threshold == nil && abs(found.gain - 0.251188643150958) < 1e-15)
  }

  @Test func `canonical documents say the same`() throws {
    let duck =
      #""loudness": -20.5, "duck": {"under": ["voice"], "by": 0, "threshold": "-40 dB", "lookAhead": "1", "release": "0"}"#
    let first = try parsed(document(duck, loudness: #""loudness": {"integrated": -17.5, "truePeak": -2}, "#))
    #expect(try Timeline.parse(first.canonicalJSON()) == first)
    #expect(first.audioMix.ducking(of: TrackID("music"))?.attack == Ducking.usualAttack)
    #expect(first.export.loudness == LoudnessTarget(integrated: -17.5, truePeak: -2))
    let named = try parsed(document(duck, loudness: #""loudness": "ebuR128", "#))
    #expect(named.export.loudness == LoudnessTarget(integrated: -23, truePeak: -1))
    #expect(try Timeline.parse(named.canonicalJSON()) == named)
  }

  @Test(arguments: [
    (#"{"under": ["voice"], "by": -12}"#, [#"audioMix[0].duck.by: -12 is no gain such as 0.25 or "-12 dB""#]),
    (#"{"under": ["voice"], "by": 2}"#, ["audioMix[0].duck.by: is more than 1, which is 0 dB: a track yields by getting softer"]),
    (
      #"{"under": ["voice"], "by": "soft"}"#,
      [#"audioMix[0].duck.by: 'soft' is not a gain such as 0.5 or "-6 dB", at most 24.0 dB"#]
    ),
    (#"{"under": ["music"]}"#, ["audioMix[0].duck.under[0]: a track cannot yield to itself"]),
    (#"{"under": ["choir"]}"#, ["audioMix[0].duck.under[0]: no track 'choir'"]),
    (#"{"under": []}"#, ["audioMix[0].duck.under: names no track to yield to"]),
    (#"{}"#, ["audioMix[0].duck.under: missing"]),
    (#"{"under": ["voice"], "hold": "61"}"#, ["audioMix[0].duck.hold: longer than 60 seconds"]),
    (
      #"{"under": ["voice"], "threshold": 0}"#,
      ["audioMix[0].duck.threshold: every level is above it: leave it out to yield while there are segments"]
    ),
    (#"{"under": ["voice"], "level": 1}"#, ["audioMix[0].duck.level: unknown key (that is said by threshold)"]),
  ])
  func `faults name their place`(duck: String, faults: [String]) {
    #expect(Documents.faults(document("\"duck\": \(duck)")) == faults)
  }

  @Test func `more segments and levels than a mix can bear are refused`() throws {
    let facts = try Assets.song()
    func fault(_ count: Int, _ condition: (Int) -> String, segments: Int) -> String? {
      let voice = (0..<segments).map { #"{"asset": "a", "source": {"start": "0", "duration": "1"}, "at": "\#($0)"}"# }
      let second = #"[{"asset": "a", "source": {"start": "0", "duration": "1"}}]"#
      let tracks = (0..<count).map { #"{"id": "t\#($0)", "media": "audio", "segments": \#(second)}"# }
      let mix = (0..<count).map { #"{"track": "t\#($0)", "duck": {"under": ["voice"]\#(condition($0))}}"# }
      let text = """
        {"spool": 1, "assets": {"a": {"path": "a.wav"}}, "composition": {"tracks": [
         {"id": "voice", "media": "audio", "segments": [\(voice.joined(separator: ", "))]}, \(tracks.joined(separator: ", "))]},
         "audioMix": [\(mix.joined(separator: ", "))], "export": {"fileType": "wav", "audio": {"codec": "pcm"}}}
        """
      do {
        _ = try Timeline.parse(Array(text.utf8)).resolved(with: [AssetID("a"): facts])
        return nil
      } catch { return error.faults.first?.description }
    }
    #expect(fault(64, { #", "threshold": 0.\#($0 + 1)"# }, segments: 1) == nil)
    #expect(
      fault(65, { #", "threshold": 0.\#($0 + 1)1"# }, segments: 1)
        == "audioMix: the levels of 65 groups of tracks are to be measured; at most 64 are accepted")
    #expect(
      fault(101, { _ in "" }, segments: 2_000)
        == "audioMix: tracks yield to 202000 segments in all; at most 200000 are accepted")
  }

  @Test(arguments: [
    ("-16", [#"export.loudness: expected a name or an object, such as {"integrated": -16}, in LUFS"#]),
    (#""loud""#, ["export.loudness: 'loud' is not one of ebuR128, atscA85, podcast, streaming"]),
    (#"{"integrated": -71}"#, ["export.loudness.integrated: -71 is not in -70...0"]),
    (#"{"integrated": -16, "truePeak": 1}"#, ["export.loudness.truePeak: 1 is not in -60...0"]),
    ("{}", ["export.loudness.integrated: missing"]),
  ])
  func `faults of a loudness name their place`(loudness: String, faults: [String]) {
    #expect(Documents.faults(document(#""solo": false"#, loudness: "\"loudness\": \(loudness), ")) == faults)
  }
}
