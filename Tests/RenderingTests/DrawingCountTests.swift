import FarmTesting
import Formats
import Media
import Rendering
import Scenes
import Testing
import Timeline

/// How often the pictures of layers are drawn.
@Suite struct `Layers over a video` {
  private static let count = 30
  private let workshop = Workshop()

  private init() throws {
    try workshop.clip("a.mp4", frameCount: Self.count)
    try SyntheticSource(width: 32, height: 32, frameCount: 1).write(to: workshop.file("logo.png"), [])
    let lines = ["[00:00.10]<00:00.10>One <00:00.40>two", "[00:00.70]<00:00.70>three <00:00.90>four"]
    try lines.joined(separator: "\n").write(toFile: workshop.file("words.lrc"))
  }

  /// - Parameter isStill: whether the video shows its first frame all the time.
  private func renderer(_ layers: String, captions: String = "", isStill: Bool = false) throws -> PictureRenderer {
    let segment = isStill ? #""source": {"duration": "0.04"}, "duration": "1.2""# : #""source": {"duration": "1.2"}"#
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "logo": {"path": "logo.png"}},
       "composition": {"tracks": [{"id": "v", "media": "video", "segments": [{"asset": "a", \(segment)}]}]},
       "videoComposition": {"renderSize": [160, 90], "frameDuration": "1/25", "color": "bt709"},
       "layers": [\(layers)], "captions": [\(captions)]}
      """)
    return PictureRenderer(edit: edit, policy: workshop.policy)
  }

  private static let title = #"{"text": "One two", "font": "DejaVu Sans", "size": 24, "frame": [4, 10, 150, 40]"#
  private static let slide = #""position": [{"at": "0", "value": [-80.5, 30]}, {"at": "1.1", "value": [90, 30]}]"#
  /// A box with a logo and a text on it.
  private static func badge(_ more: String = "") -> String {
    ##"""
    {"frame": [4, 4, 60, 40], "backgroundColor": "#204060"\##(more), "layers": [
      {"image": "logo", "frame": [4, 4, 20, 20]}, {"text": "x", "font": "DejaVu Sans", "size": 9, "frame": [4, 26, 20, 12]}]}
    """##
  }
  private static let badgeSlide = #", "position": [{"at": "0", "value": [30, 20]}, {"at": "1.1", "value": [90.5, 30]}]"#

  @Test(arguments: [
    ("a text", title + "}", 1), ("a text that slides in", title + ", " + slide + "}", 1),
    ("a logo that fades", #"{"image": "logo", "frame": [4, 4, 32, 32], "fadeIn": "0.5", "fadeOut": "0.3"}"#, 1),
    ("a tree", badge(), 3), ("a tree that moves", badge(badgeSlide), 3),
  ])
  func `are drawn once, whatever the number of frames`(name: String, layers: String, drawings: Int) throws {
    let renderer = try renderer(layers)
    for index in 0..<Self.count { _ = try renderer.frame(index) }
    #expect(renderer.drawingCount == drawings, "\(name)")
  }

  @Test func `that do not move over a picture that does not change cost nothing for a frame`() throws {
    let renderer = try renderer(Self.badge(), isStill: true)
    let first = try renderer.frame(0)
    var digests = FrameDigests()
    for index in 1..<Self.count {
      let frame = try renderer.frame(index)
      #expect(frame === first, "frame \(index)")
      #expect(try digests.digest(of: frame) == first.contentDigest(), "frame \(index)")
    }
    #expect(renderer.drawingCount == 3 && digests.readCount == 1)
  }

  @Test(arguments: [("none", ""), ("a colour", ##", "highlight": {"color": "#ffc040"}"##)])
  func `that are captions are drawn once for each line or marked word`(name: String, highlight: String) throws {
    let style = #""style": {"font": "DejaVu Sans", "size": 14}"#
    let renderer = try renderer("", captions: #"{"file": "words.lrc"\#(highlight), \#(style)}"#)
    for index in 0..<Self.count { _ = try renderer.frame(index) }
    // Two lines of two words.
    #expect((2...(highlight.isEmpty ? 2 : 6)).contains(renderer.drawingCount), "\(name): \(renderer.drawingCount)")
  }
}
