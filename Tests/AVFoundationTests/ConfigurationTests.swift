import AVFoundation
import FarmTesting
import Foundation
import QuartzCore
import SpoolCalls
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `A composition of values` {
    private let directory = TemporaryDirectory()

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")]) }

    private func layers() -> (video: CALayer, parent: CALayer) {
      let (video, parent) = (CALayer(), CALayer())
      for layer in [video, parent] { layer.frame = CGRect(x: 0, y: 0, width: 64, height: 48) }
      parent.addSublayer(video)
      let mark = CALayer()
      mark.frame = CGRect(x: 4, y: 4, width: 8, height: 8)
      mark.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
      parent.addSublayer(mark)
      return (video, parent)
    }

    @Test func `says what the mutable classes say`() async throws {
      let edit = AVMutableComposition()
      try edit.insertTimeRange(TestMedia.range(0, 10), of: TestMedia.asset(), at: .zero)
      let track = try #require(edit.tracks(withMediaType: .video).first)
      let (small, crop) = (CGAffineTransform(scaleX: 0.5, y: 0.5), CGRect(x: 0, y: 0, width: 32, height: 48))
      typealias Layer = AVVideoCompositionLayerInstruction

      var layer = Layer.Configuration(assetTrack: track)
      layer.setTransform(small, at: .zero)
      layer.addTransformRamp(.init(timeRange: TestMedia.range(2, 6), start: small, end: .identity))
      layer.setCropRectangle(crop, at: .zero)
      layer.addCropRectangleRamp(
        .init(timeRange: TestMedia.range(6, 8), start: crop, end: CGRect(x: 0, y: 0, width: 64, height: 48)))
      layer.setOpacity(0.5, at: .zero)
      layer.addOpacityRamp(.init(timeRange: TestMedia.range(3, 5), start: 0.5, end: 1))
      let instruction = AVVideoCompositionInstruction(
        configuration: .init(
          backgroundColor: CGColor(red: 0, green: 0, blue: 1, alpha: 1),
          layerInstructions: [Layer(configuration: layer)], timeRange: TestMedia.range(0, 10)))
      let stage = layers()
      let video = AVVideoComposition(
        configuration: .init(
          animationTool: AVVideoCompositionCoreAnimationTool(
            configuration: .init(postProcessingAsVideoLayer: stage.video, containingLayer: stage.parent)),
          frameDuration: TestMedia.tenths(1), instructions: [instruction], renderSize: CGSize(width: 64, height: 48)))

      let other = AVMutableVideoCompositionLayerInstruction(assetTrack: track)
      other.setTransform(small, at: .zero)
      other.setTransformRamp(fromStart: small, toEnd: .identity, timeRange: TestMedia.range(2, 6))
      other.setCropRectangle(crop, at: .zero)
      other.setCropRectangleRamp(
        fromStartCropRectangle: crop, toEndCropRectangle: CGRect(x: 0, y: 0, width: 64, height: 48),
        timeRange: TestMedia.range(6, 8))
      other.setOpacity(0.5, at: .zero)
      other.setOpacityRamp(fromStartOpacity: 0.5, toEndOpacity: 1, timeRange: TestMedia.range(3, 5))
      let mutableInstruction = AVMutableVideoCompositionInstruction()
      mutableInstruction.timeRange = TestMedia.range(0, 10)
      mutableInstruction.backgroundColor = CGColor(red: 0, green: 0, blue: 1, alpha: 1)
      mutableInstruction.layerInstructions = [other]
      let mutable = AVMutableVideoComposition()
      (mutable.renderSize, mutable.frameDuration) = (CGSize(width: 64, height: 48), TestMedia.tenths(1))
      mutable.instructions = [mutableInstruction]
      let second = layers()
      mutable.animationTool = AVVideoCompositionCoreAnimationTool(postProcessingAsVideoLayer: second.video, in: second.parent)

      let said = try edit.spoolDocument(videoComposition: video)
      #expect(try said == edit.spoolDocument(videoComposition: mutable))
      #expect(said.contains("opacity") && said.contains("crop") && said.contains("transform"))
    }

    @Test func `gives the ramp of a time, as a value`() {
      typealias Layer = AVVideoCompositionLayerInstruction
      var layer = Layer.Configuration(trackID: 7)
      layer.setOpacity(0.25, at: TestMedia.tenths(2))
      layer.addOpacityRamp(.init(timeRange: TestMedia.range(4, 6), start: 0.25, end: 1))
      let ramp = Layer.OpacityRamp(timeRange: TestMedia.range(4, 6), start: 0.25, end: 1)
      #expect(layer.opacityRamp(at: TestMedia.tenths(5)) == ramp && layer.opacityRamp(at: TestMedia.tenths(6)) == nil)
      let made = Layer(configuration: layer)
      #expect(made.trackID == 7 && made.opacityRamp(at: TestMedia.tenths(5)) == ramp)
      let held = Layer.OpacityRamp(timeRange: TestMedia.range(2, 4), start: 0.25, end: 0.25)
      #expect(made.opacityRamp(at: .zero) == held && made.opacityRamp(at: TestMedia.tenths(3)) == held)
      #expect(made.transformRamp(at: .zero) == nil && made.cropRectangleRamp(at: .zero) == nil)
      // A copy of the value is another one.
      layer.setOpacity(1, at: TestMedia.tenths(5))
      #expect(made.opacityRamp(at: TestMedia.tenths(5)) == ramp)
    }

    @Test func `begins with what shows an asset, and with the prototype's colour`() async throws {
      let asset = try TestMedia.asset()
      let prototype = AVVideoCompositionInstruction(
        configuration: .init(backgroundColor: CGColor(red: 1, green: 0, blue: 0, alpha: 1), enablePostProcessing: false))
      let configuration = try await AVVideoComposition.Configuration(for: asset, prototypeInstruction: prototype)
      #expect(configuration.renderSize == CGSize(width: 64, height: 48) && configuration.frameDuration == TestMedia.tenths(1))
      let instruction = try #require(configuration.instructions.first as? AVVideoCompositionInstruction)
      #expect(instruction.backgroundColor == prototype.backgroundColor && !instruction.enablePostProcessing)
      #expect(instruction.timeRange == TestMedia.range(0, 10) && instruction.layerInstructions.count == 1)
      let plain = AVVideoComposition.Configuration()
      #expect(plain.frameDuration == CMTime.zero && plain.renderSize == CGSize.zero)
      #expect(plain.renderScale == 1 && plain.instructions.isEmpty)
      #expect(plain.sourceTrackIDForFrameTiming == kCMPersistentTrackID_Invalid && plain.animationTool == nil)
      let none = AVURLAsset(url: URL(fileURLWithPath: directory.file("none.mov")))
      await #expect(throws: AVError.self) { try await AVVideoComposition.Configuration(for: none) }
    }

    @Test func `has an instruction for each change of the tracks that are seen`() throws {
      let (asset, edit) = (try TestMedia.asset(), AVMutableComposition())
      let tracks = try (0..<2).map { _ in
        try #require(edit.addMutableTrack(withMediaType: .video, preferredTrackID: kCMPersistentTrackID_Invalid))
      }
      let source = try #require(asset.tracks(withMediaType: .video).first)
      // The two tracks are seen together between 0.8 and 1 s, and nothing between 1.8 and 2 s.
      try tracks[0].insertTimeRange(TestMedia.range(0, 10), of: source, at: .zero)
      try tracks[1].insertTimeRange(TestMedia.range(0, 10), of: source, at: TestMedia.tenths(8))
      try tracks[0].insertTimeRange(TestMedia.range(0, 5), of: source, at: TestMedia.tenths(20))
      let video = AVVideoComposition(propertiesOf: edit)
      let instructions = try #require(video.instructions as? [AVVideoCompositionInstruction])
      let edges: [Int64] = [0, 8, 10, 18, 20, 25]
      let ranges: [CMTimeRange] = zip(edges, edges.dropFirst()).map { TestMedia.range($0, $1) }
      let found: [CMTimeRange] = instructions.map(\.timeRange)
      #expect(found == ranges)
      let (a, b) = (tracks[0].trackID, tracks[1].trackID)
      let wanted: [[CMPersistentTrackID]] = [[a], [a, b], [b], [], [a]]
      let seen: [[CMPersistentTrackID]] = instructions.map { $0.layerInstructions.map(\.trackID) }
      #expect(seen == wanted)
      #expect(video.isValid(for: edit, timeRange: CMTimeRange(start: .zero, duration: edit.duration), validationDelegate: nil))
      _ = try edit.spoolDocument(videoComposition: video)
    }

    @Test func `is refused by name for samples as they are stored`() throws {
      let asset = try TestMedia.asset()
      let video = AVVideoComposition(
        configuration: .init(
          frameDuration: TestMedia.tenths(1), renderSize: CGSize(width: 64, height: 48), sourceSampleDataTrackIDs: [3]))
      let error = #expect(throws: AVError.self) { try asset.spoolDocument(videoComposition: video) }
      #expect(error?.reason.contains("sourceSampleDataTrackIDs") == true)
    }

    @Test(.timeLimit(.minutes(10))) func `filters by an asynchronous function, in several readers at once`() async throws {
      let asset = try TestMedia.asset()
      let filtered = try await AVVideoComposition(applyingFiltersTo: asset) { parameters in
        await Task.yield()
        guard parameters.compositionTime < .positiveInfinity, parameters.renderSize == parameters.sourceImage.extent.size else {
          throw CocoaError(.featureUnsupported)
        }
        return AVCIImageFilteringResult(resultImage: parameters.sourceImage.applyingFilter("CIColorInvert"))
      }
      let handled = AVVideoComposition(asset: asset) { request in
        request.finish(with: request.sourceImage.applyingFilter("CIColorInvert"), context: nil)
      }
      let wanted = try pictures(asset, handled)
      #expect(wanted.count == 10)
      // As many tasks wait for frames as there are threads for tasks, and more.
      try await withThrowingTaskGroup(of: [[UInt8]].self) { group in
        for _ in 0..<6 {
          nonisolated(unsafe) let filtered = filtered  // Nobody changes it.
          group.addTask { try unsafe self.pictures(asset, filtered) }
        }
        for try await made in group { #expect(made == wanted) }
      }
    }

    private func pictures(_ asset: AVAsset, _ video: AVVideoComposition) throws -> [[UInt8]] {
      let reader = try AVAssetReader(asset: asset)
      let output = AVAssetReaderVideoCompositionOutput(
        videoTracks: asset.tracks(withMediaType: .video),
        videoSettings: [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA])
      output.videoComposition = video
      reader.add(output)
      #expect(reader.startReading(), "\(String(describing: reader.error))")
      var found: [[UInt8]] = []
      while let next = output.copyNextSampleBuffer() { found.append(try #require(next.imageBuffer).planarSamples()) }
      #expect(reader.status == .completed, "\(String(describing: reader.error))")
      return found
    }
  }
}
