import AVFoundation
import Document
import FarmTesting
import Formats
import Foundation
import MediaTime
import SpoolCalls
import SpoolClient
import Testing
import Timeline

/// Most clips of phones have some hundredths of a second more of sound than of picture.
@Suite struct `A movie whose sound is longer than its picture` {
  private let composition = AVMutableComposition()
  private let asset: AVURLAsset
  private let picture: AVAssetTrack
  private let sound: AVAssetTrack

  init() throws {
    asset = try TestMedia.asset()
    picture = try #require(asset.tracks(withMediaType: .video).first)
    sound = try #require(asset.tracks(withMediaType: .audio).first)
  }

  private func track(_ kind: AVMediaType) throws -> AVMutableCompositionTrack {
    try #require(composition.addMutableTrack(withMediaType: kind, preferredTrackID: 0))
  }

  /// The segments of the first video track in the library's document, each as its times. The client must say the same.
  private func segments(_ video: AVVideoComposition? = nil) async throws -> [String] {
    let own = try composition.spoolDocument(videoComposition: video)
    let edit = SpoolEdit(composition, videoComposition: video)
    let text = try await edit.document { medium in
      if case .file(let url) = medium { .path(url.path) } else { .path("no picture") }
    }
    #expect(String(decoding: try Timeline.parse(Array(text)).canonicalJSON(), as: UTF8.self) == own)
    let timeline = try Timeline.parse(Array(own.utf8))
    let track = try #require(timeline.composition.tracks.first { $0.media == .video })
    return track.segments.map { segment in
      guard case .media(_, let mapping) = segment else { return "gap to \(segment.timeRange.end)" }
      return "\(mapping.source.start)+\(mapping.source.duration) to \(segment.timeRange.end)"
    }
  }

  @Test func `holds its last picture to the sound's end`() async throws {
    try track(.video).insertTimeRange(TestMedia.range(0, 10), of: picture, at: .zero)
    let heard = try track(.audio)
    try heard.insertTimeRange(TestMedia.range(0, 8), of: sound, at: .zero)
    #expect(try await segments() == ["0+1 to 1"])
    try heard.insertTimeRange(TestMedia.range(0, 4), of: sound, at: TestMedia.tenths(8))
    #expect(try await segments() == ["0+1 to 1", "0.999+0 to 1.2"])
  }

  @Test func `holds the last picture of two clips, and nothing in the gap between them`() async throws {
    let seen = try track(.video)
    try seen.insertTimeRange(TestMedia.range(0, 5), of: picture, at: .zero)
    try seen.insertTimeRange(TestMedia.range(0, 5), of: picture, at: TestMedia.tenths(6))
    seen.scaleTimeRange(TestMedia.range(6, 11), toDuration: TestMedia.tenths(2))
    let heard = try track(.audio)
    for start in [0, 6] as [Int64] { try heard.insertTimeRange(TestMedia.range(0, 6), of: sound, at: TestMedia.tenths(start)) }
    #expect(
      try await segments() == ["0+0.5 to 0.5", "gap to 0.6", "0+0.5 to 0.8", "0.499+0 to 1.2"])
  }

  @Test func `shows what a video composition says, or another track that goes on`() async throws {
    let seen = try track(.video)
    try seen.insertTimeRange(TestMedia.range(0, 5), of: picture, at: .zero)
    try track(.audio).insertTimeRange(TestMedia.range(0, 8), of: sound, at: .zero)
    let video = AVMutableVideoComposition()
    (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), CMTime(value: 1, timescale: 10))
    let instruction = AVMutableVideoCompositionInstruction()
    instruction.timeRange = TestMedia.range(0, 8)
    instruction.layerInstructions = [AVMutableVideoCompositionLayerInstruction(assetTrack: seen)]
    video.instructions = [instruction]
    #expect(try await segments(video) == ["0+0.5 to 0.5"])
    #expect(try await segments().count == 2)
    try track(.video).insertTimeRange(TestMedia.range(0, 6), of: picture, at: .zero)
    #expect(try await segments() == ["0+0.5 to 0.5"])
  }
}

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `Of a movie whose sound is longer than its picture` {
    @Test(arguments: [AVAssetExportPresetHighestQuality, AVAssetExportPreset640x480, AVAssetExportPresetPassthrough])
    func `has no black end`(preset: String) async throws {
      let directory = TemporaryDirectory()
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
      let clip = directory.file("phone.mov")
      try MediaTools.ffmpeg([
        "-f", "lavfi", "-i", "color=white:size=64x48:rate=25:duration=1", "-f", "lavfi", "-t", "1.08", "-i",
        "sine=440:sample_rate=48000",
        "-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "10", "-c:a", "pcm_s16le", clip,
      ])
      let asset = AVURLAsset(url: URL(fileURLWithPath: clip))
      let session = try #require(AVAssetExportSession(asset: asset, presetName: preset))
      let movie = directory.file("movie.mov")
      try await session.export(to: URL(fileURLWithPath: movie), as: .mov)
      let raw = movie + ".raw"
      try MediaTools.ffmpeg(["-i", movie, "-vf", "scale=1:1", "-f", "rawvideo", "-pix_fmt", "gray", raw])
      let lights = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
      #expect(lights.count == 27 && lights.allSatisfy { $0 > 200 }, "\(lights)")
    }
  }
}
