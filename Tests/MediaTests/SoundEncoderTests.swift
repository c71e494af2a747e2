import FarmTesting
import Formats
import Media
import Testing

@Suite struct `a sound encoder` {
  private let directory = TemporaryDirectory()

  /// The settings that a document may ask for: every layout and sample rate, with its least and greatest bit rate.
  private static func settings(of codec: AudioCodec) -> [AudioCodecSettings] {
    let layouts = AudioCodecSettings.ChannelLayout.allCases.filter { $0.channelCount <= codec.usual.coder.mostChannels }
    return layouts.flatMap { layout in
      codec.sampleRates.flatMap { rate -> [AudioCodecSettings] in
        let usual = AudioCodecSettings(codec.usual, sampleRate: rate, channelLayout: layout)
        guard let bitRates = usual.bitRates else { return [usual] }
        return [bitRates.lowerBound, bitRates.upperBound].map { bitRate in
          var settings = usual
          settings.coding.bitRate = bitRate
          return settings
        }
      }
    }
  }

  @Test(arguments: AudioCodec.allCases)
  func `opens for all that a document may ask for`(codec: AudioCodec) {
    for settings in Self.settings(of: codec) {
      #expect(throws: Never.self, "\(settings)") { _ = try AudioEncoder(settings: settings, sampleCount: 48_000) }
    }
  }

  /// Noise of a channel that is silent by turns, for 256 samples each: nothing that is said of a sixth of a frame holds for the next one.
  private static func changing(_ channel: Int, _ index: Int) -> Float {
    guard (index / 256 + channel) % 2 == 0 else { return 0 }
    var bits = UInt32(truncatingIfNeeded: index &* 31 &+ channel &+ 1) &* 2_654_435_761
    bits = (bits ^ bits >> 15) &* 2_246_822_519
    return Float(Int32(bitPattern: bits ^ bits >> 13)) / 0x1p31
  }

  @Test(arguments: [AudioCodec.ac3, .eac3])
  func `has room for any sound at the least bit rate`(codec: AudioCodec) {
    for settings in Self.settings(of: codec) {
      #expect(throws: Never.self, "\(settings)") {
        try writeSound(settings, count: 20 * 1536, to: directory.file("sound.nut"), sample: Self.changing)
      }
    }
  }

  @Test(arguments: [(PCM.Samples.int16, 16), (.int24, 24), (.int32, 32)])
  func `rounds to nearest, halves to even, and clips`(samples: PCM.Samples, bits: Int) throws {
    let limit = Double(Int64(1) << (bits - 1))
    let edges: [Float] = [0, -0.0, 1, -1, 0.999_999_9, -1.000_000_1, 7, -7, .infinity, -.infinity, .nan, 0.3, -0.3]
    let halves = (-40..<40).map { Float((Double($0) + 0.5) / limit) }
    let last = [-2, -1.5, -1, -0.5].map { Float(($0 + limit) / limit) }
    let given = edges + halves + last + (0..<100).map { Self.changing(0, $0) }
    let settings = AudioCodecSettings(.pcm(PCM(samples: samples)), channelLayout: .stereo)
    let segment = try writeSound(settings, count: given.count, to: directory.file("sound.nut"), blocks: 37) { channel, index in
      channel == 0 ? given[index] : -given[index]
    }
    let expected = given.flatMap { [$0, -$0] }.map { sample -> Int32 in
      let number = (Double(sample) * limit).rounded(.toNearestOrEven)
      return number.isNaN ? 0 : Int32(min(max(number, -limit), limit - 1)) << (32 - bits)
    }
    #expect(try MediaTools.samples(segment.path, in: directory) == expected)
  }
}
