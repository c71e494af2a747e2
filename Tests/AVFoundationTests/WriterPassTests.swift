import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Synchronization
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `The pass of an input` {
    private let directory = TemporaryDirectory()

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    private func writer(_ name: String) throws -> (AVAssetWriter, AVAssetWriterInput, AVAssetWriterInputPixelBufferAdaptor) {
      let writer = try AVAssetWriter(url: URL(fileURLWithPath: directory.file(name)), fileType: .mov)
      let settings: [String: Any] = [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 64, AVVideoHeightKey: 48]
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      input.performsMultiPassEncodingIfSupported = true
      writer.add(input)
      return (writer, input, AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input))
    }

    private func picture() throws -> CVPixelBuffer {
      var made: CVPixelBuffer?
      #expect(unsafe CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
      return try #require(made)
    }

    @Test func `asks for everything once, and then says that nothing follows`() async throws {
      let (writer, input, adaptor) = try writer("passes.mov")
      #expect(input.currentPassDescription == nil && !input.canPerformMultiplePasses)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      #expect(!input.canPerformMultiplePasses)
      let picture = try picture()
      let seen = Mutex<[[CMTimeRange]?]>([])
      let (calls, done) = AsyncStream.makeStream(of: Void.self)
      input.respondToEachPassDescription(on: DispatchQueue(label: "passes")) {
        let ranges = input.currentPassDescription?.sourceTimeRanges.map(\.timeRangeValue)
        seen.withLock { $0.append(ranges) }
        if ranges == nil {
          input.markAsFinished()
          return done.finish()
        }
        for tenth in 0..<5 { #expect(adaptor.append(picture, withPresentationTime: TestMedia.tenths(Int64(tenth)))) }
        input.markCurrentPassAsFinished()
        #expect(!input.isReadyForMoreMediaData && input.currentPassDescription == nil)
      }
      for await _ in calls {}
      #expect(seen.withLock(\.self) == [[CMTimeRange(start: .zero, duration: .positiveInfinity)], nil])
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let count = try MediaTools.ffprobe([
        "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", writer.outputURL.path,
      ])
      #expect(count == "5\n")
    }

    @Test func `is in a session that begins once, or again at the same time`() throws {
      let (writer, _, _) = try writer("sessions.mov")
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      for _ in 0..<2 { writer.startSession(atSourceTime: .zero) }
      #expect(writer.status == .writing)
      writer.startSession(atSourceTime: TestMedia.tenths(1))
      #expect(writer.status == .failed)
    }

    @Test func `fails the writing where it is called out of order`() throws {
      func error(_ name: String, _ call: (AVAssetWriter, AVAssetWriterInput) -> Void) throws -> String? {
        let (writer, input, _) = try writer(name)
        call(writer, input)
        #expect(writer.status == .failed)
        return (writer.error as? AVError)?.reason.prefix { $0 != "(" && $0 != ":" }.description
      }
      let queue = DispatchQueue(label: "passes")
      #expect(try error("1.mov") { $1.markCurrentPassAsFinished() } == "markCurrentPassAsFinished")
      #expect(try error("2.mov") { $1.respondToEachPassDescription(on: queue) {} } == "respondToEachPassDescription")
      let twice = try error("3.mov") { writer, input in
        #expect(writer.startWriting(), "\(String(describing: writer.error))")
        for _ in 0..<2 { input.markCurrentPassAsFinished() }
      }
      #expect(twice == "markCurrentPassAsFinished")
      let late = try error("4.mov") { writer, input in
        #expect(writer.startWriting(), "\(String(describing: writer.error))")
        input.performsMultiPassEncodingIfSupported = false
      }
      #expect(late == "performsMultiPassEncodingIfSupported")
      let again = try error("5.mov") { writer, input in
        #expect(writer.startWriting(), "\(String(describing: writer.error))")
        for _ in 0..<2 { input.respondToEachPassDescription(on: queue) {} }
      }
      #expect(again == "respondToEachPassDescription")
    }
  }
}
