import EditTesting
import Document
import Formats
import MediaTime
import Testing
import Timeline

/// Tests of ranges that a document leaves open. The facts of the assets close them.
@Suite struct `Open ranges` {
  /// The facts of clips of 10 s and 4 s of picture with sound, of 60 s of music, and of a still.
  private static func facts() throws -> [AssetID: AssetFacts] {
    try [
      AssetID("street"): Assets.movie(seconds: 10), AssetID("sea"): Assets.movie(seconds: 4), AssetID("song"): Assets.song(),
      AssetID("card"): still(),
    ]
  }

  private static func still() throws -> AssetFacts {
    let picture = Assets.video(size: PixelSize(640, 360), rate: nil, color: .bt709)
    return AssetFacts(
      container: "jpeg_pipe", duration: .zero, byteCount: 1, tracks: [try Assets.track(0, .video(picture), 0)])
  }

  private static func document(_ tracks: String, _ more: String = "") -> String {
    """
    {"spool": 1, "assets": {"street": {"path": "a.mp4"}, "sea": {"path": "b.mp4"}, "song": {"path": "c.mp3"}, "card": {"path": "d.jpg"}},
     "composition": {"tracks": [\(tracks)]}\(more)}
    """
  }

  private static func track(_ segments: String, _ more: String = #""media": "video""#, id: String = "T") -> String {
    #"{"id": "\#(id)", \#(more), "segments": [\#(segments)]}"#
  }

  private func edit(_ document: String, _ facts: [AssetID: AssetFacts]? = nil) throws -> Timeline {
    try Document(Array(document.utf8)).reading(with: facts ?? Self.facts()).edit()
  }

  private func faults(_ document: String, _ facts: [AssetID: AssetFacts]? = nil) throws -> [String] {
    try Document(Array(document.utf8)).reading(with: facts ?? Self.facts()).faults?.faults.map(\.description) ?? []
  }

  /// The clips of each track, as "source+duration at target+duration".
  private func clips(_ document: String) throws -> [[String]] {
    try edit(document).composition.tracks.map { track in
      track.clips.map {
        "\($0.mapping.source.start)+\($0.mapping.source.duration) at \($0.mapping.target.start)+\($0.mapping.target.duration)"
      }
    }
  }

