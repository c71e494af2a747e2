import FarmTesting
import MediaTime
import Rendering
import Testing

/// Compares the mix with exact arithmetic. The samples of sources hold their own numbers, at the movie's rate, so nothing is
/// resampled.
@Suite struct `The sound mix` {
  private let workshop = Workshop()

  /// Writes a source. Its sample n is n / 2^17, which a float holds exactly.
  private func writeSource(_ name: String, count: Int) throws {
    let bytes = (0..<count).flatMap { index in
      let bits = (Float(index) / 131_072).bitPattern
      return (0..<4).map { UInt8(truncatingIfNeeded: bits >> ($0 * 8)) }
    }
    try MediaTools.ffmpeg(
      ["-f", "f32le", "-ar", "48000", "-ac", "1", "-i", "-", "-c:a", "pcm_f32le", workshop.file(name)], input: bytes)
  }

  private func mix(_ tracks: String, audioMix: String = "[]", export: String = "") throws -> [Float] {
    try writeSource("n.wav", count: 96_000)
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"n": {"path": "n.wav"}}, "composition": {"tracks": [\(tracks)]}, "audioMix": \(audioMix),
       "export": {"fileType": "mkv", "audio": {"codec": "flac", "channelLayout": "mono"}\(export)}}
      """)
    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    var samples: [Float] = []
    while let block = try mix.next() { samples += unsafe Array(block.samples[0]) }
    return samples
  }

  private func track(_ id: String, _ segments: String) -> String {
    #"{"id": "\#(id)", "media": "audio", "segments": [\#(segments)]}"#
  }

  @Test func `a segment sounds from its sample to its sample, and gaps are silent`() throws {
    let samples = try mix(
      track(
        "S",
        #"{"asset": "n", "source": {"start": "0.5", "duration": "0.25"}, "at": "0.1"}, "#
          + #"{"asset": "n", "source": {"start": "0", "duration": "0.125"}, "at": "0.5"}"#))
    let expected = (0..<30_000).map { index -> Float in
      switch index {
      case 4800..<16_800: Float(index - 4800 + 24_000) / 131_072
      case 24_000..<30_000: Float(index - 24_000) / 131_072
      default: 0
      }
    }
    #expect(samples == expected)
  }

  @Test func `tracks are summed`() throws {
    let samples = try mix(
      track("S", #"{"asset": "n", "source": {"start": "0", "duration": "0.5"}, "at": "0"}"#) + ", "
        + track("T", #"{"asset": "n", "source": {"start": "0.25", "duration": "0.25"}, "at": "0.125"}"#))
    let expected = (0..<24_000).map { index -> Float in
      Float(index) / 131_072 + (6000..<18_000 ~= index ? Float(index - 6000 + 12_000) / 131_072 : 0)
    }
    #expect(samples == expected)
  }

  @Test func `a ramp moves the volume from sample to sample, and holds after its end`() throws {
    let samples = try mix(
      track("S", #"{"asset": "n", "source": {"start": "0", "duration": "1"}, "at": "0"}"#),
      audioMix: #"[{"track": "S", "volume": [{"at": "0.25", "value": 1}, {"at": "0.5", "value": 0.25}]}]"#)
    let expected = (0..<48_000).map { index -> Float in
      let gain: Double =
        switch index {
        case ..<12_000: 1
        case ..<24_000: 1 + Double(index - 12_000) * (0.25 - 1) / 12_000
        default: 0.25
        }
      return Float(index) / 131_072 * Float(gain)
    }
    #expect(samples.count == expected.count)
    let furthest = zip(samples, expected).map { abs($0 - $1) }.max() ?? 1
    #expect(furthest <= 1e-7)
  }

  @Test func `an exported range begins in the middle of a segment`() throws {
    let samples = try mix(
      track("S", #"{"asset": "n", "source": {"start": "0.5", "duration": "1"}, "at": "0"}"#),
      export: #", "timeRange": {"start": "0.25", "duration": "0.5"}"#)
    let expected = (0..<24_000).map { Float($0 + 36_000) / 131_072 }
    #expect(samples == expected)
  }

  @Test func `a stretched segment fills its target to the sample`() throws {
    let samples = try mix(track("S", #"{"asset": "n", "source": {"start": "0", "duration": "1"}, "at": "0", "duration": "0.5"}"#))
    #expect(samples.count == 24_000)
    // At twice the speed, the samples away from the filter's edges are a straight line of twice the slope.
    let furthest = (2000..<20_000).map { index in abs(samples[index] - Float(index * 2) / 131_072) }.max() ?? 1
    #expect(furthest < 2e-4)
  }
}
