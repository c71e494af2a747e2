import AVFoundation
import FarmTesting
import Foundation
import SpoolCalls
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  /// Sound in memory whose channels lie one after the other, as most of Core Audio has it.
  @Suite(.serialized) struct `Beside sound channel by channel` {
    private let directory = TemporaryDirectory()

    init() { SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable]) }

    /// Half a second of two tones, of which the right one is softer.
    private func stereo() throws -> AVURLAsset {
      let path = directory.file("stereo.wav")
      let tones = "aevalsrc=sin(440*2*PI*t)/2|sin(660*2*PI*t)/4:s=48000:d=0.5"
      try MediaTools.ffmpeg(["-f", "lavfi", "-i", tones, "-c:a", "pcm_f32le", path])
      return AVURLAsset(url: URL(fileURLWithPath: path))
    }

    private func samples(_ asset: AVAsset, _ settings: [String: Any]) throws -> [CMSampleBuffer] {
      let reader = try AVAssetReader(asset: asset)
      let output = AVAssetReaderTrackOutput(track: try #require(asset.tracks.first), outputSettings: settings)
      reader.add(output)
      #expect(reader.startReading(), "\(String(describing: reader.error))")
      var all: [CMSampleBuffer] = []
      while let next = output.copyNextSampleBuffer() { all.append(next) }
      #expect(reader.status == .completed, "\(String(describing: reader.error))")
      return all
    }

    private func floats(_ data: Data?) throws -> [Float] {
      unsafe try #require(data).withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    }

    private let settings: [String: Any] = [
      AVFormatIDKey: kAudioFormatLinearPCM, AVLinearPCMIsFloatKey: true, AVLinearPCMBitDepthKey: 32,
    ]

    /// The sound of a buffer of samples, in one of frames.
    private func frames(_ samples: CMSampleBuffer) throws -> AVAudioPCMBuffer {
      let format = AVAudioFormat(cmAudioFormatDescription: try #require(samples.formatDescription))
      let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(samples.numSamples)))
      buffer.frameLength = buffer.frameCapacity
      let status = unsafe CMSampleBufferCopyPCMDataIntoAudioBufferList(
        samples, at: 0, frameCount: Int32(samples.numSamples), into: buffer.mutableAudioBufferList)
      #expect(status == noErr)
      return buffer
    }

    @Test func `a reader gives each channel by itself where it is asked to`() throws {
      let asset = try stereo()
      let beside = try samples(asset, settings)
      let apart = try samples(asset, settings.merging([AVLinearPCMIsNonInterleaved: true]) { $1 })
      #expect(beside.map(\.numSamples) == apart.map(\.numSamples) && beside.map(\.numSamples).reduce(0, +) == 24_000)
      for (one, other) in zip(beside, apart) {
        let (mixed, planes) = (try floats(one.dataBuffer?.dataBytes()), try floats(other.dataBuffer?.dataBytes()))
        let count = one.numSamples
        #expect((0..<count).allSatisfy { mixed[2 * $0] == planes[$0] && mixed[2 * $0 + 1] == planes[count + $0] })
        var size = 0
        #expect(
          unsafe CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
            other, bufferListSizeNeededOut: &size, bufferListOut: nil, bufferListSize: 0, blockBufferAllocator: nil,
            blockBufferMemoryAllocator: nil, flags: 0, blockBufferOut: nil) == noErr)
        #expect(size == AudioBufferList.sizeInBytes(maximumBuffers: 2))
        let list = AudioBufferList.allocate(maximumBuffers: 2)
        defer { unsafe free(list.unsafeMutablePointer) }
        var block: CMBlockBuffer?
        #expect(
          unsafe CMSampleBufferGetAudioBufferListWithRetainedBlockBuffer(
            other, bufferListSizeNeededOut: nil, bufferListOut: list.unsafeMutablePointer, bufferListSize: size,
            blockBufferAllocator: nil, blockBufferMemoryAllocator: nil, flags: 0, blockBufferOut: &block) == noErr)
        #expect(list.map(\.mDataByteSize) == [UInt32(4 * count), UInt32(4 * count)] && list.count == 2)
        let right = unsafe UnsafeMutableBufferPointer<Float>(list[1])
        #expect(unsafe right[0] == planes[count] && right[count - 1] == planes[2 * count - 1] && block != nil)
      }
    }

    @Test func `a buffer's own methods hand out its channels and its sizes`() throws {
      for one in try samples(try stereo(), settings.merging([AVLinearPCMIsNonInterleaved: true]) { $1 }) {
        let (planes, count) = (try floats(one.dataBuffer?.dataBytes()), one.numSamples)
        let ends = try one.withAudioBufferList { list, block in
          #expect(list.count == 2 && block === one.dataBuffer)
          return list.map { unsafe UnsafeMutableBufferPointer<Float>($0).last }
        }
        #expect(ends == [planes[count - 1], planes[2 * count - 1]])
        let format = AVAudioFormat(cmAudioFormatDescription: try #require(one.formatDescription))
        let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 10))
        buffer.frameLength = 10
        try unsafe one.copyPCMData(fromRange: 5..<15, into: buffer.mutableAudioBufferList)
        let copied = unsafe UnsafeBufferPointer(start: buffer.floatChannelData?[1], count: 10)
        #expect(unsafe Array(copied) == Array(planes[count + 5..<count + 15]))
        #expect(throws: CMFailure.self) {
          try unsafe one.copyPCMData(fromRange: count - 1..<count + 9, into: buffer.mutableAudioBufferList)
        }
        let other = try CMSampleBuffer(
          dataBuffer: nil, formatDescription: one.formatDescription, numSamples: count, sampleTimings: one.sampleTimingInfos(),
          sampleSizes: [8])
        #expect(try other.sampleSizes() == [8] && other.sampleSize(at: 3) == 8 && other.totalSampleSize == 8 * count)
        let block = try #require(one.dataBuffer)
        try other.setDataBuffer(block)
        #expect(throws: CMFailure(kCMSampleBufferError_AlreadyHasDataBuffer)) { try other.setDataBuffer(block) }
        try other.setOutputPresentationTimeStamp(CMTime(value: 3, timescale: 1))
        #expect(other.outputPresentationTimeStamp.seconds == 3 && other.presentationTimeStamp == one.presentationTimeStamp)
      }
    }

    @Test(arguments: [false, true]) func `goes through buffers of frames into a writer unchanged`(isApart: Bool) async throws {
      let asset = try stereo()
      let url = URL(fileURLWithPath: directory.file("copied.mov"))
      let writer = try AVAssetWriter(url: url, fileType: .mov)
      let input = AVAssetWriterInput(mediaType: .audio, outputSettings: settings)
      writer.add(input)
      #expect(writer.startWriting(), "\(String(describing: writer.error))")
      writer.startSession(atSourceTime: .zero)
      for samples in try samples(asset, settings.merging([AVLinearPCMIsNonInterleaved: isApart]) { $1 }) {
        let buffer = try frames(samples)
        var (copy, timing) = (CMSampleBuffer?.none, try samples.sampleTimingInfo(at: 0))
        let status = unsafe CMSampleBufferCreate(
          allocator: nil, dataBuffer: nil, dataReady: false, makeDataReadyCallback: nil, refcon: nil,
          formatDescription: samples.formatDescription, sampleCount: samples.numSamples, sampleTimingEntryCount: 1,
          sampleTimingArray: &timing, sampleSizeEntryCount: 0, sampleSizeArray: nil, sampleBufferOut: &copy)
        #expect(status == noErr)
        let made = try #require(copy)
        let list = unsafe buffer.audioBufferList
        func fill() -> OSStatus {
          unsafe CMSampleBufferSetDataBufferFromAudioBufferList(
            made, blockBufferAllocator: nil, blockBufferMemoryAllocator: nil, flags: 0, bufferList: list)
        }
        #expect(fill() == noErr && fill() == kCMSampleBufferError_AlreadyHasDataBuffer)
        #expect(input.append(made), "\(String(describing: writer.error))")
      }
      await writer.finishWriting()
      #expect(writer.status == .completed, "\(String(describing: writer.error))")
      func raw(_ url: URL) throws -> [Float] {
        let path = url.path + ".raw"
        try MediaTools.ffmpeg(["-i", url.path, "-f", "f32le", path])
        return try floats(Data(contentsOf: URL(fileURLWithPath: path)))
      }
      let (before, after) = (try raw(asset.url), try raw(url))
      #expect(before.count == 48_000 && before == after)
    }
  }
}
