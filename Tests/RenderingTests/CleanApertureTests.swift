import FarmTesting
import Formats
import Media
import Rendering
import Scenes
import Testing
import Timeline

/// Movies that say which part of their picture is shown. MediaInfo and a walk through the boxes read it.
@Suite struct `A clean aperture that is written` {
  private let workshop = Workshop()

  private init() throws { try workshop.clip("a.mp4", frameCount: 10) }

  private func edit(_ export: String) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a"}]}]}, "export": {\(export)}}
      """)
  }

  private func fault(_ export: String) -> String {
    do {
      _ = try edit(export)
      return "none"
    } catch { return "\(error)" }
  }

  private func number(_ bytes: ArraySlice<UInt8>) -> Int { bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) } }

  /// The first box of a type among those that lie one after the other, with its header.
  private func box(_ type: String, in bytes: ArraySlice<UInt8>) throws -> ArraySlice<UInt8> {
    var rest = bytes
    while rest.count >= 8 {
      let size = number(rest)
      try #require(size >= 8 && size <= rest.count)
      if rest.dropFirst(4).prefix(4).elementsEqual(type.utf8) { return rest.prefix(size) }
      rest = rest.dropFirst(size)
    }
    throw MediaTools.Failure(description: "no box \(type)")
  }

  @Test(arguments: [
    (#""fileType": "mp4""#, "mp4"), (#""fileType": "mov""#, "mov"), (#""fileType": "mp4", "optimizeForNetworkUse": true"#, "mp4"),
    (#""fileType": "mov", "video": {"codec": "dnxhr", "profile": "lb"}, "maximumSize": [512, 512]"#, "mov"),
  ])
  func `is read by others, and no frame changes`(export: String, ending: String) throws {
    // DNxHR begins at 256x120.
    try workshop.clip("a.mp4", frameCount: 10, width: 288, height: 192)
    let movie = try workshop.movie(
      of: edit(#"\#(export), "cleanAperture": [8, 4, 200, 150], "metadata": {"title": "T"}"#), borders: [0], output: "m.\(ending)"
    )
    let plain = try workshop.movie(of: edit(#"\#(export), "metadata": {"title": "T"}"#), borders: [0], output: "p.\(ending)")
    let frames = try MediaTools.ffmpeg(["-i", movie, "-f", "framemd5", "-"], isStrict: true)
    #expect(try frames == MediaTools.ffmpeg(["-i", plain, "-f", "framemd5", "-"], isStrict: true))
    guard case .video(let video) = try AssetProbe.facts(of: movie, policy: workshop.policy).tracks[0].detail else {
      Issue.record("no picture")
      return
    }
    #expect(video.cleanAperture == Rect(8, 4, 200, 150) && video.naturalSize == PixelSize(288, 192))
    let text = try MediaTools.mediainfo(["--Full", movie])
    #expect(text.contains(/Clean aperture width +: 200/) && text.contains(/Clean aperture height +: 150/), "\(text)")
  }

  @Test func `stands in the sample entry, with the middle of the aperture`() throws {
    let movie = try workshop.movie(
      of: edit(#""fileType": "mp4", "cleanAperture": [8, 4, 40, 50]"#), borders: [0], output: "m.mp4")
    let bytes = try [UInt8](contentsOf: movie)
    var found = bytes[...]
    for type in ["moov", "trak", "mdia", "minf", "stbl", "stsd"] { found = try box(type, in: found).dropFirst(8) }
    // A description has 8 bytes before its first entry, and an entry 86 before its boxes.
    let entry = try box("avc1", in: found.dropFirst(8))
    let clap = try box("clap", in: entry.dropFirst(86)).dropFirst(8)
    let terms = stride(from: 0, to: 32, by: 4).map { at in
      Int32(truncatingIfNeeded: number(clap.dropFirst(at)))
    }
    // The aperture's middle is at 28, 29, and the picture's at 48, 32.
    #expect(clap.count == 32 && terms == [40, 1, 50, 1, -40, 2, -6, 2])
  }

  @Test func `is refused where it cannot be told`() {
    for (export, reason) in [
      (#""fileType": "mkv""#, "export.cleanAperture: mkv does not say which part of a picture is shown: use mp4 or mov"),
      (#""fragmentInterval": "1""#, "leave fragmentInterval out"),
      (#""renderScale": 0.5"#, "export.cleanAperture: reaches beyond the frame of 48x32"),
    ] {
      let found = fault(#"\#(export), "cleanAperture": [0, 0, 96, 64]"#)
      #expect(found.contains(reason), "\(found)")
    }
    #expect(fault(#""cleanAperture": [0, 0, 0, 64]"#).contains("export.cleanAperture: has whole pixels"))
    #expect(fault(#""cleanAperture": [0.5, 0, 9, 64]"#).contains("export.cleanAperture: has whole pixels"))
    #expect(fault(#""cleanAperture": [0, 0, 9]"#).contains("export.cleanAperture: expected [x, y, width, height]"))
  }
}
