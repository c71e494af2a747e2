import Document
import EditFiles
import FarmTesting
import Formats
import FoundationEssentials
import Media
import Rendering
import Scenes
import SyntheticFonts
import Testing
import Timeline

/// Scripts that libass draws, from files to frames.
@Suite struct `Scripts in an edit` {
  private let workshop = Workshop()

  private static let head = """
    [Script Info]
    PlayResX: 320
    PlayResY: 180
    ScaledBorderAndShadow: yes
    [V4+ Styles]
    Format: Name, Fontname, Fontsize, PrimaryColour, SecondaryColour, OutlineColour, BackColour, Bold, Italic, BorderStyle, Outline, Shadow, Alignment, MarginL, MarginR, MarginV
    Style: Default,DejaVu Sans,24,&H00FFFFFF,&H000000FF,&H00301000,&H80000000,0,0,1,2,2,2,10,10,10
    Style: Box,DejaVu Serif,20,&H0000FFFF,&H000000FF,&H80400040,&H80000000,-1,-1,3,3,0,8,10,10,12
    Style: Song,IPAPGothic,24,&H00F0F0F0,&H000000FF,&H00602000,&H80000000,0,0,1,2,0,5,10,10,10
    Style: Upright,@IPAPGothic,24,&H00F0F0F0,&H000000FF,&H00602000,&H80000000,0,0,1,2,0,6,10,10,10
    [Events]
    Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text

    """

