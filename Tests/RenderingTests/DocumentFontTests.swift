import Drawing
import EditFiles
import FarmTesting
import Formats
import Glibc
import Media
import Rendering
import Scenes
import SyntheticFonts
import Testing
import Timeline

/// Fonts that a document states as files: from the document to the letters in its frames. A letter of the fonts here is a box, whose
/// height tells which font it is from.
@Suite struct `Fonts of a document` {
  private let workshop = Workshop()

  private init() throws { try workshop.clip("a.mp4", frameCount: 10) }

  private func write(_ font: SyntheticFont, _ name: String) throws { try font.bytes.write(toFile: workshop.file(name)) }

  private func file(_ assets: String, _ layers: String, _ more: String = "") throws -> EditFile {
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, \(assets)},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [{"asset": "a"}]}]},
     "videoComposition": {"renderSize": [240, 120], "frameDuration": "1/25", "color": "bt709",
       "instructions": [{"layerInstructions": []}]},
     "layers": [\(layers)]\(more)}
    """.write(toFile: workshop.file("edit.json"))
    return try workshop.editFile()
  }

  /// A white text of 100 pixels per em from x on, whose letters are 60 pixels wide.
  private func text(_ text: String, _ font: String, x: Int = 0, _ more: String = "") -> String {
    #"{"text": "\#(text)", "font": \#(font), "size": 100, "align": "left", "frame": [\#(x), 0, 240, 120]\#(more)}"#
  }

  /// The number of white pixels in the column of a frame.
  private func heights(_ file: EditFile, at columns: Int..., named: Bool = true, frame: Int = 0) throws -> [Int] {
    let renderer = PictureRenderer(edit: file.edit, policy: workshop.policy, fonts: named ? file.fonts : nil)
    let luma = try renderer.frame(frame).packed()
    return columns.map { column in (0..<120).count { luma[$0 * 240 + column] > 200 } }
  }

  /// The faults of an edit, a line each, without the workshop's folder.
  private func faults(_ assets: String, _ layers: String, _ more: String = "") -> String {
    func words(_ error: any Error) -> String {
      switch error {
      case EditFileError.assets(let faults): faults.map { "\($0.asset): \($0.error.kind): \($0.error)" }.joined(separator: "\n")
      case EditFileError.document(_, let faults): faults.description
      case EditFileError.layers(_, let faults): faults.map { "\($0.place): \($0.reason)" }.joined(separator: "\n")
      case EditFileError.several(let errors): errors.map(words).joined(separator: "\n")
      default: "\(error)"
      }
    }
    do {
      return try file(assets, layers, more).warnings.map { "warning: \($0)" }.joined(separator: "\n")
    } catch { return words(error).replacing(workshop.file(""), with: "") }
  }

  private let brand = #""brand": {"path": "brand.ttf", "kind": "font"}"#

  // MARK: - Which font is drawn

  @Test func `each text is drawn in the file that it names, whatever families the files and the machine have`() throws {
    try write(SyntheticFont("DejaVu Sans", letters: "A ", height: 700), "brand.ttf")
    try write(SyntheticFont("DejaVu Sans", letters: "A", height: 300), "other.ttf")
    let assets = #"\#(brand), "other": {"path": "other.ttf", "kind": "font"}"#
    let layers = [text("A", #""brand""#), text("A", #""other""#, x: 80), text("A", #""DejaVu Sans""#, x: 160)]
    let edit = try file(assets, layers.joined(separator: ", "))
    #expect(try heights(edit, at: 30, 110) == [70, 30])
    #expect(try heights(edit, at: 30, 110, named: false) == [70, 30])
    #expect(edit.fonts.map(\.family) == ["brand", "other", "DejaVu Sans"])
    #expect(Set(edit.edit.fonts.keys) == ["brand", "other"])
    // An asset may have the name of a family that is installed. It is meant then.
    let named = try file(#""DejaVu Sans": {"path": "other.ttf", "kind": "font"}"#, text("A", #""DejaVu Sans""#))
    #expect(try heights(named, at: 30) == [30])
  }

  @Test func `edits of one process have each its own file, also of one name and of one path`() throws {
    try write(SyntheticFont("Brand", letters: "A", height: 700), "brand.ttf")
    let first = try file(brand, text("A", #""brand""#))
    #expect(try heights(first, at: 30) == [70])
    try write(SyntheticFont("Brand", letters: "A", height: 400), "brand.ttf")
    let second = try file(brand, text("A", #""brand""#))
    #expect(try heights(second, at: 30) == [40])
    // The first edit was checked with another file, and draws no other.
    #expect(throws: DrawingError.documentFontChanged("brand", path: workshop.file("brand.ttf"))) { try heights(first, at: 30) }
    try write(SyntheticFont("Brand", letters: "A", height: 700), "brand.ttf")
    #expect(try heights(first, at: 30) == [70])
  }

  @Test func `a letter that a file lacks comes from the next font of the list, or is missed`() throws {
    try write(SyntheticFont("Brand", letters: "A", height: 700), "brand.ttf")
    try write(SyntheticFont("Brand", letters: "AB", height: 300), "other.ttf")
    let assets = #"\#(brand), "other": {"path": "other.ttf", "kind": "font"}"#
    let edit = try file(assets, text("AB", #"["brand", "other"]"#))
    #expect(try heights(edit, at: 30, 90) == [70, 30])
    #expect(
      faults(brand, text("AB", #"["brand"]"#)).hasPrefix(
        "layers[0]: font 'brand' lacks 'B' (U+0042): put one that has it into the list"))
  }

  @Test func `runs, captions, timestamps, moving texts and nested compositions are drawn in it`() throws {
    try write(SyntheticFont("Brand", letters: "A 0123456789:;.-", height: 700), "brand.ttf")
    let run =
      #"{"text": ["A", {"text": "A", "font": "brand"}], "font": "DejaVu Sans", "size": 100, "align": "left", "frame": [0, 0, 240, 120]}"#
    let runs = try file(brand, run)
    let found = try heights(runs, at: 80, 100, 115)
    // The line stands between two pixels, by DejaVu's own height.
    #expect(found == [69, 69, 69])
    let stamp = try file(brand, text("{frame}", #""brand""#, #", "timestamp": {}"#))
    #expect(try heights(stamp, at: 30, 90, frame: 9) == [70, 0])
    let moving = try file(brand, text("AA", #""brand""#, #", "animation": {"in": {"preset": "typewriter", "stagger": "0.2"}}"#))
    #expect(try heights(moving, at: 30, 90, frame: 1) == [70, 0])
    #expect(try heights(moving, at: 30, 90, frame: 6) == [70, 70])
    let captions = try file(
      brand, "",
      #", "captions": [{"style": {"font": "brand", "size": 50}, "cues": [{"from": "0", "to": "0.4", "text": "A"}]}]"#)
    #expect(try heights(captions, at: 120) == [35])
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}, \(brand)},
     "compositions": {"n": {"tracks": [{"id": "v", "media": "video", "segments": [{"asset": "a"}]}],
       "videoComposition": {"renderSize": [240, 120], "instructions": [{"layerInstructions": []}]},
       "layers": [\(text("A", #""brand""#))]}},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [{"composition": "n"}]}]}}
    """.write(toFile: workshop.file("edit.json"))
    let nested = try workshop.editFile()
    #expect(try heights(nested, at: 30) == [70])
    #expect(!nested.warnings.contains { $0.kind == .unused })
  }

  @Test func `weights and axes are those that the file has; a bold text in a file without a bold face is drawn in bold strokes`()
    throws
  {
    try write(SyntheticFont("Brand", letters: "A", height: 400), "brand.ttf")
    let usual = try heights(file(brand, text("A", #""brand""#)), at: 30)
    let bold = try heights(file(brand, text("A", #""brand""#, #", "weight": 700"#)), at: 30)
    #expect(usual == [40] && bold[0] > 40 && bold[0] < 50)
    #expect(
      faults(brand, text("A", #""brand""#, #", "axes": {"wght": 650}"#))
        == "layers[0]: font 'brand' is no variable font, and has no axes to set")
    var variable = SyntheticFont("Brand", letters: "A", height: 400)
    variable.isVariable = true
    try write(variable, "brand.ttf")
    #expect(try heights(file(brand, text("A", #""brand""#)), at: 30) == [40])
    #expect(try heights(file(brand, text("A", #""brand""#, #", "weight": 900"#)), at: 30) == [60])
    #expect(try heights(file(brand, text("A", #""brand""#, #", "axes": {"wght": 650}"#)), at: 30) == [50])
  }

  @Test func `of a collection the face is drawn that the document means, by its number or its name`() throws {
    var bold = SyntheticFont("Brand", letters: "A", height: 300)
    bold.weight = 700
    try SyntheticFont.collection([SyntheticFont("Brand", letters: "A", height: 700), bold]).write(
      toFile: workshop.file("brand.ttc"))
    func asset(_ face: String) -> String { #""brand": {"path": "brand.ttc", "kind": "font"\#(face)}"# }
    #expect(try heights(file(asset(#", "face": 0"#), text("A", #""brand""#)), at: 30) == [70])
    #expect(try heights(file(asset(#", "face": 1"#), text("A", #""brand""#)), at: 30) == [30])
    #expect(try heights(file(asset(#", "face": "Brand Bold""#), text("A", #""brand""#)), at: 30) == [30])
    let names = "0 'Brand', 1 'Brand Bold'"
    let layer = text("A", #""brand""#)
    #expect(faults(asset(""), layer) == "assets.brand.face: the file has 2 faces: say which by its number or its name: \(names)")
    #expect(faults(asset(#", "face": 2"#), layer) == "assets.brand.face: the file has no face 2: it has \(names)")
    #expect(faults(asset(#", "face": "Thin""#), layer) == "assets.brand.face: the file has no face 'Thin': it has \(names)")
  }

  // MARK: - How it is read

  @Test func `it is read by the rules for media, and by a descriptor where that was handed over`() throws {
    let elsewhere = TemporaryDirectory()
    try write(SyntheticFont("Brand", letters: "A", height: 700), "brand.ttf")
    try SyntheticFont("Brand", letters: "A", height: 700).bytes.write(toFile: elsewhere.file("secret.ttf"))
    try #require(unsafe symlink(elsewhere.file("secret.ttf"), workshop.file("link.ttf")) == 0)
    #expect(
      faults(#""brand": {"path": "link.ttf", "kind": "font"}"#, text("A", #""brand""#))
        == "brand: unreadable: link.ttf: lies outside the media roots")
    let edit = try file(brand, text("A", #""brand""#))
    let path = workshop.file("brand.ttf")
    #expect(edit.edit.timeline.assets[AssetID("brand")] == .file(path))
    #expect(workshop.policy.files(of: edit.edit).contains(path))
    var policy = SourcePolicy(roots: [])
    let descriptor = try workshop.policy.descriptor(of: path)
    defer { close(descriptor) }
    policy.hand([path], [descriptor])
    let renderer = PictureRenderer(edit: edit.edit, policy: policy, fonts: edit.fonts)
    let luma = try renderer.frame(0).packed()
    #expect((0..<120).count { luma[$0 * 240 + 30] > 200 } == 70)
  }

  // MARK: - What is refused

  @Test(arguments: [
    ("missing", "unreadable: brand.ttf: No such file or directory"), ("empty", "unreadable: brand.ttf: is empty"),
    ("text", "unsupported: brand.ttf: is no font: TrueType and OpenType are read"),
    ("huge", "unsupported: brand.ttf: has 67108865 bytes; at most 64 MiB are read"),
    ("cut", "corrupt: brand.ttf: is a font that is cut off or damaged: its table 'post' ends after the file"),
    ("head", "corrupt: brand.ttf: is a font that is cut off or damaged"),
    (
      "woff",
      "unsupported: brand.ttf: is a font for web pages (WOFF): convert it to TrueType or OpenType, .ttf or .otf"
    ),
    ("liar", "corrupt: brand.ttf: is a font that is damaged: its face 0 cannot be read"),
    ("dots", "unsupported: brand.ttf: has neither outlines nor pictures in colour: fonts of black dots are not drawn"),
    ("faces", "unsupported: brand.ttf: has 257 faces; at most 256 are read"),
    ("video", "unsupported: brand.ttf: is no font: TrueType and OpenType are read"),
    ("folder", "unreadable: brand.ttf: is a directory"),
  ])
  func `a file that is no font, or not a whole one, is named with its asset`(kind: String, fault: String) throws {
    let (font, path) = (SyntheticFont("Brand", letters: "A", height: 700), workshop.file("brand.ttf"))
    var bytes = font.bytes
    switch kind {
    case "missing": break
    case "empty": try "".write(toFile: path)
    case "text": try "no font at all".write(toFile: path)
    case "huge":
      try bytes.write(toFile: path)
      try #require(unsafe truncate(path, off_t(FontFacts.mostBytes + 1)) == 0)
    case "cut": try Array(bytes.dropLast(1)).write(toFile: path)
    case "head": try Array(bytes.prefix(8)).write(toFile: path)
    case "woff": try Array("wOF2".utf8 + bytes.dropFirst(4)).write(toFile: path)
    case "liar": try font.without("cmap", "head").write(toFile: path)
    case "dots": try font.dots.write(toFile: path)
    case "faces":
      bytes = Array("ttcf".utf8) + [0, 1, 0, 0, 0, 0, 1, 1] + [UInt8](repeating: 0, count: 2000)
      try bytes.write(toFile: path)
    case "video": try [UInt8](contentsOf: workshop.file("a.mp4")).write(toFile: path)
    default: try #require(unsafe mkdir(path, 0o755) == 0)
    }
    #expect(faults(brand, text("A", #""brand""#)) == "brand: \(fault)")
  }

  @Test func `a letter whose outline cannot be read is told, and not left out`() throws {
    var font = SyntheticFont("Brand", letters: "AB", height: 700)
    font.lie = "B"
    try write(font, "brand.ttf")
    #expect(try heights(file(brand, text("A", #""brand""#)), at: 30) == [70])
    let fault = "font 'brand' is damaged: outlines of 'AB' cannot be read"
    #expect(faults(brand, text("AB", #""brand""#)) == "layers[0]: \(fault)")
    let caption = #", "captions": [{"style": {"font": "brand", "size": 50}, "cues": [{"from": "0", "to": "0.4", "text": "AB"}]}]"#
    #expect(faults(brand, "", caption) == "captions[0] (cue 1, at 0 s): \(fault)")
  }

  @Test func `media are no fonts, and fonts no media; a font that no text names is told of`() throws {
    try write(SyntheticFont("Brand", letters: "A", height: 700), "brand.ttf")
    #expect(
      faults(brand, text("A", #""a""#)).split(separator: "\n")
        == ["layers[0]: font 'a' is not installed, and asset 'a' is no font (\"kind\": \"font\")"])
    #expect(
      faults(brand, #"{"image": "brand"}"#)
        == "layers[0].image: asset 'brand' is a font, which only a text's \"font\" can name")
    #expect(faults(brand, text("A", #""DejaVu Sans""#)).hasPrefix("warning: assets.brand: no text is drawn in it"))
    #expect(faults(brand, text("A", #""brnd""#)).contains("font 'brnd' is not installed (did you mean 'brand'?)"))
    // A font file that is stated as a medium is none.
    #expect(faults(#""brand": {"path": "brand.ttf"}"#, "").hasPrefix("brand: "))
  }
}
