import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `A composition that filters pictures` {
    private let directory = TemporaryDirectory()

    init() throws {
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable, "SPOOL_DATA": directory.file("data")])
      #expect(unsafe chmod(directory.path, 0o755) == 0)
    }

    private static let settings = [kCVPixelBufferPixelFormatTypeKey as String: kCVPixelFormatType_32BGRA]

    private func pictures(_ output: AVAssetReaderOutput, _ reader: AVAssetReader) throws -> [CVPixelBuffer] {
      reader.add(output)
      #expect(reader.startReading(), "\(String(describing: reader.error))")
      var found: [CVPixelBuffer] = []
      while let next = output.copyNextSampleBuffer() { found.append(try #require(next.imageBuffer)) }
      #expect(reader.status == .completed, "\(String(describing: reader.error))")
      return found
    }

    private func composed(_ asset: AVAsset, _ video: AVVideoComposition) throws -> [CVPixelBuffer] {
      let output = AVAssetReaderVideoCompositionOutput(
        videoTracks: asset.tracks(withMediaType: .video), videoSettings: Self.settings)
      output.videoComposition = video
      return try pictures(output, AVAssetReader(asset: asset))
    }

    @Test func `gives each picture to the function, and shows what that makes of it`() throws {
      let asset = try TestMedia.asset()
      let video = AVVideoComposition(asset: asset) { request in
        request.finish(with: request.sourceImage.applyingFilter("CIColorInvert"), context: nil)
      }
      #expect(video.renderSize == CGSize(width: 64, height: 48) && video.frameDuration == TestMedia.tenths(1))
      let plain = AVVideoComposition(asset: asset) { $0.finish(with: $0.sourceImage, context: CIContext()) }
      let stored = try pictures(
        AVAssetReaderTrackOutput(track: #require(asset.tracks.first), outputSettings: Self.settings), AVAssetReader(asset: asset))
      let (inverted, same) = (try composed(asset, video), try composed(asset, plain))
      try #require(inverted.count == 10 && same.count == 10 && stored.count == 10)
      for index in 0..<10 {
        #expect(same[index].planarSamples() == stored[index].planarSamples(), "frame \(index)")
        // Core Image inverts light, which is linear, and not codes: black becomes white, and what is bright becomes dark.
        #expect(inverted[index].planarSamples() != stored[index].planarSamples(), "frame \(index)")
      }
    }

    @Test func `turns a picture upright before it is filtered`() throws {
      let asset = try TestMedia.asset(turned: true)
      let video = AVMutableVideoComposition(asset: asset) { request in
        let image = request.sourceImage
        guard image.extent == CGRect(x: 0, y: 0, width: 48, height: 64), request.renderSize == image.extent.size else {
          return request.finish(with: CocoaError(.featureUnsupported))
        }
        request.finish(with: image, context: nil)
      }
      #expect(video.renderSize == CGSize(width: 48, height: 64))
      let made = try composed(asset, video)
      try #require(made.count == 10)
      let stored = try pictures(
        AVAssetReaderTrackOutput(track: #require(asset.tracks.first), outputSettings: Self.settings), AVAssetReader(asset: asset))
      // A quarter clockwise: the left column, from its foot up, becomes the top row.
      let (from, to) = (try #require(bytes(stored[0])), try #require(bytes(made[0])))
      for x in 0..<48 { #expect(to(x, 0) == from(0, 47 - x), "column \(x)") }
    }

    private func bytes(_ picture: CVPixelBuffer) -> ((Int, Int) -> [UInt8])? {
      guard let base = unsafe CVPixelBufferGetBaseAddress(picture) else { return nil }
      let stride = CVPixelBufferGetBytesPerRow(picture)
      return { x, y in (0..<4).map { unsafe base.load(fromByteOffset: y * stride + x * 4 + $0, as: UInt8.self) } }
    }

    @Test func `fails with the error that the function gives`() async throws {
      let asset = try TestMedia.asset()
      let video = try await AVVideoComposition.videoComposition(
        with: asset, applyingCIFiltersWithHandler: { $0.finish(with: CocoaError(.featureUnsupported)) })
      let session = try #require(AVAssetExportSession(asset: asset, presetName: AVAssetExportPresetHighestQuality))
      session.videoComposition = video
      let url = URL(fileURLWithPath: directory.file("movie.mov"))
      let error = await #expect(throws: AVError.self) { try await session.export(to: url, as: .mov) }
      #expect(error?.code == .videoCompositorFailed)
    }
  }
}
