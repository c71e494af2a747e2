import AVFoundation
import CoreMedia
import Testing

@Suite struct `A form of sound` {
  @Test func `lies in as many buffers as a list has`() {
    let list = AudioBufferList.allocate(maximumBuffers: 2)
    defer { unsafe free(list.unsafeMutablePointer) }
    #expect(AudioBufferList.sizeInBytes(maximumBuffers: 2) == 8 + 2 * MemoryLayout<AudioBuffer>.size)
    var sides: [[Float]] = [[1, 2], [3, 4, 5]]
    unsafe sides[0].withUnsafeMutableBufferPointer { left in
      unsafe list[0] = AudioBuffer(left, numberOfChannels: 1)
      #expect(unsafe UnsafeMutableBufferPointer<Float>(list[0]).map { $0 } == [1, 2])
    }
    unsafe sides[1].withUnsafeMutableBufferPointer { right in
      unsafe list[1] = AudioBuffer(right, numberOfChannels: 1)
      #expect(list.map(\.mDataByteSize) == [8, 12])
      #expect(unsafe UnsafeBufferPointer<Float>(list[1]).map { $0 } == [3, 4, 5])
    }
  }

  @Test func `is that of the settings`() throws {
    let coded = try #require(
      AVAudioFormat(settings: [AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2]))
    let form = try #require(coded.formatDescription.audioStreamBasicDescription)
    #expect(form.mFormatID == kAudioFormatMPEG4AAC && form.mSampleRate == 44_100 && form.mChannelsPerFrame == 2)
    #expect(form.mBytesPerFrame == 0)
    let plain = try #require(AVAudioFormat(settings: [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]))
    #expect(plain.formatDescription.audioStreamBasicDescription?.mFormatID == kAudioFormatLinearPCM)
    #expect(plain.commonFormat == .pcmFormatInt16 && plain.sampleRate == 48_000 && plain.channelCount == 1)
    let float = try #require(
      AVAudioFormat(settings: [AVSampleRateKey: 8000, AVNumberOfChannelsKey: 2, AVLinearPCMIsFloatKey: true]))
    #expect(float.commonFormat == .pcmFormatFloat32)
    #expect(unsafe float.streamDescription.pointee == float.formatDescription.audioStreamBasicDescription)
    let copy = try #require(unsafe AVAudioFormat(streamDescription: float.streamDescription))
    #expect(copy == float)
    #expect(AVAudioFormat(settings: [AVFormatIDKey: kAudioFormatMPEG4AAC]) == nil)
    #expect(AVAudioFormat(settings: [AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1, AVLinearPCMBitDepthKey: 24]) == nil)
  }
}
