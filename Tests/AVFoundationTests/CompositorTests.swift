import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

/// An instruction with values of its own.
private final class DissolveInstruction: NSObject, AVVideoCompositionInstructionProtocol {
  let passthroughTrackID = kCMPersistentTrackID_Invalid
  var requiredSourceTrackIDs: [NSValue]? { [from, to] as [NSValue] }
  let containsTweening = true
  let timeRange: CMTimeRange
  let enablePostProcessing: Bool
  let (from, to): (CMPersistentTrackID, CMPersistentTrackID)

  init(from: CMPersistentTrackID, to: CMPersistentTrackID, _ timeRange: CMTimeRange, isProcessed: Bool = false) {
    (self.from, self.to, self.timeRange, enablePostProcessing) = (from, to, timeRange, isProcessed)
  }
}

/// A dissolve of packed pictures.
private class Dissolve: NSObject, AVVideoCompositing {
  private let queue = DispatchQueue(label: "dissolve")
  private var context: AVVideoCompositionRenderContext?

  var sourcePixelBufferAttributes: [String: Any]? {
    [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]
  }
  var requiredPixelBufferAttributesForRenderContext: [String: Any] {
    [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]
  }

  override init() { super.init() }
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) { context = newRenderContext }

  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    let context = context
    queue.async {
      guard let instruction = request.videoCompositionInstruction as? DissolveInstruction,
        let from = request.sourceFrame(byTrackID: instruction.from), let to = request.sourceFrame(byTrackID: instruction.to),
        let result = context?.newPixelBuffer()
      else { return request.finish(with: NSError(domain: "Dissolve", code: 1)) }
      let passed = request.compositionTime - instruction.timeRange.start
      let share = passed.seconds / instruction.timeRange.duration.seconds
      blend(from, to, share, into: result)
      request.finish(withComposedVideoFrame: result)
    }
  }
}

/// The same with attributes that are Sendable, and optional ones.
private final class SendableDissolve: Dissolve {}
private final class NewerCompositor: NSObject, AVVideoCompositing {
  let sourcePixelBufferAttributes: [String: any Sendable]? = [
    kCVPixelBufferPixelFormatTypeKey as String: [kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange]
  ]
  let requiredPixelBufferAttributesForRenderContext: [String: any Sendable] = [
    kCVPixelBufferPixelFormatTypeKey as String: [kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange]
  ]
  /// The number of contexts that it was given, each before the first request that it is for.
  private(set) var contexts = 0
  func renderContextChanged(_ newRenderContext: AVVideoCompositionRenderContext) { contexts += 1 }
  func startRequest(_ request: AVAsynchronousVideoCompositionRequest) {
    guard let id = request.sourceTrackIDs.first?.int32Value, let frame = request.sourceFrame(byTrackID: id) else {
      return request.finishCancelledRequest()
    }
    request.finish(withComposedVideoFrame: frame)
  }
}

