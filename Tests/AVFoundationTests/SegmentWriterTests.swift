import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Synchronization
import Testing

/// Keeps the pieces that a writer gives.
private final class Receiver: NSObject, AVAssetWriterDelegate, Sendable {
  let pieces = Mutex<[(data: Data, type: AVAssetSegmentType, report: AVAssetSegmentReport?)]>([])
  private let coming = DispatchSemaphore(value: 0)

  func assetWriter(
    _ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType,
    segmentReport: AVAssetSegmentReport?
  ) {
    pieces.withLock { $0.append((segmentData, segmentType, segmentReport)) }
    coming.signal()
  }

  /// Waits until so many more pieces, the opening among them, have come.
  ///
  /// - Returns: false where they have not come in a minute.
  func wait(for count: Int) -> Bool { (0..<count).allSatisfy { _ in coming.wait(timeout: .now() + 60) == .success } }
}

/// Counts what the form of the function without a report is given.
private final class Counter: NSObject, AVAssetWriterDelegate, Sendable {
  let types = Mutex<[AVAssetSegmentType]>([])

  func assetWriter(_ writer: AVAssetWriter, didOutputSegmentData segmentData: Data, segmentType: AVAssetSegmentType) {
    types.withLock { $0.append(segmentType) }
  }
}

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `A writer of pieces` {
    private let directory = TemporaryDirectory()
    private let settings: [String: Any] = [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 64, AVVideoHeightKey: 48]

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    private func tenths(_ value: Int64) -> CMTime { TestMedia.tenths(value) }

    private func writer(_ receiver: any AVAssetWriterDelegate) -> AVAssetWriter {
      let writer = AVAssetWriter(contentType: .mpeg4Movie)
      writer.outputFileTypeProfile = .mpeg4AppleHLS
      writer.delegate = receiver
      return writer
    }

    /// Adds an input of pictures to a writer.
    private func pictures(_ writer: AVAssetWriter) -> AVAssetWriterInputPixelBufferAdaptor {
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: settings)
      writer.add(input)
      return AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: input, sourcePixelBufferAttributes: nil)
    }

    private func gray() throws -> CVPixelBuffer {
      var made: CVPixelBuffer?
      #expect(unsafe CVPixelBufferCreate(nil, 64, 48, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
      return try #require(made)
    }

    private func silence(_ count: Int, at time: CMTime) throws -> CMSampleBuffer {
      try sound([UInt8](repeating: 0, count: count * 2), at: time)
    }

    /// Sound of 16 bits, one channel, at 48 kHz.
    private func sound(_ bytes: [UInt8], at time: CMTime) throws -> CMSampleBuffer {
      let form = AudioStreamBasicDescription(
        mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM,
        mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: 2, mFramesPerPacket: 1,
        mBytesPerFrame: 2, mChannelsPerFrame: 1, mBitsPerChannel: 16, mReserved: 0)
      return try CMSampleBuffer(
        dataBuffer: CMBlockBuffer(bytes), formatDescription: CMFormatDescription(sound: form), numSamples: bytes.count / 2,
        sampleTimings: [
          CMSampleTimingInfo(
            duration: CMTime(value: 1, timescale: 48_000), presentationTimeStamp: time, decodeTimeStamp: .invalid)
        ],
        sampleSizes: [2])
    }

    /// The number of pictures in pieces that are put together, and the time of the first one, as FFmpeg has them.
    private func seen(_ pieces: [Data]) throws -> [String] {
      let path = directory.file("joined.mp4")
      try Data(pieces.joined()).write(to: URL(fileURLWithPath: path))
      let words = try MediaTools.ffprobe([
        "-select_streams", "v", "-count_frames", "-show_entries", "stream=start_time,nb_read_frames", "-of", "csv=p=0", path,
      ])
      return words.split(whereSeparator: { ",\n".contains($0) }).map(String.init)
    }

    @Test func `gives a movie of pictures and sound in pieces that are played at the times of the source`() async throws {
      let receiver = Receiver()
      let writer = writer(receiver)
      writer.preferredOutputSegmentInterval = CMTime(value: 1, timescale: 1)
      writer.initialSegmentStartTime = tenths(100)
      let adaptor = pictures(writer)
      let sound = AVAssetWriterInput(
        mediaType: .audio,
        outputSettings: [AVFormatIDKey: Int(kAudioFormatMPEG4AAC), AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1])
      writer.add(sound)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: tenths(100))
      let picture = try gray()
      for index in 0..<25 { #expect(adaptor.append(picture, withPresentationTime: tenths(100 + Int64(index)))) }
      #expect(sound.append(try silence(120_000, at: tenths(100))))
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let pieces = receiver.pieces.withLock(\.self)
      #expect(pieces.map(\.type) == [.initialization, .separable, .separable, .separable] && pieces[0].report == nil)
      let tracks = pieces.dropFirst().compactMap { $0.report?.trackReports.first { $0.mediaType == .video } }
      #expect(tracks.map(\.earliestPresentationTimeStamp) == [100, 110, 120].map { tenths($0) })
      #expect(tracks.map(\.duration) == [10, 10, 5].map { tenths($0) })
      #expect(tracks.allSatisfy { $0.firstVideoSampleInformation?.isSyncSample == true })
      #expect(try seen(pieces.map(\.data)) == ["10.000000", "25"])
      let heard = pieces.dropFirst().compactMap { $0.report?.trackReports.first { $0.mediaType == .audio } }
      #expect(heard.first?.earliestPresentationTimeStamp == tenths(100))
    }

    @Test func `ends pieces where it is told to`() async throws {
      let (receiver, counter) = (Receiver(), Counter())
      for delegate in [receiver, counter] as [any AVAssetWriterDelegate] {
        let writer = writer(delegate)
        writer.preferredOutputSegmentInterval = .indefinite
        let adaptor = pictures(writer)
        #expect(writer.startWriting(), "\(String(describing: writer.error))")
        writer.startSession(atSourceTime: .zero)
        let picture = try gray()
        for index in 0..<10 {
          if index == 7 { writer.flushSegment() }
          #expect(adaptor.append(picture, withPresentationTime: tenths(Int64(index))))
        }
        await writer.finishWriting()
        #expect(writer.status == .completed, "\(String(describing: writer.error))")
      }
      let durations = receiver.pieces.withLock(\.self).dropFirst().map { $0.report?.trackReports.first?.duration }
      #expect(durations == [tenths(7), tenths(3)])
      #expect(counter.types.withLock(\.self) == [.initialization, .separable, .separable])
    }

    /// An input of sound that a writer has.
    private func sounds(_ writer: AVAssetWriter, _ format: AudioFormatID) -> AVAssetWriterInput {
      let input = AVAssetWriterInput(
        mediaType: .audio, outputSettings: [AVFormatIDKey: Int(format), AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1])
      writer.add(input)
      return input
    }

    @Test func `gives pieces while the writing goes on, with exactly the frames, times and samples`() async throws {
      let receiver = Receiver()
      let writer = writer(receiver)
      writer.preferredOutputSegmentInterval = CMTime(value: 1, timescale: 1)
      writer.initialSegmentStartTime = .zero
      let (adaptor, input) = (pictures(writer), sounds(writer, kAudioFormatAppleLossless))
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      let picture = try gray()
      var given: [UInt8] = []
      func append(_ tenth: Int64) throws {
        #expect(adaptor.append(picture, withPresentationTime: tenths(tenth)))
        // Samples that are all different, as far as 16 bits go.
        let bytes = (0..<4_800).flatMap { index in
          let value = (Int(tenth) * 4_800 + index) * 7 & 0xffff
          return [UInt8(value & 255), UInt8(value >> 8)]
        }
        given += bytes
        #expect(input.append(try sound(bytes, at: tenths(tenth))))
      }
      for tenth: Int64 in 0..<36 { try append(tenth) }
      #expect(receiver.wait(for: 4) && writer.status == .writing)
      #expect(receiver.pieces.withLock(\.count) == 4)
      for tenth: Int64 in 36..<45 { try append(tenth) }
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let pieces = receiver.pieces.withLock(\.self)
      #expect(pieces.map(\.type) == [.initialization] + Array(repeating: .separable, count: 5))
      let (path, raw) = (directory.file("live.mp4"), directory.file("live.raw"))
      try Data(pieces.map(\.data).joined()).write(to: URL(fileURLWithPath: path))
      let times = try MediaTools.ffprobe(["-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0", path])
      let seen = times.split(whereSeparator: { ",\n".contains($0) }).compactMap { Double($0) }
      #expect(seen == (0..<45).map { Double($0) / 10 })
      try MediaTools.ffmpeg(["-i", path, "-map", "0:a", "-f", "s16le", raw])
      #expect([UInt8](try Data(contentsOf: URL(fileURLWithPath: raw))) == given)
    }

    @Test func `gives a piece that was flushed before the writing ends`() async throws {
      let receiver = Receiver()
      let writer = writer(receiver)
      writer.preferredOutputSegmentInterval = .indefinite
      writer.initialMovieFragmentSequenceNumber = 7
      let adaptor = pictures(writer)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: tenths(50))
      let picture = try gray()
      for tenth: Int64 in 50..<55 { #expect(adaptor.append(picture, withPresentationTime: tenths(tenth))) }
      writer.flushSegment()
      for tenth: Int64 in 55..<57 { #expect(adaptor.append(picture, withPresentationTime: tenths(tenth))) }
      #expect(receiver.wait(for: 2) && writer.status == .writing)
      let first = receiver.pieces.withLock(\.self)
      #expect(first.last?.report?.trackReports.first?.duration == tenths(5))
      #expect(first.last?.report?.trackReports.first?.earliestPresentationTimeStamp == tenths(50))
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let pieces = receiver.pieces.withLock(\.self).dropFirst().map { [UInt8]($0.data) }
      // The number of a fragment stands behind the heads of two boxes, and a version.
      #expect(pieces.map { Array($0[20..<24]) } == [[0, 0, 0, 7], [0, 0, 0, 8]])
    }

    @Test func `does not wait for an input that is finished, and counts the samples of the last block`() async throws {
      let receiver = Receiver()
      let writer = writer(receiver)
      writer.preferredOutputSegmentInterval = CMTime(value: 1, timescale: 1)
      writer.initialSegmentStartTime = .zero
      let (adaptor, input) = (pictures(writer), sounds(writer, kAudioFormatMPEG4AAC))
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      #expect(input.append(try silence(50_123, at: .zero)))
      input.markAsFinished()
      let picture = try gray()
      for tenth in 0..<33 { #expect(adaptor.append(picture, withPresentationTime: tenths(Int64(tenth)))) }
      #expect(receiver.wait(for: 4) && writer.status == .writing)
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let heard = receiver.pieces.withLock(\.self).compactMap { $0.report?.trackReports.first { $0.mediaType == .audio } }
      let length = heard.map(\.duration).reduce(CMTime.zero) { $0 + $1 }
      #expect(length == CMTime(value: 50_123, timescale: 48_000))
    }

    @Test func `rounds times to the clock that was set, and refuses two pictures in one of its ticks`() async throws {
      for (late, isWritten) in [(Int64(15_000), true), (300, false)] {
        let receiver = Receiver()
        let writer = writer(receiver)
        writer.preferredOutputSegmentInterval = .indefinite
        let adaptor = pictures(writer)
        adaptor.assetWriterInput.mediaTimeScale = 30_000
        #expect(writer.startWriting(), "\(String(describing: writer.error))")
        writer.startSession(atSourceTime: .zero)
        let picture = try gray()
        let times = [0, 1_000_000, 2_000_000, 2_000_000 + late]
        // The last one is appended for the one before it to be encoded.
        for time in times + [9_000_000] {
          _ = adaptor.append(picture, withPresentationTime: CMTime(value: time, timescale: 30_000_000))
        }
        await writer.finishWriting()
        #expect((writer.status == .completed) == isWritten, "\(String(describing: writer.error))")
        #expect(isWritten || (writer.error as? AVError)?.reason.contains("mediaTimeScale") == true)
      }
    }

    @Test func `refuses what it cannot give`() throws {
      let receiver = Receiver()
      func refusal(_ change: (AVAssetWriter) -> Void) -> String? {
        let writer = writer(receiver)
        _ = pictures(writer)
        change(writer)
        #expect(!writer.startWriting())
        return (writer.error as? AVError)?.property
      }
      #expect(refusal { $0.delegate = nil } == "delegate")
      #expect(refusal { $0.outputFileTypeProfile = nil } == "outputFileTypeProfile")
      #expect(refusal { $0.preferredOutputSegmentInterval = CMTime(value: 1, timescale: 1) } == "initialSegmentStartTime")
      let sound = AVAssetWriterInput(mediaType: .audio, outputSettings: [AVFormatIDKey: Int(kAudioFormatMPEG4AAC)])
      let two = refusal {
        $0.outputFileTypeProfile = .mpeg4CMAFCompliant
        $0.add(sound)
      }
      #expect(two == "inputs")
      let file = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("file.mp4")), fileType: .mp4)
      file.outputFileTypeProfile = .mpeg4AppleHLS
      file.add(AVAssetWriterInput(mediaType: .video, outputSettings: settings))
      #expect(!file.startWriting() && (file.error as? AVError)?.property == "outputFileTypeProfile")
    }
  }
}
