import Document
import Formats
import MediaTime
import Scenes
import Scheduling
import Testing
import Timeline

/// The cost that a frame of an edit is expected to have.
struct CostProfileTests {
  /// The seconds of a frame of an edit with one clip, which has fields in this order.
  private func cost(_ interlace: AssetTreatment.Interlace, _ order: FieldOrder? = .topFirst) throws -> Double {
    let size = PixelSize(720, 480)
    let video = VideoFacts(
      naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1),
      nominalFrameRate: try MediaTime(30_000, 1001), pixelFormat: "yuv420p", bitDepth: 8, color: .bt709, fieldOrder: order)
    let range = try MediaTimeRange(start: .zero, duration: MediaTime(10))
    let track = TrackFacts(index: 0, codec: "mpeg2video", naturalTimeScale: 90_000, timeRange: range, detail: .video(video))
    let facts = AssetFacts(container: "mpegts", duration: try MediaTime(10), byteCount: 1, tracks: [track])
    let document = """
      {"spool": 1, "assets": {"v": {"path": "v.ts", "interlace": "\(interlace.rawValue)"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "v", "source": {"start": "0", "duration": "10"}}]}]}}
      """
    let edit = try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("v"): facts])
    return try CostProfile(of: edit).spans[0].secondsPerFrame
  }

  /// The profile of ten minutes with a script, whose events are these.
  private func profile(_ events: String) throws -> CostProfile {
    let size = PixelSize(1920, 1080)
    let video = VideoFacts(
      naturalSize: size, displaySize: size, orientation: .up, pixelAspect: PixelSize(1, 1),
      nominalFrameRate: try MediaTime(1, 25),
      pixelFormat: "yuv420p", bitDepth: 8, color: .bt709)
    let range = try MediaTimeRange(start: .zero, duration: MediaTime(seconds: 600))
    let track = TrackFacts(index: 0, codec: "h264", naturalTimeScale: 90_000, timeRange: range, detail: .video(video))
    let facts = AssetFacts(container: "mov", duration: MediaTime(seconds: 600), byteCount: 1, tracks: [track])
    let setup = #"[Script Info]\n[V4+ Styles]\nFormat: Name, Fontname, Fontsize\nStyle: A,DejaVu Sans,40\n[Events]\n"#
    let format = #"Format: Layer, Start, End, Style, Text\n"#
    let captions = events.isEmpty ? "" : #""captions": [{"script": "\#(setup)\#(format)\#(events)", "drawnBy": "libass"}],"#
    let document = """
      {"spool": 1, "assets": {"v": {"path": "v.mp4"}}, \(captions)
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "v", "source": {"start": "0", "duration": "600"}}]}]},
       "videoComposition": {"renderSize": [1920, 1080], "frameDuration": "1/25", "color": "bt709",
         "instructions": [{"layerInstructions": [{"track": "V"}]}]}}
      """
    return try CostProfile(of: Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("v"): facts]))
  }

  @Test func `a script whose picture moves costs a renderer for each frame, and one that stays nearly nothing`() throws {
    let plain = try profile("")
    #expect(plain.spans.count == 1)
    let still = try profile(#"Dialogue: 0,0:01:40.00,0:03:20.00,A,stays\n"#)
    #expect(still.totalSeconds - plain.totalSeconds < 0.02 * 2_500 * 7e-3)
    // 100 s of 25 frames, of about 7 ms each.
    let moving = try profile(#"Dialogue: 0,0:01:40.00,0:03:20.00,A,{\\move(0,0,900,900)}moves\n"#)
    let more = moving.totalSeconds - plain.totalSeconds
    #expect((0.95...1.05).contains(more / (2_500 * 7e-3)), "\(more)")
    // The cost is where the script is.
    let dear = moving.spans.filter { $0.secondsPerFrame > plain.spans[0].secondsPerFrame + 3e-3 }
    #expect(dear.first?.frames.lowerBound == 2_500 && dear.last?.frames.upperBound == 5_000)
    #expect(moving.spans.allSatisfy { !$0.startsAtCut } && moving.frameCount == 15_000)
  }

  @Test func `what is made of fields costs more than showing them as they are`() throws {
    #expect(try cost(.deinterlace, nil) == cost(.never))
    #expect(try cost(.deinterlace) > cost(.never))
    #expect(try cost(.inverseTelecine) > cost(.deinterlace))
  }
}
