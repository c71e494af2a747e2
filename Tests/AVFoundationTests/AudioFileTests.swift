import AVFoundation
import FarmTesting
import Foundation
import Testing

/// Files of sound that are read and written frame by frame.
@Suite struct `Files of sound` {
  private let directory = TemporaryDirectory()

  /// The samples of the first channel.
  private func floats(of buffer: AVAudioPCMBuffer) throws -> [Float] {
    guard let channels = unsafe buffer.floatChannelData else { throw CocoaError(.coderInvalidValue) }
    return unsafe Array(UnsafeBufferPointer(start: channels[0], count: Int(buffer.frameLength)))
  }

  @Test func `give their frames, from any frame on`() throws {
    let file = try AVAudioFile(forReading: TestMedia.clip.get())
    #expect(file.length == 38_400)
    #expect(file.fileFormat.sampleRate == 48_000 && file.processingFormat.isStandard)
    let format = file.processingFormat
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 40_000))
    try file.read(into: buffer)
    #expect(buffer.frameLength == 38_400 && file.framePosition == 38_400)
    // FFmpeg's sine of 440 Hz has an eighth of the full scale.
    let samples = try floats(of: buffer)
    for frame in stride(from: 0, to: 38_400, by: 777) {
      let wanted = 0.125 * sin(2 * Double.pi * 440 * Double(frame) / 48_000)
      #expect(abs(Double(samples[frame]) - wanted) < 2e-3, "frame \(frame)")
    }

    file.framePosition = 12_345
    let part = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 1000))
    for start in [12_345, 13_345] {
      try file.read(into: part)
      #expect(part.frameLength == 1000)
      #expect(try floats(of: part) == Array(samples[start..<start + 1000]))
    }
    file.framePosition = file.length
    try file.read(into: part)
    #expect(part.frameLength == 0)
  }

  @Test func `are written as WAV, whatever the form of the buffers`() throws {
    let url = URL(fileURLWithPath: directory.file("tone.wav"))
    let settings: [String: Any] = [
      AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2, AVLinearPCMBitDepthKey: 16,
    ]
    let file = try AVAudioFile(forWriting: url, settings: settings, commonFormat: .pcmFormatInt16, interleaved: true)
    let buffer = try #require(AVAudioPCMBuffer(pcmFormat: file.processingFormat, frameCapacity: 4800))
    buffer.frameLength = 4800
    guard let samples = unsafe buffer.int16ChannelData else { throw CocoaError(.coderInvalidValue) }
    for frame in 0..<4800 {
      unsafe samples[0][frame * buffer.stride] = Int16(frame)
      unsafe samples[1][frame * buffer.stride] = Int16(-frame)
    }
    try file.write(from: buffer)
    try file.write(from: buffer)
    #expect(file.length == 9600)
    file.close()
    #expect(throws: AVError.self) { try file.write(from: buffer) }
    let raw = directory.file("tone.raw")
    _ = try MediaTools.ffmpeg(["-i", url.path, "-f", "s16le", raw])
    let bytes = try Data(contentsOf: URL(fileURLWithPath: raw))
    #expect(bytes.count == 9600 * 4)
    let read = unsafe bytes.withUnsafeBytes { unsafe Array($0.bindMemory(to: Int16.self)) }
    for frame in [0, 1, 4799, 4800, 9599] {
      #expect(read[frame * 2] == Int16(frame % 4800) && read[frame * 2 + 1] == -Int16(frame % 4800))
    }
  }

  @Test func `say why they cannot be opened`() throws {
    #expect(throws: AVError.self) { try AVAudioFile(forReading: URL(fileURLWithPath: directory.file("nothing.wav"))) }
    let settings: [String: Any] = [AVFormatIDKey: kAudioFormatLinearPCM, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 2]
    let caf = URL(fileURLWithPath: directory.file("tone.caf"))
    #expect(
      try #require(throws: AVError.self) { try AVAudioFile(forWriting: caf, settings: settings) }.reason.contains(
        "wav, m4a and mp3"))
    #expect(throws: AVError.self) { try AVAudioEngine().start() }
  }
}
