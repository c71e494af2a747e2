import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  /// Pictures of 64 x 48, red above and blue below, in a writer of another size.
  @Suite(.serialized) struct `Beside a writer that scales its pictures` {
    private let directory = TemporaryDirectory()

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    private func picture() throws -> CVPixelBuffer {
      var made: CVPixelBuffer?
      #expect(unsafe CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
      let buffer = try #require(made)
      CVPixelBufferLockBaseAddress(buffer, [])
      defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
      let base = unsafe try #require(CVPixelBufferGetBaseAddress(buffer))
      for (x, y) in (0..<48).flatMap({ y in (0..<64).map { ($0, y) } }) {
        let place = y * CVPixelBufferGetBytesPerRow(buffer) + x * 4
        unsafe base.storeBytes(of: y < 24 ? 0xFFFF_0000 : 0xFF00_00FF, toByteOffset: place, as: UInt32.self)
      }
      return buffer
    }

    private func frame(_ mode: String, _ width: Int, _ height: Int) async throws -> LayerStage.Frame {
      let url = URL(fileURLWithPath: directory.file("\(mode)-\(width)-\(height).mov"))
      let writer = try AVAssetWriter(url: url, fileType: .mov)
      let input = AVAssetWriterInput(
        mediaType: .video,
        outputSettings: [
          AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: width, AVVideoHeightKey: height,
          AVVideoScalingModeKey: mode,
        ])
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil)
      #expect(writer.canAdd(input))
      writer.add(input)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      for index in 0..<2 as Range<Int64> {
        #expect(adaptor.append(try picture(), withPresentationTime: TestMedia.tenths(index)))
      }
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      return try ExportedMovie.frame(1, of: url.path)
    }

    @Test func `lays black above and below, or beside them, with ResizeAspect`() async throws {
      let tall = try await frame(AVVideoScalingModeResizeAspect, 96, 96)
      #expect(tall.width == 96 && tall.height == 96)
      // The picture has 72 rows, and 12 of black on either side.
      for (y, color) in [(6, black), (30, blue), (66, red), (90, black)] {
        #expect(tall.has(color, 48, y, within: 24), "\(y): \(tall.pixel(48, y))")
      }
      let wide = try await frame(AVVideoScalingModeResizeAspect, 96, 36)
      for (x, color) in [(12, black), (30, red), (66, red), (84, black)] {
        #expect(wide.has(color, x, 27, within: 24), "\(x): \(wide.pixel(x, 27))")
      }
    }

    @Test func `makes the movie smaller with Fit, and no larger than they are`() async throws {
      let small = try await frame(AVVideoScalingModeFit, 32, 96)
      #expect(small.width == 32 && small.height == 24)
      #expect(small.has(red, 16, 18, within: 24) && small.has(blue, 16, 5, within: 24))
      let same = try await frame(AVVideoScalingModeFit, 128, 128)
      #expect(same.width == 64 && same.height == 48)
    }
  }
}
