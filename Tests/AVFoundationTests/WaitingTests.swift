import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Synchronization
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  /// These situations made programs of others wait for ever, or might.
  @Suite(.serialized) struct `Whoever waits for a reader or a writer` {
    private let directory = TemporaryDirectory()

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    /// A program that answers one verb by a script, and all others as the real one.
    private func program(_ verb: String, _ script: String) throws {
      let path = directory.file("spool-\(verb)")
      let text = "#!/bin/sh\nif [ \"$1\" = \(verb) ]; then\n\(script)\nfi\nexec '\(SpoolProgram.executable)' \"$@\"\n"
      try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": path])
    }

    private func reading(_ asset: AVAsset) throws -> (AVAssetReader, AVAssetReaderTrackOutput) {
      let reader = try AVAssetReader(asset: asset)
      let output = AVAssetReaderTrackOutput(
        track: try #require(asset.tracks(withMediaType: .video).first), outputSettings: nil)
      reader.add(output)
      #expect(reader.startReading())
      return (reader, output)
    }

    private func picture(_ index: Int) throws -> CVPixelBuffer {
      var made: CVPixelBuffer?
      #expect(
        unsafe CVPixelBufferCreate(kCFAllocatorDefault, 640, 480, kCVPixelFormatType_32BGRA, nil, &made) == kCVReturnSuccess)
      let buffer = try #require(made)
      CVPixelBufferLockBaseAddress(buffer, [])
      defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
      let base = unsafe try #require(CVPixelBufferGetBaseAddress(buffer))
      unsafe memset(base, Int32(index % 200), CVPixelBufferGetBytesPerRow(buffer) * 480)
      return buffer
    }

    private func sound(_ index: Int) throws -> CMSampleBuffer {
      let form = AudioStreamBasicDescription(
        mSampleRate: 48_000, mFormatID: kAudioFormatLinearPCM,
        mFormatFlags: kAudioFormatFlagIsSignedInteger | kAudioFormatFlagIsPacked, mBytesPerPacket: 2, mFramesPerPacket: 1,
        mBytesPerFrame: 2, mChannelsPerFrame: 1, mBitsPerChannel: 16, mReserved: 0)
      var samples: CMSampleBuffer?
      _ = unsafe CMAudioSampleBufferCreateReadyWithPacketDescriptions(
        allocator: nil, dataBuffer: CMBlockBuffer([UInt8](repeating: UInt8(index % 100), count: 960)),
        formatDescription: CMFormatDescription(sound: form), sampleCount: 480,
        presentationTimeStamp: CMTime(value: CMTimeValue(index) * 480, timescale: 48_000), packetDescriptions: nil,
        sampleBufferOut: &samples)
      return try #require(samples)
    }

    @Test(.timeLimit(.minutes(10))) func `has all of it where two inputs are written by two threads`() async throws {
      let url = URL(fileURLWithPath: directory.file("both.mov"))
      let writer = try AVAssetWriter(url: url, fileType: .mov)
      let video = AVAssetWriterInput(
        mediaType: .video,
        outputSettings: [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 640, AVVideoHeightKey: 480] as [String: Any])
      let audio = AVAssetWriterInput(
        mediaType: .audio,
        outputSettings: [
          AVFormatIDKey: Int(kAudioFormatLinearPCM), AVSampleRateKey: 48_000.0, AVNumberOfChannelsKey: 1,
          AVLinearPCMBitDepthKey: 16,
        ])
      let adaptor = AVAssetWriterInputPixelBufferAdaptor(assetWriterInput: video, sourcePixelBufferAttributes: nil)
      for input in [video, audio] { writer.add(input) }
      #expect(writer.startWriting())
      writer.startSession(atSourceTime: .zero)
      let (pictures, sounds) = (try (0..<50).map(picture), try (0..<200).map(sound))
      let group = DispatchGroup()
      nonisolated(unsafe) var (shown, heard) = (0, 0)  // Each is counted on one queue alone.
      group.enter()
      video.requestMediaDataWhenReady(on: DispatchQueue(label: "pictures")) {
        while video.isReadyForMoreMediaData {
          guard unsafe shown < pictures.count else {
            video.markAsFinished()
            return group.leave()
          }
          unsafe adaptor.append(pictures[shown], withPresentationTime: CMTime(value: CMTimeValue(shown), timescale: 25))
          unsafe shown += 1
        }
      }
      group.enter()
      audio.requestMediaDataWhenReady(on: DispatchQueue(label: "sound")) {
        while audio.isReadyForMoreMediaData {
          guard unsafe heard < sounds.count else {
            audio.markAsFinished()
            return group.leave()
          }
          unsafe audio.append(sounds[heard])
          unsafe heard += 1
        }
      }
      await withCheckedContinuation { done in group.notify(queue: .global()) { done.resume() } }
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let shownFrames = try MediaTools.ffprobe([
        "-select_streams", "v", "-count_frames", "-show_entries", "stream=nb_read_frames", "-of", "csv=p=0", url.path,
      ])
      #expect(shownFrames.hasPrefix("50"))
      let raw = directory.file("heard.raw")
      try MediaTools.ffmpeg(["-i", url.path, "-map", "0:a", "-f", "s16le", raw])
      let bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: raw)))
      let wanted: [UInt8] = (0..<200).flatMap { [UInt8](repeating: UInt8($0 % 100), count: 960) }
      #expect(bytes == wanted)
    }

    @Test(.timeLimit(.minutes(10))) func `has a clip as often as it is written, though readers are dropped midway`() async throws
    {
      let asset = try TestMedia.asset()
      let url = URL(fileURLWithPath: directory.file("loop.mp4"))
      let writer = try AVAssetWriter(url: url, fileType: .mp4)
      let input = AVAssetWriterInput(
        mediaType: .video,
        outputSettings: [AVVideoCodecKey: AVVideoCodecType.h264, AVVideoWidthKey: 64, AVVideoHeightKey: 48] as [String: Any])
      writer.add(input)
      #expect(writer.startWriting())
      writer.startSession(atSourceTime: .zero)
      for turn in 0..<5 {
        // One reader is given up within its first picture, and another one takes its place.
        _ = try reading(asset).1.copyNextSampleBuffer()
        let (reader, output) = try reading(asset)
        while let next = output.copyNextSampleBuffer() {
          while !input.isReadyForMoreMediaData { usleep(1000) }
          let timing = CMSampleTimingInfo(
            duration: next.duration, presentationTimeStamp: next.presentationTimeStamp + TestMedia.tenths(Int64(turn) * 10),
            decodeTimeStamp: .invalid)
          #expect(input.append(try CMSampleBuffer(copying: next, withNewTiming: [timing])))
        }
        #expect(reader.status == .completed)
      }
      input.markAsFinished()
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      let times = try MediaTools.ffprobe([
        "-select_streams", "v", "-show_entries", "frame=pts_time", "-of", "csv=p=0", url.path,
      ])
      let shown: [Double] = times.split(separator: "\n").compactMap { Double($0.split(separator: ",")[0]) }
      let wanted: [Double] = (0..<50).map { Double($0) / 10 }
      #expect(shown == wanted)
    }

    @Test(.timeLimit(.minutes(10))) func `is asked by one block at a time, the one that was given last`() async throws {
      let writer = try AVAssetWriter(url: URL(fileURLWithPath: directory.file("asked.mp4")), fileType: .mp4)
      let input = AVAssetWriterInput(mediaType: .video, outputSettings: nil)
      writer.add(input)
      #expect(writer.startWriting())
      writer.startSession(atSourceTime: .zero)
      let running = Atomic(0)
      let most = Atomic(0)
      let calls = Atomic(0)
      let queue = DispatchQueue(label: "asked", attributes: .concurrent)
      func block() {
        let now = running.add(1, ordering: .relaxed).newValue
        // The first calls of the four requests may meet.
        if calls.load(ordering: .relaxed) >= 8 { most.max(now, ordering: .relaxed) }
        usleep(5_000)
        running.subtract(1, ordering: .relaxed)
        calls.add(1, ordering: .relaxed)
      }
      for _ in 0..<4 { input.requestMediaDataWhenReady(on: queue, using: block) }
      while calls.load(ordering: .relaxed) < 30 { try await Task.sleep(for: .milliseconds(5)) }
      input.markAsFinished()
      writer.cancelWriting()
      #expect(most.load(ordering: .relaxed) == 1)
    }

    @Test(.timeLimit(.minutes(10))) func `is not held by a program that says more than a pipe holds`() throws {
      try program("write", "head -c 300000 /dev/zero | tr '\\0' 'x' >&2; cat <&3 >/dev/null; echo '{\"done\":1}'; exit 0")
      let call = try SampleCall(["write"])
      #expect(call.send([UInt8](repeating: 1, count: 2_000_000), [UInt8](repeating: 2, count: 10)))
      call.cancel()
      #expect(try call.end() == "{\"done\":1}")
      #expect(try call.end() == "{\"done\":1}")
    }

    @Test(.timeLimit(.minutes(10))) func `is told of a stream that is none, though the program goes on writing`() throws {
      try program("read", "exec cat /dev/zero >&3")
      let (reader, output) = try reading(TestMedia.asset())
      #expect(output.copyNextSampleBuffer() == nil && reader.status == .failed && reader.error != nil)
    }

    @Test(.timeLimit(.minutes(10))) func `can cancel while another thread waits for a sample`() async throws {
      try program("read", "exec sleep 1000")
      let (reader, output) = try reading(TestMedia.asset())
      async let sample = Task.detached { output.copyNextSampleBuffer() }.value
      try await Task.sleep(for: .milliseconds(200))
      reader.cancelReading()
      #expect(await sample == nil && reader.status == .cancelled)
    }
  }
}