private func blend(_ from: CVPixelBuffer, _ to: CVPixelBuffer, _ share: Double, into result: CVPixelBuffer) {
  let count = CVPixelBufferGetBytesPerRow(result) * CVPixelBufferGetHeight(result)
  guard let a = unsafe CVPixelBufferGetBaseAddress(from), let b = unsafe CVPixelBufferGetBaseAddress(to),
    let c = unsafe CVPixelBufferGetBaseAddress(result)
  else { return }
  for index in 0..<count {
    let (x, y) = unsafe (a.load(fromByteOffset: index, as: UInt8.self), b.load(fromByteOffset: index, as: UInt8.self))
    let mixed = Double(x) * (1 - share) + Double(y) * share
    unsafe c.storeBytes(of: UInt8(mixed.rounded()), toByteOffset: index, as: UInt8.self)
  }
}

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `A compositor of one's own` {
    private let directory = TemporaryDirectory()
    private let composition = AVMutableComposition()
    private let video = AVMutableVideoComposition()

    init() throws {
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      let source = try #require(TestMedia.asset().tracks(withMediaType: .video).first)
      for start in [Int64(0), 5] {
        let track = try #require(
          composition.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid))
        try track.insertTimeRange(TestMedia.range(start, start + 5), of: source, at: .zero)
      }
      (video.renderSize, video.frameDuration) = (CGSize(width: 64, height: 48), TestMedia.tenths(1))
      video.instructions = [DissolveInstruction(from: 1, to: 2, TestMedia.range(0, 5))]
    }

    /// The frames of a range of the test's clip, in BGRA.
    private func frames(_ start: Int64, _ end: Int64) throws -> [CVPixelBuffer] {
      let reader = try AVAssetReader(asset: TestMedia.asset())
      reader.timeRange = TestMedia.range(start, end)
      let track = try #require(reader.asset.tracks(withMediaType: .video).first)
      return try pictures(
        AVAssetReaderTrackOutput(
          track: track, outputSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]), reader)
    }

    private func pictures(_ output: AVAssetReaderOutput, _ reader: AVAssetReader) throws -> [CVPixelBuffer] {
      reader.add(output)
      #expect(reader.startReading(), "\(String(describing: reader.error))")
      var found: [CVPixelBuffer] = []
      while let next = output.copyNextSampleBuffer() { found.append(try #require(next.imageBuffer)) }
      #expect(reader.status == .completed, "\(String(describing: reader.error))")
      return found
    }

    @Test(arguments: [Dissolve.self, SendableDissolve.self])
    private func `makes the frames that a reader gives`(_ kind: Dissolve.Type) throws {
      video.customVideoCompositorClass = kind
      let output = AVAssetReaderVideoCompositionOutput(
        videoTracks: composition.tracks(withMediaType: .video),
        videoSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
      output.videoComposition = video
      let made = try pictures(output, AVAssetReader(asset: composition))
      let (from, to) = (try frames(0, 5), try frames(5, 10))
      try #require(made.count == 5 && from.count == 5 && to.count == 5)
      for index in 0..<5 {
        var expected: CVPixelBuffer?
        #expect(unsafe CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &expected) == kCVReturnSuccess)
        let picture = try #require(expected)
        blend(from[index], to[index], Double(index) / 5, into: picture)
        #expect(picture.planarSamples() == made[index].planarSamples(), "frame \(index)")
      }
    }

    @Test func `makes the movie that is exported, with either form of its attributes`() async throws {
      video.customVideoCompositorClass = Dissolve.self
      let movie = directory.file("movie.mov")
      let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
      session.videoComposition = video
      try await session.export(to: URL(fileURLWithPath: movie), as: .mov)
      #expect(session.progress == 1)
      let shown = try MediaTools.ffprobe([
        "-count_frames", "-show_entries", "stream=codec_name,width,height,nb_read_frames,duration", "-of", "csv=p=0", movie,
      ])
      #expect(shown.contains("h264,64,48,0.500000,5"))
      video.customVideoCompositorClass = NewerCompositor.self
      let plain = directory.file("plain.mov")
      let second = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
      second.videoComposition = video
      try await second.export(to: URL(fileURLWithPath: plain), as: .mov)
      try expectClip(0..<5, in: plain)
      let part = directory.file("part.mov")
      let third = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
      (third.videoComposition, third.timeRange) = (video, TestMedia.range(2, 5))
      try await third.export(to: URL(fileURLWithPath: part), as: .mov)
      try expectClip(2..<5, in: part)
    }

    /// Expects that the movie has these frames of the test's clip: the compositor passes the first track on.
    private func expectClip(_ frames: Range<Int>, in movie: String) throws {
      let own = directory.file("own.raw")
      try MediaTools.ffmpeg(["-i", movie, "-f", "rawvideo", "-pix_fmt", "yuv420p", own])
      let theirs = directory.file("theirs.raw")
      let clip = try TestMedia.clip.get().path
      let chosen = "trim=start_frame=\(frames.lowerBound):end_frame=\(frames.upperBound),setpts=PTS-STARTPTS"
      try MediaTools.ffmpeg(["-i", clip, "-vf", chosen, "-f", "rawvideo", "-pix_fmt", "yuv420p", theirs])
      let bytes = try [own, theirs].map { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) }
      try #require(bytes[0].count == frames.count * 64 * 48 * 3 / 2 && bytes[0].count == bytes[1].count)
      let error = zip(bytes[0], bytes[1]).reduce(0.0) { $0 + pow(Double($1.0) - Double($1.1), 2) } / Double(bytes[0].count)
      #expect(10 * log10(255 * 255 / max(error, 1e-9)) > 36, "\(error)")
    }

    @Test func `is there before the export begins`() async throws {
      video.customVideoCompositorClass = NewerCompositor.self
      let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
      #expect(session.customVideoCompositor == nil)
      session.videoComposition = video
      let known = try #require(session.customVideoCompositor as? NewerCompositor)
      #expect(session.customVideoCompositor === known && known.contexts == 0)
      try await session.export(to: URL(fileURLWithPath: directory.file("known.mov")), as: .mov)
      #expect(known.contexts == 1)
      video.customVideoCompositorClass = Dissolve.self
      #expect(session.customVideoCompositor === known)
      session.videoComposition = video
      #expect(session.customVideoCompositor is Dissolve)
    }

    @Test func `fails with the time and the reason`() async throws {
      video.instructions = [DissolveInstruction(from: 1, to: 9, TestMedia.range(0, 5))]
      video.customVideoCompositorClass = Dissolve.self
      let session = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
      session.videoComposition = video
      let url = URL(fileURLWithPath: directory.file("none.mov"))
      let error = await #expect(throws: AVError.self) { try await session.export(to: url, as: .mov) }
      #expect(error?.code == .videoCompositorFailed && error?.time == .zero)
      #expect(!FileManager.default.fileExists(atPath: url.path))
      video.instructions = [DissolveInstruction(from: 1, to: 2, TestMedia.range(0, 3))]
      let short = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
      short.videoComposition = video
      let gap = await #expect(throws: AVError.self) { try await short.export(to: url, as: .mov) }
      #expect(gap?.code == .invalidVideoComposition && gap?.time == TestMedia.tenths(3))
      video.instructions = [
        DissolveInstruction(from: 1, to: 2, TestMedia.range(0, 3)),
        DissolveInstruction(from: 1, to: 2, TestMedia.range(3, 5), isProcessed: true),
      ]
      video.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: CALayer(), in: CALayer())
      let mixed = try #require(AVAssetExportSession(asset: composition, presetName: AVAssetExportPresetHighestQuality))
      mixed.videoComposition = video
      let refused = await #expect(throws: AVError.self) { try await mixed.export(to: url, as: .mov) }
      #expect(refused?.code == .operationNotAllowed && refused?.property == "enablePostProcessing")
    }
  }
}
