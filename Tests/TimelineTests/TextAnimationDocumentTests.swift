import EditTesting
import Document
import FarmTesting
import Formats
import FoundationEssentials
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Animations of texts in documents` {
  private func timeline(_ text: String, _ more: String = "") throws -> Timeline {
    try Timeline.parse(
      Array(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
         "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
           {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
         "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/25", "color": "bt709"}\(more),
         "layers": [{"text": "One two", "font": "DejaVu Sans", "size": 20, \(text)}]}
        """.utf8))
  }

  private func motion(_ animation: String, _ more: String = "") throws -> TextMotion? {
    guard case .text(let text)? = try timeline(#""animation": \#(animation)"#, more).layers.first?.content else { return nil }
    return text.motion
  }

  @Test func `there are more than forty presets, and the page shows each as it is`() throws {
    let package = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = String(decoding: try Data(contentsOf: package.appending(path: "docs/text-animations.md")), as: UTF8.self)
    let rows = page.split(separator: "\n").compactMap { line -> String? in
      guard line.hasPrefix("| `"), line.contains("| `{"), let name = line.firstMatch(of: /^\| `([A-Za-z]+)` \|/),
        let source = line.firstMatch(of: /\| `(\{.*\})` \|$/)
      else { return nil }
      return "\(name.1) \(source.1)"
    }
    #expect(TextPresets.all.count >= 40 && TextPresets.named.count == TextPresets.all.count)
    #expect(rows.sorted() == TextPresets.all.map { "\($0.name) \($0.source)" }.sorted())
  }

  @Test(arguments: TextPresets.all.map(\.name))
  func `each preset is a document's own animation, written out`(name: String) throws {
    let preset = try #require(TextPresets.all.first { $0.name == name })
    let named = try #require(
      try motion(
        #"{"loop": "\#(name)", "in": "\#(name)"}"#.replacing(
          preset.animation.duration == .zero ? #""loop": "\#(name)", "# : "", with: "")))
    var once = preset.animation
    once.count = nil
    #expect(named.entrance == once)
    #expect(try motion(#"{"in": \#(preset.source.replacing(/, "repeat": 1/, with: ""))}"#)?.entrance == once)
    let written = try timeline(#""animation": {"out": "\#(name)"}"#)
    #expect(try Timeline.parse(written.canonicalJSON()) == written)
  }

  @Test func `a document names its own, and changes those that it takes`() throws {
    let own = #", "textAnimations": {"mine": {"preset": "fadeUp", "unit": "line", "stagger": "1", "comment": "slow"}}"#
    let mine = try #require(try motion(#""mine""#, own)?.entrance)
    var wanted = try #require(TextPresets.named["fadeUp"])
    (wanted.unit, wanted.stagger) = (.line, MediaTime(seconds: 1))
    #expect(mine == wanted)
    #expect(try motion(#"{"out": {"preset": "mine", "delay": "1/3"}}"#, own)?.exit?.delay == MediaTime(1, 3))
  }

  @Test(arguments: [
    (#""popp""#, "layers[0].animation: no animation 'popp'"),
    (#"{}"#, #"layers[0].animation: needs "in", "out" or "loop""#),
    (#"{"in": {"unit": "word"}}"#, "layers[0].animation.in.duration: missing"),
    (#"{"in": {"preset": "fade", "away": [{"at": 0.5}]}}"#, "layers[0].animation.in.away[0].at: the poses' shares"),
    (#"{"in": {"preset": "fade", "away": [{}, {"at": 1}]}}"#, "layers[0].animation.in.away[1].at: the poses' shares"),
    (#"{"in": {"preset": "fade", "away": {"at": 0, "opacity": 0}}}"#, "layers[0].animation.in.away.at: only several"),
    (#"{"in": {"preset": "fade", "away": {"opacity": -1}}}"#, "layers[0].animation.in.away.opacity: -1 is not in 0...1"),
    (#"{"in": {"preset": "fade", "repeat": 2}}"#, "layers[0].animation.in.repeat: only a loop"),
    (#"{"in": {"preset": "fade", "seed": 2}}"#, "layers[0].animation.in.seed: only the order"),
    (#"{"loop": "typewriter"}"#, "layers[0].animation.loop: a loop takes time"),
    (#"{"in": "slideUp", "loop": "shake"}"#, #"layers[0].animation: "clip" cuts off"#),
    (#""fade", "timestamp": {}, "text": "{time}""#, "layers[0].animation: a text with a timestamp"),
    (#""fade", "shadow": {}"#, "layers[0].shadow: the shadow of a text that moves"),
  ])
  func `what cannot be shown is refused, with its place`(animation: String, fault: String) throws {
    let faults = try #require(throws: DocumentFaults.self) {
      if animation.contains("\"text\"") {
        _ = try Timeline.parse(
          Array(
            String(decoding: try timeline("\"weight\": 400").canonicalJSON(), as: UTF8.self)
              .replacing(#""text":"One two""#, with: #""animation": \#(animation)"#)
              .replacing(#""text": "One two""#, with: #""animation": \#(animation)"#).utf8))
      } else {
        _ = try timeline(#""animation": \#(animation)"#)
      }
    }
    #expect("\(faults)".contains(fault), "\(faults)")
  }

  @Test func `names of presets are taken`() throws {
    let taken = try #require(throws: DocumentFaults.self) {
      try motion(#""fade""#, #", "textAnimations": {"fade": {"preset": "pop"}}"#)
    }
    #expect("\(taken)".contains("textAnimations.fade: is the name of a preset"))
  }

  @Test func `a text is a moving one only while it may move`() throws {
    let edit = try timeline(
      #""from": "1", "to": "6", "animation": {"in": "fadeWords", "out": {"preset": "fade", "duration": "1"}}"#
    ).resolved(with: [AssetID("a"): try Assets.movie()])
    func isMoving(_ frame: Int) throws -> Bool? {
      for node in try edit.scene(at: frame).nodes {
        if case .movingText(let text, _) = node {
          return text.moment
            == .time(try MediaTime(Int64(frame), 25), in: try MediaTimeRange(start: MediaTime(1), end: MediaTime(6)))
        }
        if case .still = node { return false }
      }
      return nil
    }
    // Seven characters take 6 × 0.12 + 0.5 s at most.
    #expect(
      try [24, 25, 55, 56, 124, 125, 126, 149, 150].map(isMoving) == [nil, true, true, false, false, true, true, true, nil])
  }
}
