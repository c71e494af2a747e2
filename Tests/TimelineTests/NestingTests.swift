import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Nested compositions` {
  private func segment(_ composition: String, _ duration: String = "1") -> String {
    #"{"composition": "\#(composition)", "source": {"start": "0", "duration": "\#(duration)"}}"#
  }

  private func video(_ segments: String) -> String {
    #"{"tracks": [{"id": "V", "media": "video", "segments": [\#(segments)]}]}"#
  }

  private let clip = #"{"asset": "a", "source": {"start": "1", "duration": "2"}}"#

  private func document(_ compositions: String, _ segments: String) -> String {
    #"{"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "compositions": {\#(compositions)}, "composition": \#(video(segments))}"#
  }

  private func resolved(_ document: String) throws -> ResolvedTimeline {
    try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): Assets.movie()])
  }

  /// The faults that resolving the document reports.
  private func faults(_ document: String) throws -> [String] {
    let facts = [AssetID("a"): try Assets.movie()]
    do throws(DocumentFaults) {
      _ = try Timeline.parse(Array(document.utf8)).resolved(with: facts)
      return []
    } catch { return error.faults.map(\.description) }
  }

  // MARK: - Faults

  @Test func `a composition that contains itself is refused with the way round`() {
    #expect(
      Documents.faults(document(#""n": \#(video(segment("n")))"#, segment("n")))
        == ["compositions.n: contains itself: 'n' > 'n'"])
    #expect(
      Documents.faults(
        document(
          #""n": \#(video(segment("m"))), "m": \#(video("\(clip), \(segment("o"))")), "o": \#(video(segment("n")))"#, segment("n")
        ))
        == ["compositions.m: contains itself: 'm' > 'o' > 'n' > 'm'"])
  }

  @Test func `unknown names, both sources and none are faults`() {
    let faulty = document(
      #""nested": \#(video(clip))"#,
      """
      \(segment("nestet")), {"source": {"start": "0", "duration": "1"}},
      {"asset": "a", "composition": "nested", "source": {"start": "0", "duration": "1"}},
      {"composition": "nested", "sourceTrack": 0, "source": {"start": "0", "duration": "1"}}
      """)
    #expect(
      Documents.faults(faulty) == [
        "composition.tracks[0].segments[0].composition: no composition 'nestet' (did you mean 'nested'?)",
        #"composition.tracks[0].segments[1]: needs either "asset" or "composition""#,
        #"composition.tracks[0].segments[2]: needs either "asset" or "composition""#,
        "composition.tracks[0].segments[3].sourceTrack: a composition has one picture and one sound, and no tracks to choose from",
      ])
  }

  @Test func `a nested composition's faults have their own paths`() throws {
    let faulty = document(#""n": \#(video(#"{"asset": "b", "source": {"start": "0", "duration": "1"}}"#))"#, segment("n"))
    #expect(Documents.faults(faulty) == ["compositions.n.tracks[0].segments[0].asset: no asset 'b'"])
    let long = document(#""n": \#(video(#"{"asset": "a", "source": {"start": "50", "duration": "20"}}"#))"#, segment("n"))
    #expect(try faults(long) == ["compositions.n.tracks[0].segments[0].source: ends at 70, but asset 'a' lasts 60"])
  }

  @Test func `the edit that plays a faulty composition has no faults of its own, be it heard or seen`() throws {
    let composition = #"{"tracks": [{"id": "S", "media": "audio", "segments": [\#(clip(until: 70))]}]}"#
    let faulty = document(#""n": \#(composition)"#, segment("n"))
      .replacing(#""media": "video", "segments": [{"composition""#, with: #""media": "audio", "segments": [{"composition""#)
    let fault = "compositions.n.tracks[0].segments[0].source: ends at 70, but asset 'a' lasts 60"
    #expect(try faults(faulty) == [fault])
    let titled = document(#""n": \#(video(clip(until: 70)))"#, segment("n")).dropLast() + #", "layers": [{"image": "a"}]}"#
    #expect(try faults(String(titled)) == [fault, "layers[0].image: asset 'a' is no still picture, but mov,mp4,m4a,3gp,3g2,mj2"])
  }

  private func clip(until end: Int) -> String {
    #"{"asset": "a", "source": {"start": "50", "duration": "\#(end - 50)"}}"#
  }

  @Test func `nesting deeper than eight levels is refused`() {
    let levels = (1...9).map { #""n\#($0)": \#(video($0 == 9 ? clip : segment("n\($0 + 1)")))"# }
    #expect(
      Documents.faults(document(levels.joined(separator: ", "), segment("n1")))
        == ["composition: nests 9 levels deep; at most 8 are accepted"])
    #expect(Documents.faults(document(levels.joined(separator: ", "), segment("n2"))) == [])
  }

  @Test func `compositions that would unfold beyond measure are refused`() {
    let many = { (name: String) in (0..<20).map { _ in segment(name, "0.01") }.joined(separator: ", ") }
    let levels = (1...8).map { #""n\#($0)": \#(video($0 == 8 ? clip : many("n\($0 + 1)")))"# }
    #expect(
      Documents.faults(document(levels.joined(separator: ", "), segment("n1", "0.1")))
        == ["composition: has more than 1000000 segments when nested compositions are written out"])
  }

  @Test func `compositions whose frames would show pictures beyond measure are refused`() {
    // The first instruction shows nothing: the one that shows the most counts.
    func level(_ segments: String, _ count: Int) -> String {
      let layers = Array(repeating: #""V""#, count: count).joined(separator: ", ")
      return """
        {"tracks": [{"id": "V", "media": "video", "segments": [\(segments)]}], "videoComposition": {"renderSize": [64, 64],
         "frameDuration": "1/25", "instructions": [{"timeRange": {"start": "0", "duration": "1/2"}},
           {"timeRange": {"start": "1/2", "duration": "1/2"}, "layerInstructions": [\(layers)]}]}}
        """
    }
    // 64 times the same picture at each of the levels: 4096 pictures for two, more than any machine has memory for at eight.
    func levels(_ depth: Int) -> String {
      (1...depth).map {
        #""n\#($0)": \#(level($0 == depth ? clip.replacing("\"2\"", with: "\"1\"") : segment("n\($0 + 1)"), 64))"#
      }
      .joined(separator: ", ")
    }
    #expect(Documents.faults(document(levels(2), segment("n1"))) == [])
    for depth in [3, 8] {
      #expect(
        Documents.faults(document(levels(depth), segment("n1")))
          == ["composition: shows more than 4096 pictures in one frame when nested compositions are written out"])
    }
  }

  @Test func `a source range beyond the composition is a fault, as is a kind that it lacks`() throws {
    #expect(
      try faults(document(#""n": \#(video(clip))"#, segment("n", "3")))
        == ["composition.tracks[0].segments[0].source: ends at 3, but composition 'n' lasts 2"])
    let sound = #"{"tracks": [{"id": "S", "media": "audio", "segments": [\#(clip)]}]}"#
    #expect(
      try faults(document(#""n": \#(sound)"#, segment("n")))
        == ["composition.tracks[0].segments[0].composition: composition 'n' has no video"])
  }

  // MARK: - Frames

  @Test func `a nested composition is a picture of its own size, rate and colour`() throws {
    let nested = #"""
      {"tracks": [{"id": "V", "media": "video", "segments": [\#(clip)]}],
       "videoComposition": {"renderSize": [320, 240], "frameDuration": "1/10", "color": "bt601-625"}}
      """#
    let edit = try resolved(document("\"n\": \(nested)", segment("n", "2")))
    let composition = try #require(edit.videoComposition)
    #expect((composition.renderSize, composition.frameDuration) == (PixelSize(320, 240), try MediaTime(1, 10)))
    #expect(edit.color == edit.edit(of: CompositionID("n")).color)
  }

  @Test func `the frame of a nested composition is that of its own clock, mirrored when reversed`() throws {
    let edit = try resolved(document(#""n": \#(video(clip))"#, segment("n", "2"))).edit(of: CompositionID("n"))
    let tick = try Rational(MediaTime(1, 25))
    for index in 0..<50 {
      let (start, end) = try (tick * Rational(Int64(index)), tick * Rational(Int64(index + 1)))
      #expect(try edit.frameIndex(at: start, orJustBefore: false) == index)
      #expect(try edit.frameIndex(at: end, orJustBefore: true) == index)
    }
  }

  // MARK: - Sound

  @Test func `nested sounds unfold: times, speeds and directions multiply, volumes are kept`() throws {
    let inner = #"""
      {"tracks": [{"id": "S", "media": "audio", "segments": [
         {"asset": "a", "source": {"start": "4", "duration": "2"}, "at": "1", "duration": "1"}]}],
       "audioMix": [{"track": "S", "volume": 0.5}]}
      """#
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "compositions": {"n": \(inner)}, "composition": {"tracks": [
        {"id": "S", "media": "audio", "segments": [
          {"composition": "n", "source": {"start": "0", "duration": "2"}, "duration": "4", "at": "1", "reversed": true}]}]}}
      """
    let span = try #require(resolved(document).soundSpans(SoundMeasures()).first)
    // The inner second 1...2 is heard in the outer 1...3, at one source second a second, from the end.
    #expect(span.samples == 48_000..<144_000)
    #expect((span.sourceStart, span.rate, span.isReversed) == (Rational(4), Rational(1), true))
    #expect(span.volumes == [.init(envelope: Envelope(constant: 0.5), origin: Rational(5), scale: Rational(-2))])
  }
}