  @Test(arguments: [
    (#"{"asset": "street"}, {"asset": "sea"}"#, ["0+10 at 0+10", "0+4 at 10+4"]),
    (#"{"asset": "street", "source": {"start": "7.5"}}"#, ["7.5+2.5 at 0+2.5"]),
    (#"{"asset": "street", "source": {"duration": "3"}}, {"asset": "sea", "at": "5"}"#, ["0+3 at 0+3", "0+4 at 5+4"]),
    (#"{"asset": "sea", "source": {}, "duration": "8"}"#, ["0+4 at 0+8"]),
    (#"{"asset": "sea", "source": {"start": "1"}, "duration": "1", "reversed": true}"#, ["1+3 at 0+1"]),
    (#"{"asset": "card", "duration": "3"}, {"asset": "sea"}"#, ["0+3 at 0+3", "0+4 at 3+4"]),
    (#"{"asset": "card", "source": {"start": "2"}, "duration": "3"}"#, ["2+3 at 0+3"]),
  ])
  func `what is left out is the whole clip, or lasts to its end`(segments: String, expected: [String]) throws {
    #expect(try clips(Self.document(Self.track(segments))) == [expected])
  }

  @Test func `picture and sound of a clip stay together in a row, though its sound is a little longer`() throws {
    var facts = try Self.facts()
    for id in ["street", "sea"] {
      let longer = try #require(facts[AssetID(id)]).duration + MediaTime(23, 1000)
      facts[AssetID(id)]?.duration = longer
      facts[AssetID(id)]?.tracks[1].timeRange = try MediaTimeRange(start: .zero, duration: longer)
    }
    let clips = #"{"asset": "street"}, {"asset": "sea"}"#
    let document = Self.document(Self.track(clips) + "," + Self.track(clips, #""media": "audio""#, id: "S"))
    let tracks = try edit(document, facts).composition.tracks
    #expect(tracks[0].clips.map(\.mapping) == tracks[1].clips.map(\.mapping))
    #expect(try tracks[0].duration == MediaTime(14))
  }

  @Test func `sound lasts as long as the picture without a loop`() throws {
    let picture = Self.track(#"{"asset": "street"}"#)
    let song = Self.track(#"{"asset": "song"}"#, #""media": "audio", "bed": "pad""#, id: "S")
    let late = Self.track(#"{"asset": "song", "source": {"start": "55"}}"#, #""media": "audio", "bed": "pad""#, id: "L")
    #expect(
      try clips(Self.document([picture, song, late].joined(separator: ","))) == [
        ["0+10 at 0+10"], ["0+10 at 0+10"], ["55+5 at 0+5"],
      ])
  }

  @Test func `a nested composition is played whole, wherever it stands in the document`() throws {
    let inner = #""inner": {"tracks": [\#(Self.track(#"{"asset": "sea"}"#))]}"#
    let outer = #""outer": {"tracks": [\#(Self.track(#"{"composition": "inner"}, {"asset": "street"}"#))]}"#
    for order in [[inner, outer], [outer, inner]] {
      let document = Self.document(
        Self.track(#"{"composition": "outer", "source": {"start": "1"}}"#),
        #", "compositions": {\#(order.joined(separator: ","))}"#)
      #expect(try clips(document) == [["1+13 at 0+13"]])
    }
  }

  @Test func `an instruction and a layer that do not say so last to the end`() throws {
    let document = Self.document(
      Self.track(#"{"asset": "street"}"#),
      #"""
      , "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/25", "instructions": [
          {"timeRange": {"start": "0", "duration": "2"}, "layerInstructions": ["T"]}, {"background": "#ffffff"}]},
        "layers": [{"text": "end", "font": "F", "size": 9, "from": "8", "fadeOut": "1"}]
      """#)
    let edit = try edit(document)
    #expect(try edit.videoComposition?.instructions.last?.timeRange == MediaTimeRange(start: MediaTime(2), end: MediaTime(10)))
    #expect(try edit.layers[0].opacity == Envelope([.init(MediaTime(8), 1), .init(MediaTime(9), 1), .init(MediaTime(10), 0)]))
  }

  @Test func `a video composition that does not say so has the first clip's size and rate`() throws {
    let layers = #""instructions": [{"layerInstructions": ["T"]}]"#
    func composition(_ segments: String, _ own: String, _ more: String = "") throws -> VideoComposition? {
      try edit(Self.document(Self.track(segments), #", "videoComposition": {\#(own)\#(layers)}\#(more)"#)).videoComposition
    }
    let usual = try #require(try composition(#"{"asset": "sea"}"#, ""))
    #expect(try (usual.renderSize, usual.frameDuration) == (PixelSize(1280, 720), MediaTime(1, 25)))
    let sized = try #require(try composition(#"{"asset": "card", "duration": 1}"#, #""renderSize": [320, 180], "#))
    #expect(try (sized.renderSize, sized.frameDuration) == (PixelSize(320, 180), MediaTime(1, 30)))
    let inner =
      #", "compositions": {"n": {"tracks": [\#(Self.track(#"{"asset": "sea"}"#))], "videoComposition": {"renderSize": [64, 48], \#(layers)}}}"#
    let nested = try #require(try composition(#"{"composition": "n"}"#, #""frameDuration": "1/50", "#, inner))
    #expect(try (nested.renderSize, nested.frameDuration) == (PixelSize(64, 48), MediaTime(1, 50)))
    let sound = Self.document(
      Self.track(#"{"asset": "song"}"#, #""media": "audio""#), #", "videoComposition": {"instructions": [{}]}"#)
    #expect(
      try faults(sound)
        == ["renderSize", "frameDuration"].map { "videoComposition.\($0): missing, and there is no video clip to take it from" })
  }

  @Test func `the canonical form has them written out, and needs no facts`() throws {
    let document = Self.document(Self.track(#"{"asset": "street", "comment": "all of it"}, {"asset": "sea"}"#))
    let edit = try edit(document)
    #expect(
      String(decoding: edit.canonicalJSON(), as: UTF8.self).contains(
        #"{"asset":"street","source":{"duration":"10","start":"0"}}"#))
    #expect(try Timeline.parse(edit.canonicalJSON()) == edit)
  }

  // MARK: - Faults

  private static let segment = "composition.tracks[0].segments[0]"

  @Test(arguments: [
    (
      #"{"asset": "street", "source": {"start": "10"}}"#,
      segment + ".source.start: 10 is not before the end of asset 'street', which lasts 10"
    ),
    (#"{"asset": "card"}"#, segment + ": asset 'card' is a still picture, which lasts as long as it is shown: give duration"),
    (
      #"{"asset": "street", "duration": "3"}"#,
      segment + ".duration: a part of asset 'street', or all of it at another speed? For a part give source its duration, "
        + #"for another speed give "source": {"start": "0"} too"#
    ),
    (#"{"asset": "song"}"#, segment + ".asset: asset 'song' has no video track"),
    (#"{"asset": "street", "source": {"end": "3"}}"#, segment + ".source.end: unknown key (that is said by duration)"),
  ])
  func `what cannot be closed is a fault`(segment: String, fault: String) throws {
    #expect(try faults(Self.document(Self.track(segment))) == [fault])
  }

  @Test func `an asset that does not say how long it lasts needs a duration`() throws {
    var facts = try Self.facts()
    facts[AssetID("sea")]?.duration = .zero
    for index in 0...1 { facts[AssetID("sea")]?.tracks[index].timeRange = try MediaTimeRange(start: .zero, duration: .zero) }
    #expect(
      try faults(Self.document(Self.track(#"{"asset": "sea"}"#)), facts)
        == [Self.segment + ": asset 'sea' does not say how long it lasts: give source, with its duration"])
    #expect(try faults(Self.document(Self.track(#"{"asset": "sea", "source": {"duration": "9"}}"#)), facts) == [])
  }

  @Test func `compositions that contain each other have no end`() throws {
    let document = Self.document(
      Self.track(#"{"composition": "n"}"#),
      #", "compositions": {"n": {"tracks": [\#(Self.track(#"{"composition": "m"}"#))]}, "m": {"tracks": [\#(Self.track(#"{"composition": "n"}"#))]}}"#
    )
    #expect(
      try faults(document) == [
        "compositions.m.tracks[0].segments[0]: composition 'n' contains itself, so that it has no end",
        "composition.tracks[0].segments[0]: composition 'n' contains itself, so that it has no end",
      ])
  }

  @Test func `what depends on an asset that is not known is left unjudged, and all else is judged`() throws {
    let segments = #"{"asset": "gone"}, {"asset": "sea", "source": {"start": "0", "duration": "5"}, "at": "100"}"#
    let document = Self.document(Self.track(segments), #", "layers": [{"image": "sea", "to": "9", "colour": 1}]"#)
      .replacing(#""card": "#, with: #""gone": {"path": "gone.mp4"}, "card": "#)
    #expect(
      try faults(document)
        == [
          "composition.tracks[0].segments[1].source: ends at 5, but asset 'sea' lasts 4",
          "layers[0].colour: unknown key (did you mean 'color'?)",
          "layers[0].image: asset 'sea' is no still picture, but mov,mp4,m4a,3gp,3g2,mj2",
        ].map { $0.replacing(" (did you mean 'color'?)", with: "") })
    let open = Self.document(Self.track(#"{"asset": "sea"}"#))
    #expect(
      Documents.faults(open) == ["composition.tracks[0].segments[0]: depends on an asset that was not probed"])
  }
}
