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

  @Test func `what is made of fields costs more than showing them as they are`() throws {
    #expect(try cost(.deinterlace, nil) == cost(.never))
    #expect(try cost(.deinterlace) > cost(.never))
    #expect(try cost(.inverseTelecine) > cost(.deinterlace))
  }
}
