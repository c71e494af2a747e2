import Document
import FarmTesting
import JSON
import Messages
import Rendering
import Scenes
import Testing
import Timeline

@Suite struct `An edit in comparison with an earlier one` {
  /// The parts of the edit's document that tests change.
  private struct Edit {
    /// The source ranges of the clips that follow each other, as start and duration in seconds.
    var clips = [("0", "1"), ("1", "1")]
    /// The colour of the layer's shape; nil for no layer.
    var color: String? = "#ff0000"
    var crf = 23
    var title = "t"
    var asset = "a.mp4"

    var document: String {
      let segments = clips.map { #"{"asset": "a", "source": {"start": "\#($0)", "duration": "\#($1)"}}"# }
      let layer = color.map { #"{"shape": "rectangle", "frame": [4, 4, 80, 20], "fillColor": "\#($0)", "from": "1.2"}"# } ?? ""
      return """
        {"spool": 1, "assets": {"a": {"path": "\(asset)"}},
         "composition": {"tracks": [{"id": "A", "media": "video", "segments": [\(segments.joined(separator: ", "))]}]},
         "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
         "layers": [\(layer)],
         "export": {"fileType": "mp4", "video": {"codec": "h264", "crf": \(crf)}, "metadata": {"title": "\(title)"}}}
        """
    }
  }

  private let workshop = Workshop()
  private static let halves = [FrameRange(first: 0, count: 25), FrameRange(first: 25, count: 25)]

  init() throws {
    try workshop.clip("a.mp4", frameCount: 60)
    try workshop.clip("b.mp4", frameCount: 60, width: 64)
  }

  private func spec(_ edit: Edit) throws -> (JobSpec, ResolvedTimeline) {
    let resolved = try workshop.edit(edit.document)
    let facts = Dictionary(uniqueKeysWithValues: resolved.facts.map { ($0.key.rawValue, $0.value) })
    let document = String(decoding: resolved.timeline.canonicalJSON(), as: UTF8.self)
    return (
      JobSpec(document: document, facts: facts, output: "/m.mp4", overwrites: true, keepsSegments: false),
      resolved
    )
  }

  /// The findings about chunks of an edit whose earlier form had two halves, which were done.
  private func findings(
    _ chunks: [FrameRange] = halves, of edit: Edit, after earlier: Edit = Edit(), done: [Bool] = [true, true]
  ) throws -> [EditComparison.Finding] {
    let known = zip(Self.halves, done).map { EditComparison.Chunk($0, isDone: $1) }
    let comparison = try EditComparison(with: spec(earlier).0, known)
    let now = try spec(edit).1
    let found = try comparison.findings(about: chunks, of: now, nil)
    #expect(try comparison.findings(about: chunks, of: now, nil, threads: 3) == found)
    return found
  }

  @Test func `shows what a chunk showed, wherever that stood, or was not finished`() throws {
    var titled = Edit()
    titled.title = "u"
    #expect(try findings(of: titled) == Self.halves.map { .same($0) })
    #expect(try findings(of: titled, done: [true, false]) == [.same(Self.halves[0]), .unfinished(Self.halves[1])])
    // The first half stands behind a clip of its own now.
    var later = Edit()
    (later.clips, later.color) = ([("1.4", "1"), ("0", "1")], nil)
    var earlier = Edit()
    earlier.color = nil
    #expect(try findings([FrameRange(first: 25, count: 25)], of: later, after: earlier) == [.same(Self.halves[0])])
  }

  @Test func `is found as it was where nothing changed, but for what was not finished and for other borders`() throws {
    #expect(try findings(of: Edit()) == Self.halves.map { .same($0) })
    #expect(try findings(of: Edit(), done: [false, true]) == [.unfinished(Self.halves[0]), .same(Self.halves[1])])
    let third = FrameRange(first: 0, count: 17)
    #expect(try findings([third, Self.halves[1]], of: Edit()) == [.borders, .same(Self.halves[1])])
  }

  @Test func `says in which frame something is new, and what`() throws {
    var changed = Edit()
    changed.color = "#00ff00"
    let found = try findings(of: changed)
    #expect(found[0] == .same(Self.halves[0]))
    guard case .frame(let index, let differences) = found[1] else {
      Issue.record("\(found[1])")
      return
    }
    #expect(index == 30)
    let told = differences.map(\.description)
    #expect(told.contains { $0.hasPrefix("nodes[1].still.drawing.content.shape.fillColor") }, "\(told)")
  }

  @Test func `compares a frame with the one that stood in its place, though others were put before it`() throws {
    var (earlier, later) = (Edit(), Edit())
    (earlier.color, later.color) = (nil, nil)
    later.clips = [("2", "0.4"), ("0", "1"), ("1.08", "1")]
    // The frames are ten of the new clip, then the first half, then the second from its third frame on, and two more.
    guard case .frame(let index, let differences) = try findings([FrameRange(first: 10, count: 50)], of: later, after: earlier)[0]
    else {
      Issue.record("no frame is new")
      return
    }
    #expect(index == 58)
    #expect(differences.isEmpty, "the earlier edit has ended there: \(differences.map(\.description))")
  }

  @Test func `tells settings, borders and media from frames`() throws {
    var edit = Edit()
    edit.crf = 30
    #expect(try findings(of: edit) == [.settings, .settings])
    #expect(try findings([FrameRange(first: 10, count: 20)], of: Edit()) == [.borders])
    edit = Edit()
    edit.asset = "b.mp4"
    let found = try findings(of: edit)
    guard case .frame(0, let differences) = found[0] else {
      Issue.record("\(found[0])")
      return
    }
    #expect(differences.contains { $0.description.contains("64, was 96") }, "\(differences.map(\.description))")
  }

  /// Whatever the comparison calls the same has the same key.
  @Test func `agrees with the keys of chunks`() throws {
    workshop.cache = SegmentCache(of: workshop.store, .own)
    var (color, crf, title, clips) = (Edit(), Edit(), Edit(), Edit())
    (color.color, crf.crf, title.title, clips.clips) = ("#00ff00", 24, "v", [("0.04", "1"), ("1", "1")])
    for (place, edit) in [color, crf, title, clips].enumerated() {
      for (half, finding) in zip(Self.halves, try findings(of: edit)) {
        let (before, now) = (try key(of: half, Edit(), 100), try key(of: half, edit, Int64(200 + place)))
        if case .same = finding { #expect(before == now) } else { #expect(before != now, "\(place): \(finding)") }
      }
    }
  }

  private func key(of frames: FrameRange, _ edit: Edit, _ task: Int64) throws -> String? {
    let chunk = try workshop.run(.picture(frames), task: task + Int64(frames.first), of: spec(edit).1, output: "m.mp4")
    guard case .picture(let proof) = chunk.proof else { return nil }
    let key: String? = proof.key
    #expect(key != nil)
    return key
  }
}
