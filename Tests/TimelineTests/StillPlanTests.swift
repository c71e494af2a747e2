import EditTesting
import Captions
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// The choice of frames for posters and thumbnails, and the sheets of these.
@Suite struct `The plan of still pictures` {
  private func edit(_ export: String, frameDuration: String = "1/25", seconds: Int64 = 60) throws -> ResolvedTimeline {
    let document = """
      {"spool": 1, "assets": {"v": {"path": "v"}},
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "v", "source": {"start": "0", "duration": "\(seconds)"}}]}]},
       "videoComposition": {"frameDuration": "\(frameDuration)"}, "export": {\(export)}}
      """
    return try Document(Array(document.utf8))
      .resolved(with: [AssetID("v"): Assets.movie(seconds: max(60, seconds), sound: false)])
  }

  private func fault(_ export: String, frameDuration: String = "1/25", seconds: Int64 = 60) -> String {
    do {
      _ = try edit(export, frameDuration: frameDuration, seconds: seconds)
      return "none"
    } catch { return "\(error)" }
  }

  @Test func `takes the last frame that is not after a time`() throws {
    let plan = try #require(try edit(#""poster": {"at": "0.999"}, "thumbnails": {}"#, frameDuration: "1001/30000").stills)
    // Frame 29 stands at 0.9676 s, and frame 30 at 1.001 s.
    #expect(plan.poster?.frames == [29])
    #expect(plan.thumbnails?.frames == [0, 299, 599, 899, 1198, 1498])
    #expect(plan.thumbnails?.places(in: 299..<900) == 1..<4)
    #expect(plan.thumbnails?.places(in: 300..<599).isEmpty == true)
    #expect(plan.poster?.size == PixelSize(1280, 720) && plan.thumbnails?.size == PixelSize(160, 90))
    // The last thumbnails of a movie of 60 s are those at 50 s: at 60 s there is no frame any more.
    #expect(plan.sheets?.count == 6 && plan.sheets?.sheetCount == 1 && plan.sheets?.size == PixelSize(960, 90))
  }

  @Test func `counts from the part that is exported, and keeps to the frame's size`() throws {
    let plan = try #require(
      try edit(
        #""timeRange": {"start": "10", "duration": "3"}, "poster": {"at": "11", "width": 320}, "thumbnails": {"interval": "1"}, "#
          + #""maximumSize": [96, 96]"#
      ).stills)
    #expect(plan.poster?.frames == [25] && plan.poster?.size == PixelSize(96, 54))
    #expect(plan.thumbnails?.frames == [0, 25, 50] && plan.sheets?.tile == PixelSize(96, 54))
  }

  @Test func `has names that a reference can have, and borders that touch`() throws {
    let plan = try #require(try edit(#""thumbnails": {"interval": "25", "columns": 1}"#).stills)
    let (name, text) = try #require(try plan.times(StillNames(beside: "50% #1 é.v2.mp4")))
    #expect(name == "50% #1 é.v2.thumbnails.vtt")
    #expect(
      text == """
        WEBVTT

        00:00:00.000 --> 00:00:25.000
        50%25%20%231%20%C3%A9.v2.thumbnails-1.jpg#xywh=0,0,160,90

        00:00:25.000 --> 00:00:50.000
        50%25%20%231%20%C3%A9.v2.thumbnails-2.jpg#xywh=0,0,160,90

        00:00:50.000 --> 00:01:00.000
        50%25%20%231%20%C3%A9.v2.thumbnails-3.jpg#xywh=0,0,160,90

        """)
    #expect(plan.files(StillNames()) == ["thumbnails-1.jpg", "thumbnails-2.jpg", "thumbnails-3.jpg"])
  }

  @Test func `is bounded`() {
    #expect(
      fault(#""thumbnails": {"interval": "0.1"}"#, frameDuration: "1/5").contains("is shorter than a frame, which lasts 0.2"))
    #expect(
      fault(#""thumbnails": {"interval": "0.1", "width": 16}"#, seconds: 3600)
        .contains("export.thumbnails.interval: 36000 thumbnails are more than 10000"))
    #expect(
      fault(#""thumbnails": {"interval": "0.5", "width": 640, "columns": 20}"#, seconds: 600)
        .contains("export.thumbnails: a sheet would have 12800x7200 pixels"))
  }

  @Test func `of metadata for high range tells which the movie loses`() throws {
    var facts = try Assets.movie()
    var video = Assets.video(size: PixelSize(1280, 720), rate: MediaTime(seconds: 25), color: .bt2020PQ)
    video.dynamicHDR = [.hdr10Plus, .dolbyVision]
    facts.tracks[0].detail = .video(video)
    func warnings(_ video: String) throws -> [String] {
      let document = """
        {"spool": 1, "assets": {"v": {"path": "v"}},
         "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "v"}]}]},
         "export": {"video": {\(video)}}}
        """
      let edit = try Document(Array(document.utf8)).resolved(with: [AssetID("v"): facts])
      return edit.warnings.filter { $0.kind == .dynamicHDR }.map(\.description)
    }
    let lost = "which hold for its own pictures alone"
    #expect(
      try warnings(#""codec": "hevc", "bitDepth": 10"#) == [
        "assets.v: the movie does not have its HDR10+ metadata, \(lost)",
        "assets.v: the movie does not have its Dolby Vision metadata, \(lost)",
      ])
    #expect(
      try warnings(#""codec": "hevc", "bitDepth": 10, "copy": "auto""#)[0]
        == "assets.v: frames that are encoded lose its HDR10+ metadata, \(lost); copied ones keep them")
    #expect(
      try warnings(#""codec": "hevc", "bitDepth": 10, "copy": "require""#)
        == ["assets.v: the movie does not have its Dolby Vision metadata, \(lost)"])
    // A movie of standard range is made by the clip's static light, and has no such metadata.
    #expect(try warnings(#""codec": "h264""#) == [])
  }
}
