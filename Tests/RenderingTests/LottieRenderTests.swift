import Document
import EditFiles
import FarmTesting
import Formats
import FoundationEssentials
import Media
import Rendering
import Scenes
import Testing
import Timeline

@Suite struct `Lottie files as layers` {
  private let workshop = Workshop()

  /// A square that is red and goes from the left to the right in 20 frames, below a circle that a matte cuts out of green.
  private static let file = #"""
    {"v": "5.7.0", "fr": 10, "ip": 0, "op": 20, "w": 96, "h": 64, "layers": [
      {"ty": 4, "nm": "hole", "td": 1, "ip": 0, "op": 20, "ks": {}, "shapes": [
        {"ty": "el", "p": {"k": [48, 48]}, "s": {"k": [24, 24]}}, {"ty": "fl", "c": {"k": [1, 1, 1]}, "o": {"k": 100}}]},
      {"ty": 1, "nm": "green", "tt": 2, "sw": 96, "sh": 32, "sc": "00ff00", "ip": 0, "op": 20, "ks": {"p": {"k": [0, 32]}}},
      {"ty": 4, "nm": "square", "ip": 0, "op": 20, "ks": {"p": {"a": 1, "k": [
        {"t": 0, "s": [8, 16], "o": {"x": 0, "y": 0}, "i": {"x": 1, "y": 1}}, {"t": 20, "s": [88, 16]}]}},
       "shapes": [{"ty": "rc", "p": {"k": [0, 0]}, "s": {"k": [16, 16]}, "r": {"k": 0}}, {"ty": "fl", "c": {"k": [1, 0, 0]}, "o": {"k": 100}}],
       "ef": [{"ty": 28, "nm": "Displacement Map", "en": 1}]}]}
    """#

  private func edit(_ more: String = "") throws -> ResolvedTimeline {
    try Self.file.write(toFile: workshop.file("a.json"))
    try workshop.clip("base.mp4", frameRate: "20", frameCount: 40)
    return try workshop.edit(
      """
      {"spool": 1, "assets": {"base": {"path": "base.mp4"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "base"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/20", "color": "bt709",
         "instructions": [{"timeRange": {"start": "0", "duration": "2"}, "background": "#000000"}]},
       "layers": [{"lottie": "a.json"\(more)}],
       "export": {"fileType": "mkv", "video": {"codec": "ffv1", "chroma": "4:4:4"}}}
      """)
  }

  /// The red, green and blue of a pixel of a frame of a movie.
  private func pixels(_ movie: String, _ frame: Int, _ places: [(Int, Int)]) throws -> [[Int]] {
    let raw = workshop.file("\(frame).rgb")
    try MediaTools.ffmpeg([
      "-y", "-i", movie, "-vf", "select=eq(n\\,\(frame))", "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", raw,
    ])
    let bytes = try [UInt8](contentsOf: raw)
    return places.map { x, y in (0..<3).map { Int(bytes[(y * 96 + x) * 3 + $0]) } }
  }

  private func isNear(_ one: [Int], _ other: [Int]) -> Bool { zip(one, other).allSatisfy { abs($0 - $1) <= 4 } }

  @Test func `show the same frames in any number of chunks, and their shapes where they are`() throws {
    let edit = try edit()
    let count = try edit.frameCount
    #expect(count == 40)
    var (digests, movie) = (Set<String>(), "")
    for chunks in [1, 3, 7] {
      movie = try workshop.movie(of: edit, borders: (0..<chunks).map { $0 * count / chunks }, output: "\(chunks).mkv")
      digests.insert(try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"]))
      #expect(try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }.faults == [])
    }
    #expect(digests.count == 1)
    // In frame 15 of 20 a second the square is at 8 + 80 * 7.5 / 20. Between frames of the file it is between their places.
    let (red, green, black) = ([255, 0, 0], [0, 255, 0], [0, 0, 0])
    let found = try pixels(movie, 15, [(38, 16), (31, 16), (44, 16), (28, 16), (48, 16), (10, 48), (48, 48), (34, 40)])
    for (pixel, color) in zip(found, [red, red, red, black, black, green, black, green]) {
      #expect(isNear(pixel, color), "\(found)")
    }
  }

  @Test func `tell what is not drawn, and are refused for it where the document is strict`() throws {
    _ = try edit()
    let warnings = try workshop.editFile().warnings.filter { $0.kind == .lottie }
    #expect(
      warnings.map(\.description) == [
        "layers[0].lottie: layers[2].ef[0] (layer 'square'): the effect 'Displacement Map' is not drawn"
      ])
    do {
      _ = try edit(#", "strict": true"#)
      Issue.record("accepted")
    } catch EditFileError.lottie(_, let faults) {
      #expect(faults.map(\.place) == ["layers[0].lottie"] && faults[0].reason.contains("'Displacement Map' is not drawn"))
    }
  }

  /// A frame of a file of one layer, which is white over 16...48 by 16...48, and over 32...64 by 24...56, as far as its `merge` says.
  private func merged(_ merge: String = "", effect: String = "", at places: [(Int, Int)]) throws -> [[Int]] {
    let edit = try edit()
    try #"""
    {"v": "5.7.0", "fr": 10, "ip": 0, "op": 20, "w": 96, "h": 64, "layers": [
      {"ty": 4, "nm": "a", "ip": 0, "op": 20, "ks": {}, "shapes": [
        {"ty": "rc", "p": {"k": [48, 40]}, "s": {"k": [32, 32]}, "r": {"k": 0}},
        {"ty": "rc", "p": {"k": [32, 32]}, "s": {"k": [32, 32]}, "r": {"k": 0}, "d": 3}\#(merge),
        {"ty": "fl", "c": {"k": [1, 1, 1]}, "o": {"k": 100}}]\#(effect)}]}
    """#
    .write(toFile: workshop.file("a.json"))
    let again = try workshop.editFile()
    #expect(edit.facts == again.edit.facts)
    #expect(again.warnings.filter { $0.kind == .lottie && !$0.description.contains("luma") } == [])
    return try pixels(workshop.movie(of: again.edit, borders: [0], output: "merged.mkv"), 3, places)
  }

  @Test(arguments: [
    // The upper left corner of the lower one, what both cover, the lower right corner of the upper one, and beside them.
    (2, [255, 255, 255, 0]), (3, [0, 0, 255, 0]), (4, [0, 255, 0, 0]), (5, [255, 0, 255, 0]),
  ])
  func `fill merged paths as one area`(mode: Int, lightness: [Int]) throws {
    let found = try merged(#", {"ty": "mm", "mm": \#(mode)}"#, at: [(20, 20), (40, 32), (60, 50), (80, 10)])
    for (pixel, light) in zip(found, lightness) { #expect(isNear(pixel, [light, light, light]), "\(found)") }
  }

  @Test func `are filled and tinted by their effects`() throws {
    func color(_ color: String) -> String { #"{"ty": 2, "v": {"k": \#(color)}}"# }
    func number(_ number: String) -> String { #"{"ty": 0, "v": {"k": \#(number)}}"# }
    let nothing = number("0")
    // Where both cover, the second path runs against the first, and leaves a hole.
    let places = [(20, 20), (60, 50), (40, 32), (80, 10)]
    let fill = [nothing, nothing, color("[0, 0.5, 1]"), nothing, nothing, nothing, number("0.5")].joined(separator: ", ")
    let filled = try merged(effect: #", "ef": [{"ty": 21, "nm": "Fill", "en": 1, "ef": [\#(fill)]}]"#, at: places)
    let blue = [[0, 64, 128], [0, 64, 128], [0, 0, 0], [0, 0, 0]]
    for (pixel, color) in zip(filled, blue) { #expect(isNear(pixel, color), "\(filled)") }
    let tint = [color("[1, 0, 0]"), color("[0, 0, 1]"), number("75")].joined(separator: ", ")
    let tinted = try merged(effect: #", "ef": [{"ty": 20, "nm": "Tint", "en": 1, "ef": [\#(tint)]}]"#, at: places)
    // A quarter of white is left beside the colour for white.
    let violet = [[64, 64, 255], [64, 64, 255], [0, 0, 0], [0, 0, 0]]
    for (pixel, color) in zip(tinted, violet) { #expect(isNear(pixel, color), "\(tinted)") }
  }

  /// A file with an image of 32x32 in it, whose bytes these are, in the middle of its picture.
  private func show(image bytes: [UInt8], type: String = "png") throws {
    _ = try edit()
    let data = "data:image/\(type);base64,\(Data(bytes).base64EncodedString())"
    try #"""
    {"v": "5.7.0", "fr": 10, "ip": 0, "op": 20, "w": 96, "h": 64,
     "assets": [{"id": "image_0", "w": 32, "h": 32, "u": "", "p": "\#(data)", "e": 1}],
     "layers": [{"ty": 2, "nm": "photo", "refId": "image_0", "ip": 0, "op": 20, "ks": {"p": {"k": [32, 16]}}}]}
    """#
    .write(toFile: workshop.file("a.json"))
  }

  private func image(_ options: [String]) throws -> [UInt8] {
    let path = workshop.file("image.png")
    try MediaTools.ffmpeg(["-y", "-f", "lavfi", "-i", options[0], "-frames:v", "1"] + options.dropFirst() + [path])
    return try [UInt8](contentsOf: path)
  }

  @Test func `show the images in them, which travel with the edit`() throws {
    try show(image: image(["color=0x0000ff:s=16x16,format=rgb24"]))
    let file = try workshop.editFile()
    #expect(file.warnings.filter { $0.kind == .lottie }.isEmpty)
    let id = AssetID("lottie-1-image-1")
    #expect(file.edit.facts[id]?.container == "png_pipe")
    #expect(try file.edit.scene(at: 0).assets.contains(id))
    // A worker needs the document alone.
    try "gone".write(toFile: workshop.file("a.json"))
    let again = try Timeline.parse(file.edit.timeline.canonicalJSON()).resolved(with: file.edit.facts)
    #expect(again == file.edit)
    let movie = try workshop.movie(of: again, borders: [0, 17], output: "m.mkv")
    let found = try pixels(movie, 9, [(48, 32), (34, 18), (61, 45), (28, 32), (48, 12)])
    for (pixel, color) in zip(found, [[0, 0, 255], [0, 0, 255], [0, 0, 255], [0, 0, 0], [0, 0, 0]]) {
      #expect(isNear(pixel, color), "\(found)")
    }
  }

  @Test func `are refused for images that cannot be decoded, or are bombs`() throws {
    func faults(_ bytes: [UInt8]) throws -> [String] {
      try show(image: bytes)
      do {
        _ = try workshop.editFile()
        return []
      } catch EditFileError.lottie(_, let faults) { return faults.map(\.description) }
    }
    let broken = try faults([1, 2, 3, 4])
    #expect(broken.count == 1 && broken[0].contains("assets[0].p: the image cannot be decoded: "), "\(broken)")
    #expect(
      broken[0].hasPrefix("layers[0].lottie: '\(workshop.file("a.json"))'") || broken[0].hasPrefix("layers[0].lottie: 'a.json'"))
    // A picture of 30000x30000 pixels of one colour has some kilobytes.
    var bomb = try image(["color=black:s=16x16,format=gray"])
    for (place, byte) in zip(16..., [0, 0, 0x75, 0x30, 0, 0, 0x75, 0x30] as [UInt8]) { bomb[place] = byte }
    let told = try faults(bomb)
    #expect(told.count == 1 && told[0].contains("assets[0].p: the image cannot be decoded: "), "\(told)")
  }

  @Test func `are refused where they lie outside of the media roots, or are none`() throws {
    _ = try edit()
    try "{}".write(toFile: workshop.file("a.json"))
    do {
      _ = try workshop.editFile()
      Issue.record("accepted")
    } catch EditFileError.lottie(_, let faults) { #expect(faults[0].reason.contains("is no Lottie file")) }
    let document = try DocumentFile(path: workshop.file("edit.json"))
    do {
      _ = try EditFile(document, ProbedAssets(document.assets[...], policy: workshop.policy), SourcePolicy(roots: ["/nowhere"]))
      Issue.record("accepted")
    } catch EditFileError.lottie(_, let faults) { #expect(faults[0].isMissing) }
  }
}
