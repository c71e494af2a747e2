import EditTesting
import Document
import FarmTesting
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Scenes that are made one after the other` {
  /// Layers that each ask something else of the time, and captions of every kind.
  private static let changing = """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "logo": {"path": "logo.png"}},
     "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "3"}}]}]},
     "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/20", "color": "bt709"},
     "layers": [
      {"text": "still", "font": "DejaVu Sans", "size": 20, "frame": [0, 0, 200, 40]},
      {"text": "at {time}", "timestamp": {"decimals": 2}, "font": "DejaVu Sans", "size": 20, "frame": [0, 40, 200, 40]},
      {"text": "comes", "font": "DejaVu Sans", "size": 20, "frame": [0, 80, 200, 40], "from": "0.5", "to": "2", "fadeIn": "0.4", "fadeOut": "0.3"},
      {"text": "grows", "font": "DejaVu Sans", "frame": [0, 120, 200, 40],
       "size": [{"at": "0.5", "value": 10}, {"at": "1", "value": 20}], "color": [{"at": "1", "value": "#ff0000"}, {"at": "2", "value": "#0000ff"}]},
      {"text": "slides", "font": "DejaVu Sans", "size": 20, "frame": [0, 160, 200, 40],
       "position": [{"at": "0", "value": [-100, 180]}, {"at": "2", "value": [500, 180]}], "animation": {"in": "typewriter", "out": "fade"}},
      {"text": "types", "font": "DejaVu Sans", "size": 20, "frame": [0, 200, 200, 40], "from": "0.3", "animation": {"loop": "wave"}},
      {"frame": [300, 0, 100, 100], "backgroundColor": "#202020", "replicator": {"count": 3, "offset": [20, 0], "delay": "0.2"},
       "layers": [{"text": "copy", "font": "DejaVu Sans", "size": 12, "frame": [0, 0, 90, 30], "opacity": [{"at": "0", "value": 0}, {"at": "1", "value": 1}]}]},
      {"frame": [300, 100, 100, 100], "clock": {"speed": "2"}, "hidden": [{"at": "0", "value": true}, {"at": "0.5", "value": false}],
       "zPosition": [{"at": "0", "value": 0}, {"at": "3", "value": 3}],
       "layers": [{"text": "own clock", "font": "DejaVu Sans", "size": 12, "from": "0.5", "to": "1", "frame": [0, 0, 90, 30]},
        {"text": "turns", "font": "DejaVu Sans", "size": 12, "frame": [0, 30, 90, 30], "rotation": [{"at": "0", "value": 0}, {"at": "1", "value": 90}]}]},
      {"frame": [400, 100, 100, 100], "rotationY": 20, "perspective": 500, "zPosition": 1,
       "layers": [{"text": "in space", "font": "DejaVu Sans", "size": 12, "frame": [0, 0, 90, 30], "animation": "fade"},
        {"image": "logo", "frame": [0, 30, 60, 60], "contentsRect": [{"at": "0", "value": [0, 0, 1, 1]}, {"at": "1", "value": [0, 0, 0.5, 0.5]}]}],
       "mask": {"shape": "ellipse", "fillColor": "#ffffff", "scale": [{"at": "0", "value": [1, 1]}, {"at": "2", "value": [2, 2]}]}}],
     "captions": [
      {"cues": [{"from": "0.2", "to": "1.4", "text": "one two", "frame": [100, 300, 200, 30], "fadeIn": "0.3",
         "words": [{"at": "0.2", "text": "one", "frame": [100, 300, 80, 30]}, {"at": "0.8", "text": "two", "frame": [190, 300, 80, 30]}]},
        {"from": "1", "to": "1", "text": "never"}, {"from": "1.2", "to": "2.5", "text": "three", "frame": [100, 260, 200, 30]}],
       "highlight": {"color": "#ffff00"}, "style": {"font": "DejaVu Sans", "size": 20}},
      {"cues": [{"from": "0.2", "to": "1.4", "text": "one two", "frame": [100, 200, 200, 30],
         "words": [{"at": "0.2", "text": "one", "frame": [100, 200, 80, 30]}, {"at": "0.8", "text": "two", "frame": [190, 200, 80, 30]}]}],
       "highlight": {"color": "#ffff00", "animation": "emphasize"}, "style": {"font": "DejaVu Sans", "size": 20}}]}
    """

  private static func edits() throws -> [(name: String, edit: ResolvedTimeline)] {
    var edits = try Examples.documents().filter { $0.name != "thousand.json" }.map { ($0.name, try Examples.edit($0.text)) }
    edits.append(("changing", try Examples.edit(Array(changing.utf8))))
    return edits
  }

  /// Frames in a row, and some before them again.
  private static func indices(_ count: Int) -> [Int] {
    let first = Array(0..<min(count, 60))
    return first + stride(from: 0, to: count, by: max(count / 40, 1)) + first.reversed().prefix(10)
  }

  @Test func `are those that the edit gives by itself, and so are their bytes`() throws {
    var found = 0
    for (name, edit) in try Self.edits() {
      let (reel, shares) = (SceneReel(edit), WrittenShares())
      for index in Self.indices(try edit.frameCount) {
        let (made, alone) = try (reel.scene(at: index), edit.scene(at: index))
        #expect(made == alone, "\(name), frame \(index)")
        #expect(try made.rendition(sharing: shares) == alone.rendition(), "\(name), frame \(index)")
      }
      found += shares.foundCount
    }
    #expect(found > 1_000)
  }

  /// The stills of a scene's nodes, those of moving texts too.
  private func stills(_ scene: Scene) -> [Scene.Still] {
    scene.nodes.compactMap { node in
      switch node {
      case .still(let still, _): still
      case .movingText(let text, _): text.still
      default: nil
      }
    }
  }

  @Test func `have a text in common where only its place, its opacity or its letters change`() throws {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]}]},
       "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/20", "color": "bt709"},
       "layers": [
        {"text": "still", "font": "DejaVu Sans", "size": 20, "frame": [0, 0, 200, 40]},
        {"text": "slides", "font": "DejaVu Sans", "size": 20, "frame": [0, 40, 200, 40], "position": [{"at": "0", "value": [0, 0]}, {"at": "2", "value": [90, 90]}]},
        {"text": "fades", "font": "DejaVu Sans", "size": 20, "frame": [0, 80, 200, 40], "opacity": [{"at": "0", "value": 0.1}, {"at": "2", "value": 1}]},
        {"text": "types", "font": "DejaVu Sans", "size": 20, "frame": [0, 120, 200, 40], "animation": {"loop": "wave"}},
        {"text": "grows", "font": "DejaVu Sans", "size": [{"at": "0", "value": 10}, {"at": "2", "value": 20}], "frame": [0, 160, 200, 40]}]}
      """
    let edit = try Examples.edit(Array(document.utf8))
    let reel = SceneReel(edit)
    let (one, next) = try (stills(reel.scene(at: 3)), stills(reel.scene(at: 4)))
    #expect(one.count == 5 && zip(one, next).map { $0.shares($1) } == [true, true, true, true, false])
    #expect(try zip(stills(edit.scene(at: 3)), one).allSatisfy { $0 == $1 && !$0.shares($1) })
  }
}
