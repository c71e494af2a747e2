import EditFiles
import FarmTesting
import Formats
import Media
import Rendering
import Scenes
import Testing
import Timeline

/// Texts whose letters move, from the document to frames.
@Suite struct `Texts that move` {
  private let workshop = Workshop()

  private init() throws { try workshop.clip("a.mp4", frameCount: 10) }

  private func edit(_ layers: String, captions: String = "") throws -> ResolvedTimeline {
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [
       {"asset": "a", "source": {"duration": "0.04"}, "duration": "4"}]}]},
     "videoComposition": {"renderSize": [160, 90], "frameDuration": "1/25", "color": "bt709",
       "instructions": [{"layerInstructions": []}]},
     "layers": [\(layers)], "captions": [\(captions)]}
    """.write(toFile: workshop.file("edit.json"))
    return try workshop.editFile().edit
  }

  private func text(_ more: String) -> String {
    #"{"text": "One two", "font": "DejaVu Sans", "size": 24, "frame": [4, 10, 150, 40], \#(more)}"#
  }

  private func frames(_ edit: ResolvedTimeline, _ indices: [Int]) throws -> [[UInt8]] {
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    return try indices.map { try renderer.frame($0).packed() }
  }

  @Test func `a text at rest is the text without its animation, and an exit is an entrance backwards`() throws {
    let plain = try frames(edit(text(#""outline": {"width": 3}"#)), [0])[0]
    let empty = try frames(edit(""), [0])[0]
    let edit = try edit(text(#""outline": {"width": 3}, "animation": {"in": "popLetters", "out": "popLetters"}"#))
    let all = try frames(edit, [0, 5, 24, 50, 94, 99])
    #expect(all[0] == empty && all[3] == plain)
    #expect(all[1] != plain && all[1] != empty && all[4] != plain && all[4] != empty)
    // In any order, a frame is the same.
    #expect(try frames(edit, [94, 5]) == [all[4], all[1]])
  }

  @Test func `captions whose size and colour change have those of the moment, and marks go with them`() throws {
    let cues =
      #""cues": [{"from": "0", "to": "4", "text": "One two", "words": [{"at": "0", "text": "One"}, {"at": "2", "text": "two"}]}]"#
    func frames(_ style: String, _ more: String = "") throws -> [[UInt8]] {
      let captions = #"{\#(cues), "place": "top", "style": {"font": "DejaVu Sans", "align": "left", \#(style)}\#(more)}"#
      return try self.frames(edit("", captions: captions), [0, 25, 75])
    }
    let sizes = #""size": [{"at": "0", "value": 12}, {"at": "1", "value": 24}]"#
    let (small, large) = try (frames(#""size": 12"#), frames(#""size": 24"#))
    let growing = try frames(sizes)
    #expect(growing == [small[0], large[1], large[2]])
    let colors = ##""size": 12, "color": [{"at": "0", "value": "#ff0000"}, {"at": "1", "value": "#0000ff"}]"##
    #expect(
      try frames(colors) == [frames(##""size": 12, "color": "#ff0000""##)[0]] + frames(##""size": 12, "color": "#0000ff""##)[1...]
    )
    // A word is marked by a window where the size stays, and by its letters where it changes: their edges are not quite the same. So it is
    // the colours that are compared.
    func distance(_ one: [UInt8], _ other: [UInt8]) -> Int {
      zip(one, other).dropFirst(160 * 90).reduce(0) { $0 + (Int($1.0) - Int($1.1)) * (Int($1.0) - Int($1.1)) }
    }
    let mark = ##", "highlight": {"color": "#00ff00"}"##
    let (marked, still, low) = try (frames(sizes, mark), frames(#""size": 24"#, mark), frames(#""size": 12"#, mark))
    #expect(2 * distance(marked[2], still[2]) < distance(marked[2], growing[2]))
    #expect(2 * distance(marked[2], still[2]) < distance(marked[2], still[1]))
    #expect(2 * distance(marked[0], low[0]) < distance(marked[0], small[0]))
  }

  @Test func `a mask whose letters move shows what they cover`() throws {
    let words = #"{"text": "One two", "font": "DejaVu Sans", "size": 24, "frame": [4, 10, 150, 40]"#
    let masked = ##"{"frame": [0, 0, 160, 90], "backgroundColor": "#ffffff", "mask": "## + words
    let plain = try frames(edit(masked + "}}"), [0])[0]
    let empty = try frames(edit(""), [0])[0]
    let moving = try frames(edit(masked + #", "animation": {"in": {"preset": "typewriter", "stagger": "0.2"}}}}"#), [2, 14, 40])
    // The luma of the frames, of which "One" lies in the columns below 80, and "two" in the others.
    for index in 0..<160 * 90 {
      #expect(abs(Int(moving[2][index]) - Int(plain[index])) <= 16)
      #expect(abs(Int(moving[1][index]) - Int((index % 160 < 80 ? moving[2] : empty)[index])) <= 2)
    }
    #expect(moving[0] != moving[1] && moving[1] != moving[2])
  }

  @Test func `frames in which nothing moves are known as the frame before`() throws {
    let edit = try edit(text(#""animation": {"in": {"preset": "typewriter", "stagger": "0.2"}}"#))
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    var changes: [Int] = []
    var last: PixelBuffer?
    for index in 0..<60 {
      let frame = try renderer.frame(index)
      if let last, last !== frame { changes.append(index) }
      last = frame
    }
    // Six letters, since the space goes with the one before: the first in the first frame, and one each five frames. The text has seven
    // characters, after which it surely rests and becomes a picture like any other, of the same samples.
    #expect(changes == [5, 10, 15, 20, 25, 30])
    let (moving, resting) = try (renderer.frame(29).packed(), renderer.frame(30).packed())
    #expect(moving == resting)
  }

  @Test func `words of captions are filled, and a cue comes and goes as its style says`() throws {
    let style = #""style": {"font": "DejaVu Sans", "size": 20, "animation": {"in": "fadeUp", "out": "fade"}}"#
    let words = #"[{"at": "1", "text": "XX"}, {"at": "2", "text": "XX"}]"#
    let cue = #""cues": [{"from": "0", "to": "4", "text": "XX XX", "words": \#(words)}]"#
    let edit = try edit("", captions: #"{\#(style), \#(cue), "highlight": {"color": [1, 0, 0], "kind": "fill"}}"#)
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    func red(_ index: Int) throws -> Int {
      let frame = try renderer.frame(index)
      // The codes of Cr, of which red ones are far above the middle.
      let plane = unsafe frame.plane(2)
      var count = 0
      for y in 0..<45 { for x in 0..<80 { if unsafe plane.base[y * plane.stride + x] > 150 { count += 1 } } }
      return count
    }
    let counts = try [24, 30, 40, 49, 50, 60, 74].map(red)
    #expect(counts[0] == 0 && zip(counts, counts.dropFirst()).allSatisfy { $0 <= $1 } && counts[6] > 30, "\(counts)")
    #expect(abs(counts[2] * 5 - counts[4] * 3) <= counts[4], "\(counts)")
    #expect(try frames(edit, [0]) != frames(edit, [20]))
  }

  @Test func `layers around a moving text crop, turn and fade it`() throws {
    func inside(_ layer: String, _ animation: String) throws -> [[UInt8]] {
      try frames(edit(#"{"frame": [0, 0, 100, 60], \#(layer), "layers": [\#(text(animation))]}"#), [0, 3, 40])
    }
    let moving = #""animation": {"in": {"duration": "1", "away": {"offset": [-2, 0]}}}"#
    let cropped = try inside(#""masksToBounds": true, "backgroundColor": [0.1, 0.2, 0.3]"#, moving)
    #expect(cropped[0] != cropped[1] && cropped[1] != cropped[2])
    // Layers around a text that moves are laid into the frame one by one, and those around another one are drawn as one picture: their
    // edges are rounded at other moments.
    let plain = try inside(#""masksToBounds": true, "backgroundColor": [0.1, 0.2, 0.3]"#, #""weight": 400"#)[2]
    let differences = zip(cropped[2], plain).map { abs(Int($0) - Int($1)) }
    #expect((differences.max() ?? 255) <= 12 && differences.reduce(0, +) * 4 < differences.count)
    let faded = try inside(#""opacity": 0.5, "rotation": 20"#, moving)
    #expect(faded[0] != faded[1] && faded[1] != faded[2])
  }
}
