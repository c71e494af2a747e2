import FarmTesting
import Media
import MediaTime
import Rendering
import Scenes
import Testing

@Suite struct `Animated pictures as clips` {
  private let workshop = Workshop()

  @Test(arguments: [false, true])
  func `show the same frames in any number of chunks, and backwards`(reversed: Bool) throws {
    for index in 0..<8 {
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", "testsrc2=s=96x64:r=5", "-vf", "select=eq(n\\,\(index)),format=rgb24", "-frames:v", "1",
        workshop.file("\(index).png"),
      ])
    }
    try MediaTools.animatedWebP(
      ["-kmin", "2", "-kmax", "4", "-lossless"] + (0..<8).flatMap { ["-d", "\(50 + 37 * $0)", workshop.file("\($0).png")] }
        + ["-o", workshop.file("a.webp")])
    // The clip lasts 8 * 50 + 37 * 28 milliseconds.
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.webp"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a", "reversed": \(reversed)}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709"},
       "export": {"fileType": "mkv", "video": {"codec": "ffv1"}}}
      """)
    let count = try edit.frameCount
    #expect(count == 36 || count == 35)
    var digests: Set<String> = []
    for chunks in [1, 3, 7] {
      let movie = try workshop.movie(of: edit, borders: (0..<chunks).map { $0 * count / chunks }, output: "\(chunks).mkv")
      digests.insert(try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"]))
      #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }.faults == [])
    }
    #expect(digests.count == 1)
    let shown = Set(digests.first?.split(separator: "\n").compactMap { $0.split(separator: ",").last } ?? [])
    #expect(shown.count >= 8)
  }

  @Test func `are still pictures as layers, and that is told`() throws {
    for (index, color) in ["red", "blue"].enumerated() {
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", "color=\(color):s=32x32", "-frames:v", "1", workshop.file("\(index).png")])
    }
    try MediaTools.animatedWebP([
      "-lossless", "-d", "100", workshop.file("0.png"), workshop.file("1.png"), "-o", workshop.file("a.webp"),
    ])
    try workshop.clip("base.mp4", frameCount: 10)
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.webp"}, "base": {"path": "base.mp4"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "base"}]}]},
       "layers": [{"image": "a"}]}
      """)
    #expect(edit.warnings.map(\.path) == ["layers[0].image"])
    #expect(edit.warnings.first?.message.contains("first picture") == true)
    let frame = try PictureRenderer(edit: edit, policy: workshop.policy).frame(9)
    #expect(unsafe frame.plane(2).base[0] > 220, "the layer is not red")
  }
}