  /// Scripts of two seconds, by what they try.
  static let scripts = [
    "styles": [
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,Plain {\\b1}bold{\\r} {\\u1}under{\\u0}",
      "0,0:00:00.40,0:00:01.80,Box,,40,40,30,,A box that is broken into two lines, since it is long",
    ],
    "movements": [
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\move(40,60,280,100,300,1500)\\1c&H00FF00&}go",
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\an7\\fad(500,600)}fading",
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\pos(160,130)\\t(0,1500,\\frz200\\fscx50\\1c&HFF00FF&)}turning",
    ],
    "karaoke": [
      "0,0:00:00.10,0:00:01.90,Default,,0,0,0,Karaoke,{\\k30}one {\\kf60}two {\\ko40}three",
      "0,0:00:00.10,0:00:01.90,Song,,0,0,0,,{\\k40}か{\\kf60}ら{\\k30}お{\\kf40}け",
    ],
    "clips and drawings": [
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\an5\\fs60\\clip(60,60,200,110)}clipped",
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\an8\\fs40\\iclip(m 150 0 l 170 0 170 60 150 60)}inverse",
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\pos(20,150)\\p1\\1c&H0080FF&}m 0 0 l 50 0 50 25 b 40 40 20 40 0 25{\\p0} x",
    ],
    "drawings alone": [
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\an7\\pos(40,40)\\p1}m 0 0 l 90 0 90 60",
      "0,0:00:00.50,0:00:02.00,Box,,0,0,0,,{\\an5\\move(40,40,200,90)\\p2}m 0 0 l 90 0 90 60",
    ],
    "space and blur": [
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\an5\\pos(90,60)\\frx50\\fry30\\fs40}space",
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\an9\\blur5\\bord5}blur",
      "0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\an1\\be8\\fax0.3}be",
      "0,0:00:00.00,0:00:02.00,Upright,,0,0,0,,{\\frz-90}縦「書」",
    ],
    "collisions": [
      "0,0:00:00.00,0:00:01.00,Default,,0,0,0,,A from 0 to 1", "0,0:00:00.50,0:00:01.50,Default,,0,0,0,,B from 0.5 to 1.5",
      "0,0:00:00.70,0:00:02.00,Default,,0,0,0,,C from 0.7\\Nto 2", "0,0:00:01.20,0:00:02.00,Default,,0,0,0,,D from 1.2 to 2",
    ],
  ]

  private func edit(
    _ events: [String], codec: String = #""codec": "ffv1", "bitDepth": 10, "chroma": "4:4:4""#, captions: String = "",
    assets: String = ""
  ) throws -> EditFile {
    try (Self.head + events.map { "Dialogue: \($0)\n" }.joined()).write(toFile: workshop.file("a.ass"))
    if !FileManager.default.fileExists(atPath: workshop.file("a.mp4")) { try workshop.clip("a.mp4", frameCount: 50) }
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}\(assets)},
     "composition": {"tracks": [{"id": "v", "media": "video", "segments": [{"asset": "a"}]}]},
     "videoComposition": {"renderSize": [320, 180], "frameDuration": "1/25", "color": "bt709",
       "instructions": [{"background": "#306040", "layerInstructions": []}]},
     "captions": [{"file": "a.ass", "drawnBy": "libass"\(captions)}], "export": {"fileType": "mkv", "video": {\(codec)}}}
    """.write(toFile: workshop.file("edit.json"))
    return try workshop.editFile()
  }

  private func faults(_ events: [String], captions: String = "", assets: String = "") -> String {
    do {
      _ = try edit(events, captions: captions, assets: assets)
      return "none"
    } catch EditFileError.layers(_, let faults) {
      return faults.map { "\($0.place): \($0.reason)" }.joined(separator: "\n")
    } catch { return "\(error)" }
  }

  private func digests(_ edit: ResolvedTimeline, _ indices: some Sequence<Int>) throws -> [Int: String] {
    let renderer = PictureRenderer(edit: edit, policy: workshop.policy)
    return try Dictionary(uniqueKeysWithValues: indices.map { ($0, try renderer.frame($0).md5()) })
  }

  // MARK: - Frames

  @Test(arguments: scripts.keys.sorted())
  func `a frame is the same whatever was drawn before it`(name: String) throws {
    let edit = try edit(try #require(Self.scripts[name])).edit
    let all = try digests(edit, 0..<50)
    #expect(try digests(edit, (0..<50).reversed().filter { $0 % 3 == 0 }) == all.filter { $0.key % 3 == 0 })
    for index in [7, 29, 48] { #expect(try digests(edit, index...index)[index] == all[index]) }
  }

  /// An oracle that is not ours: FFmpeg draws the same script by the same library, its fonts by fontconfig, frame after frame.
  @Test(arguments: scripts.keys.sorted())
  func `every frame is the one of ffmpeg's filter`(name: String) throws {
    let edit = try edit(try #require(Self.scripts[name])).edit
    let chunks = try [[0], [0, 17, 33], [0, 7, 14, 21, 28, 35, 42]].map { borders in
      let movie = try workshop.movie(of: edit, borders: borders, output: "own.mkv")
      return try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"])
    }
    #expect(Set(chunks).count == 1)
    let rgb = "scale=in_color_matrix=bt709:in_range=tv:flags=accurate_rnd+full_chroma_int,format=gbrp"
    try MediaTools.ffmpeg([
      "-i", workshop.file("own.mkv"), "-f", "lavfi", "-i", "color=c=0x306040:s=320x180:r=25:d=2,format=rgb24", "-lavfi",
      "[0]\(rgb)[a];[1]ass=\(workshop.file("a.ass")),format=gbrp[b];[a][b]psnr=stats_file=\(workshop.file("psnr.txt"))", "-f",
      "null", "-",
    ])
    let lines = String(decoding: try [UInt8](contentsOf: workshop.file("psnr.txt")), as: UTF8.self).split(separator: "\n")
    let found = lines.compactMap { line in line.split(separator: " ").first { $0.hasPrefix("psnr_avg:") }?.dropFirst(9) }
    #expect(found.count == 50)
    #expect(found.filter { $0 != "inf" && (Double($0) ?? 0) < 55 } == [])
  }

  // MARK: - Fonts

  @Test func `a font or a letter that is missing is told with its line`() throws {
    #expect(
      faults(["0,0:00:00.00,0:00:01.00,Default,,0,0,0,,x", "0,0:00:00.00,0:00:01.00,Default,,0,0,0,,{\\fnComic Sams}y"])
        .hasPrefix(
          "captions[0] (line 14 of the script): font 'Comic Sams' is not installed"))
    #expect(
      faults(["0,0:00:00.00,0:00:01.00,Default,,0,0,0,,兎"]).hasPrefix(
        "captions[0] (line 13 of the script): font 'DejaVu Sans' lacks '兎' (U+514E)"))
    #expect(faults(["0,0:00:00.00,0:00:01.00,Default,,0,0,0,,{\\p1}m 0 0 兎{\\p0}\u{200b}\\h a"]) == "none")
    #expect(
      try Set(edit(["0,0:00:00.00,0:00:01.00,Box,,0,0,0,,x", "0,0:00:00.00,0:00:01.00,Song,,0,0,0,,x"]).fonts.map(\.name)) == [
        "DejaVu Serif Bold Italic", "IPAPGothic",
      ])
  }

  @Test func `a font of the document is the script's by the asset's name`() throws {
    // Each letter of these fonts is a box.
    try SyntheticFont("Elsewhere", letters: "A ", height: 700).bytes.write(toFile: workshop.file("a.ttf"))
    let assets = #", "Arial": {"path": "a.ttf", "kind": "font"}"#
    let events = ["0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\fnArial\\fs60\\bord0\\shad0}A"]
    let file = try edit(events, assets: assets)
    #expect(file.fonts.map(\.family) == ["Arial"] && !file.warnings.contains { $0.kind == .unused })
    let tall = try digests(file.edit, 0...0)
    try SyntheticFont("Elsewhere", letters: "A ", height: 300).bytes.write(toFile: workshop.file("a.ttf"))
    let low = try digests(edit(events, assets: assets).edit, 0...0)
    try SyntheticFont("Arial", letters: "A ", height: 300).bytes.write(toFile: workshop.file("a.ttf"))
    #expect(try digests(edit(events, assets: assets).edit, 0...0) == low)
    let nothing = try digests(edit(["0,0:00:01.00,0:00:02.00,Default,,0,0,0,,x"]).edit, 0...0)
    #expect(Set([tall, low, nothing]).count == 3)
    #expect(
      faults(["0,0:00:00.00,0:00:02.00,Default,,0,0,0,,{\\fnArial}B"], assets: assets).contains("font 'Arial' lacks 'B'"))
  }

  // MARK: - Files

  @Test func `a script is read in the encoding that is declared, and travels with the edit`() throws {
    let line = "0,0:00:00.00,0:00:01.00,Default,,0,0,0,,caf\u{e9}"
    let script = Self.head + "Dialogue: \(line)\n"
    func read(_ bytes: [UInt8], _ captions: String) throws -> Timeline {
      _ = try edit([line])
      try bytes.write(toFile: workshop.file("a.ass"))
      let text = String(decoding: try [UInt8](contentsOf: workshop.file("edit.json")), as: UTF8.self)
      try text.replacing(#""drawnBy""#, with: "\(captions)\"drawnBy\"").write(toFile: workshop.file("edit.json"))
      return try workshop.editFile().edit.timeline
    }
    let known = try edit([line]).edit.timeline
    #expect(try read(script.unicodeScalars.map { UInt8($0.value) }, #""encoding": "windows-1252", "#) == known)
    let wide = [UInt8]([0xff, 0xfe]) + script.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
    #expect(try read(wide, "") == known)
    try known.canonicalJSON().write(toFile: workshop.file("edit.json"))
    #expect(try workshop.editFile().edit.timeline == known)
  }

  @Test func `scripts that ask for pictures without measure are drawn or left, soon`() throws {
    let events = [
      "{\\fs1000000}x", "{\\fscx9000000\\fscy9000000}x", "{\\blur999999\\be99999\\bord9000\\shad99999}x",
      "{\\p1\\bord99999}m -2000000000 0 l 2000000000 0 0 2000000000", "{\\p30}m 0 0 l 1000000000 0 0 1000000000",
      "{\\clip(m 0 0 l 2000000000 0 2000000000 1000000000)}x", "{\\frx89.99\\fry89.99\\fs5000}x",
    ]
    for event in events {
      let edit = try edit(["0,0:00:00.00,0:00:02.00,Default,,0,0,0,,\(event)"]).edit
      #expect(throws: Never.self) { _ = try digests(edit, 0...0) }
    }
  }
}
