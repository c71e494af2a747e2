import FarmTesting
import Media
import Rendering
import Scenes
import SpoolCompositing
import Testing

@Suite struct `Layers whose size, order and text change` {
  private let workshop = Workshop()

  /// Two seconds of 10 frames a second. All that changes does so in the second one, but for the last half of it.
  private func edit() throws -> ResolvedTimeline {
    func changing(_ from: String, _ to: String) -> String {
      #"[{"at": "1", "value": \#(from)}, {"at": "1.5", "value": \#(to)}]"#
    }
    let text = """
      {"text": "one two three", "font": "DejaVu Sans", "frame": [4, 4, 80, 30], "anchorPoint": [0, 0],
       "size": \(changing("9", "12")), "color": \(changing("[1, 1, 1]", "[1, 0, 0]")), "bounds": \(changing("[80, 30]", "[40, 50]"))}
      """
    let cards = """
      {"frame": [40, 30, 40, 30], "masksToBounds": true, "cornerRadius": 4, "bounds": \(changing("[40, 30]", "[50, 20]")), "layers": [
        {"backgroundColor": "#00ff00", "frame": [0, 0, 20, 20], "zPosition": \(changing("1", "-1"))},
        {"backgroundColor": "#0000ff", "frame": [10, 5, 20, 20], "anchorPoint": \(changing("[0, 0]", "[0.5, 0.25]"))},
        {"backgroundColor": "#ffffff", "frame": [0, 0, 6, 6], "hidden": [{"at": "0", "value": false}, {"at": "1.2", "value": true}]}]}
      """
    try workshop.clip("a.mp4", frameRate: "10", frameCount: 1)
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
        {"asset": "a", "source": {"start": "0", "duration": "0"}, "duration": "2"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/10", "color": "bt709"}, "layers": [\(text), \(cards)],
       "export": {"fileType": "mkv", "video": {"codec": "ffv1", "chroma": "4:4:4"}}}
      """)
  }

  private func renderer(_ edit: ResolvedTimeline) -> PictureRenderer {
    PictureRenderer(
      edit: edit, policy: workshop.policy,
      compositing: CustomCompositing(registry: CompositorRegistry(), cancellation: Cancellation()))
  }

  @Test func `are the same frames in any number of chunks`() throws {
    let edit = try edit()
    let count = try edit.frameCount
    var digests: Set<String> = []
    // The third of three chunks, and the fifth of seven, begin within the change.
    for borders in [[0], [0, 6, 13], [0, 3, 6, 9, 12, 14, 17]] {
      let movie = try workshop.movie(of: edit, borders: borders, output: "\(borders.count).mkv")
      digests.insert(try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"]))
    }
    #expect(count == 20 && digests.count == 1)
  }

  @Test func `are the same buffer where nothing changes, and others where something does`() throws {
    let renderer = renderer(try edit())
    let frames = try (0..<20).map { try renderer.frame($0) }
    for index in 1..<20 { #expect((frames[index] === frames[index - 1]) == !(11...15 ~= index), "frame \(index)") }
    let digests = try (10...15).map { try frames[$0].md5() }
    #expect(Set(digests).count == 6)
  }
}
