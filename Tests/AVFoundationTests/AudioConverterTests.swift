import AVFoundation
import Foundation
import Testing

/// Sound in memory that is turned into another form.
@Suite struct `A converter of sound` {
  private func format(
    _ rate: Double, _ channels: AVAudioChannelCount = 1, _ kind: AVAudioCommonFormat = .pcmFormatFloat32,
    interleaved: Bool = false
  ) throws -> AVAudioFormat {
    try #require(AVAudioFormat(commonFormat: kind, sampleRate: rate, channels: channels, interleaved: interleaved))
  }

  private func buffer(_ format: AVAudioFormat, _ channels: [[Float]]) throws -> AVAudioPCMBuffer {
    let made = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: AVAudioFrameCount(channels[0].count)))
    made.frameLength = made.frameCapacity
    guard let data = unsafe made.floatChannelData else { throw CocoaError(.coderInvalidValue) }
    for (channel, samples) in channels.enumerated() {
      for (frame, sample) in samples.enumerated() { unsafe data[channel][frame * made.stride] = sample }
    }
    return made
  }

  private func floats(_ buffer: AVAudioPCMBuffer, _ channel: Int = 0) throws -> [Float] {
    guard let data = unsafe buffer.floatChannelData else { throw CocoaError(.coderInvalidValue) }
    return (0..<Int(buffer.frameLength)).map { unsafe data[channel][$0 * buffer.stride] }
  }

  private func tone(_ frequency: Double, _ rate: Double, frames: Int) -> [Float] {
    (0..<frames).map { Float(0.5 * sin(2 * .pi * frequency * Double($0) / rate)) }
  }

  /// All that a converter makes of a sound that comes in pieces of so many frames, and the ends of its calls.
  private func converted(
    _ converter: AVAudioConverter, _ samples: [Float], pieces: Int, capacity: AVAudioFrameCount
  ) throws -> (samples: [Float], ends: [AVAudioConverterOutputStatus]) {
    var (place, made, ends): (Int, [Float], [AVAudioConverterOutputStatus]) = (0, [], [])
    while ends.last != .endOfStream, ends.count < 10_000 {
      let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: capacity))
      var error: NSError?
      let end = unsafe converter.convert(to: output, error: &error) { wanted, status in
        #expect(wanted > 0)
        guard place < samples.count else {
          unsafe status.pointee = .endOfStream
          return nil
        }
        let piece = Array(samples[place..<min(place + pieces, samples.count)])
        place += piece.count
        unsafe status.pointee = .haveData
        return try? buffer(converter.inputFormat, [piece])  // Its form is the converter's own.
      }
      #expect(error == nil && end != .error)
      ends.append(end)
      made += try floats(output)
    }
    return (made, ends)
  }

  @Test(arguments: [(44_100.0, 48_000.0), (48_000, 44_100), (48_000, 16_000), (8_000, 44_100), (22_050, 48_000)])
  func `keeps a tone, its phase and its level at another rate`(_ rates: (from: Double, to: Double)) throws {
    let converter = try #require(AVAudioConverter(from: format(rates.from), to: format(rates.to)))
    let input = tone(1000, rates.from, frames: Int(rates.from / 2))
    let output = try converted(converter, input, pieces: 1000, capacity: 777)
    #expect(output.samples.count == Int(rates.to / 2))
    #expect(output.ends.last == .endOfStream && output.ends.dropLast().allSatisfy { $0 == .haveData })
    let wanted = tone(1000, rates.to, frames: output.samples.count)
    // The first and the last samples have silence beside them.
    for frame in 1000..<output.samples.count - 1000 {
      #expect(abs(output.samples[frame] - wanted[frame]) < 1e-4, "frame \(frame)")
    }
  }

  @Test func `leaves nothing of a tone that the lower rate cannot have`() throws {
    let converter = try #require(AVAudioConverter(from: format(48_000), to: format(16_000)))
    let output = try converted(converter, tone(10_000, 48_000, frames: 24_000), pieces: 4096, capacity: 4096)
    #expect(output.samples.dropFirst(500).dropLast(500).allSatisfy { abs($0) < 1e-4 })
  }

  @Test func `gives the same samples however they are cut`() throws {
    let input = tone(440, 44_100, frames: 5000)
    let converter = try #require(AVAudioConverter(from: format(44_100), to: format(48_000)))
    let one = try converted(converter, input, pieces: 5000, capacity: 9000)
    converter.reset()
    let many = try converted(converter, input, pieces: 7, capacity: 13)
    #expect(one.samples == many.samples)
  }

  @Test func `waits for more where there is nothing now, and goes on from there`() throws {
    let converter = try #require(AVAudioConverter(from: format(44_100), to: format(48_000)))
    let input = tone(440, 44_100, frames: 4000)
    var halves = [Array(input[..<2000]), Array(input[2000...])]
    var made: [Float] = []
    for _ in 0..<2 {
      var isGiven = false
      let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 48_000))
      let end = unsafe converter.convert(to: output, error: nil) { _, status in
        if isGiven {
          unsafe status.pointee = .noDataNow
          return nil
        }
        isGiven = true
        return try? buffer(converter.inputFormat, [halves.removeFirst()])  // Its form is the converter's own.
      }
      #expect(end == .inputRanDry)
      made += try floats(output)
    }
    converter.reset()
    let whole = try converted(converter, input, pieces: 4000, capacity: 48_000)
    #expect(made.count < whole.samples.count && made == Array(whole.samples.prefix(made.count)))
  }

  @Test func `is later by half of its window where it waits for nothing`() throws {
    let converter = try #require(AVAudioConverter(from: format(48_000), to: format(96_000)))
    converter.primeMethod = .none
    #expect(converter.primeInfo == AVAudioConverterPrimeInfo())
    let late = try converted(converter, tone(440, 48_000, frames: 4000), pieces: 4000, capacity: 20_000).samples
    converter.primeMethod = .normal
    let reach = Int(converter.primeInfo.trailingFrames)
    let aligned = try converted(converter, tone(440, 48_000, frames: 4000), pieces: 4000, capacity: 20_000).samples
    #expect(reach > 0 && late.count == aligned.count)
    #expect(Array(late.dropFirst(2 * reach)) == Array(aligned.dropLast(2 * reach)))
  }

  @Test func `turns floats into whole numbers beside each other, and cuts off what is too loud`() throws {
    let converter = try #require(
      AVAudioConverter(from: format(48_000, 2), to: format(48_000, 2, .pcmFormatInt16, interleaved: true)))
    let input = try buffer(converter.inputFormat, [[0, 0.5, 2], [-1, -0.25, -2]])
    let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 3))
    try converter.convert(to: output, from: input)
    guard let data = unsafe output.int16ChannelData else { throw CocoaError(.coderInvalidValue) }
    #expect((0..<6).map { unsafe data[0][$0] } == [0, -32768, 16384, -8192, 32767, -32768])
  }

  @Test func `maps channels one to one, as it is told, or mixes them`() throws {
    let mono = try #require(AVAudioConverter(from: format(48_000), to: format(48_000, 2)))
    let tone = try buffer(mono.inputFormat, [[0.5, 0.25]])
    let output = try #require(AVAudioPCMBuffer(pcmFormat: mono.outputFormat, frameCapacity: 2))
    try mono.convert(to: output, from: tone)
    #expect(try floats(output) == [0.5, 0.25] && floats(output, 1) == [0, 0])
    mono.downmix = true
    try mono.convert(to: output, from: tone)
    #expect(try floats(output, 1) == [0.5, 0.25])
    mono.channelMap = [-1, 0]
    try mono.convert(to: output, from: tone)
    #expect(try floats(output) == [0, 0] && floats(output, 1) == [0.5, 0.25])

    let stereo = try #require(AVAudioConverter(from: format(48_000, 2), to: format(48_000)))
    let both = try buffer(stereo.inputFormat, [[0.5, 0], [0.25, 1]])
    let one = try #require(AVAudioPCMBuffer(pcmFormat: stereo.outputFormat, frameCapacity: 2))
    try stereo.convert(to: one, from: both)
    #expect(try floats(one) == [0.5, 0])
    stereo.downmix = true
    try stereo.convert(to: one, from: both)
    #expect(try floats(one) == [0.375, 0.5])
  }

  @Test func `refuses other forms by their names`() throws {
    let encoded = try #require(
      AVAudioFormat(settings: [AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 48_000, AVNumberOfChannelsKey: 1]))
    #expect(try AVAudioConverter(from: format(48_000), to: encoded) == nil)
    let converter = try #require(AVAudioConverter(from: format(44_100), to: format(48_000)))
    let wrong = try buffer(format(22_050), [[0]])
    let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 10))
    #expect(throws: AVError.self) { try converter.convert(to: output, from: wrong) }
    var error: NSError?
    let end = unsafe converter.convert(to: output, error: &error) { _, _ in wrong }
    #expect(end == .error && error?.domain == AVFoundationErrorDomain)
    #expect(error?.localizedDescription.contains("22050") == true)
  }

  @Test func `of a layout has its channels`() throws {
    let layout = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_MPEG_5_1_A))
    let format = AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: layout)
    #expect(format.channelCount == 6 && format.channelLayout == layout && format.isStandard)
    #expect(format != AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 6))
    let stereo = try #require(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_Stereo))
    #expect(
      AVAudioFormat(standardFormatWithSampleRate: 48_000, channelLayout: stereo)
        == AVAudioFormat(standardFormatWithSampleRate: 48_000, channels: 2))
    #expect(AVAudioChannelLayout(layoutTag: kAudioChannelLayoutTag_UseChannelDescriptions) == nil)
  }
}
