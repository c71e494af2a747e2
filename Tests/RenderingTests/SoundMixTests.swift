import FarmTesting
import Glibc
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
    try channels(tracks, audioMix, layout: "mono", export: export)[0]
  }

  private func channels(_ tracks: String, _ audioMix: String, layout: String, export: String = "") throws -> [[Float]] {
    try writeSource("n.wav", count: 96_000)
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"n": {"path": "n.wav"}}, "composition": {"tracks": [\(tracks)]}, "audioMix": \(audioMix),
       "export": {"fileType": "mkv", "audio": {"codec": "flac", "channelLayout": "\(layout)"}\(export)}}
      """)
    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    var samples: [[Float]] = []
    while let block = try mix.next() {
      if samples.isEmpty { samples = Array(repeating: [], count: block.channelCount) }
      for channel in samples.indices { unsafe samples[channel] += Array(block.samples[channel]) }
    }
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

  private var second: String { track("S", #"{"asset": "n", "source": {"start": "0", "duration": "1"}, "at": "0"}"#) }

  private func furthest(_ found: [Float], _ gain: (Int) -> Double) -> Double {
    found.indices.map { abs(Double(found[$0]) - Double($0) / 131_072 * gain($0)) }.max() ?? 1
  }

  @Test(arguments: [("-6 dB", 0.501187233627272), ("0dB", 1), ("-20.5 dB", 0.0944060876285923), ("6 dB", 1.99526231496888)])
  func `a volume may be given in decibels`(text: String, gain: Double) throws {
    let samples = try mix(second, audioMix: #"[{"track": "S", "volume": "\#(text)"}]"#)
    #expect(samples.count == 48_000 && furthest(samples) { _ in gain } < 1e-6)
  }

  @Test func `two sounds that fade into each other by equal power keep their power`() throws {
    let mix = #"[{"track": "S", "fadeIn": "0.25", "fadeOut": "0.5", "fadeShape": "equalPower"}]"#
    let samples = try self.mix(second, audioMix: mix)
    func rise(_ index: Int) -> Double { sin(Double(index) / 12_000 * .pi / 2) }
    func fall(_ index: Int) -> Double { cos(Double(index - 24_000) / 24_000 * .pi / 2) }
    #expect(furthest(samples) { $0 < 12_000 ? rise($0) : $0 < 24_000 ? 1 : fall($0) } < 1e-6)
    #expect(
      abs(rise(5_000) * rise(5_000) + cos(Double(5_000) / 12_000 * .pi / 2) * cos(Double(5_000) / 12_000 * .pi / 2) - 1) < 1e-12)
  }

  @Test func `a balance makes the far side softer, and leaves the near one`() throws {
    let whole = try channels(second, "[]", layout: "stereo")
    let moving = #"[{"track": "S", "balance": [{"at": "0.25", "value": -1}, {"at": "0.75", "value": 1}]}]"#
    let found = try channels(second, moving, layout: "stereo")
    for index in stride(from: 0, to: 48_000, by: 61) {
      let balance = index < 12_000 ? 0 : index < 36_000 ? Double(index - 24_000) / 12_000 : 1
      let (left, right) = (Double(whole[0][index]) * min(1, 1 - balance), Double(whole[1][index]) * min(1, 1 + balance))
      if abs(Double(found[0][index]) - left) > 1e-6 || abs(Double(found[1][index]) - right) > 1e-6 {
        return #expect(found[0][index] == Float(left) && found[1][index] == Float(right), "sample \(index)")
      }
    }
    // In 5.1 the centre and the LFE stay as they are.
    let surround = try (
      channels(second, "[]", layout: "5.1"), channels(second, #"[{"track": "S", "balance": 1}]"#, layout: "5.1")
    )
    #expect(surround.1[2] == surround.0[2] && surround.1[3] == surround.0[3] && surround.1[0].allSatisfy { $0 == 0 })
    #expect(try mix(second, audioMix: #"[{"track": "S", "balance": 1}]"#) == mix(second))
  }

  @Test func `muted tracks are not heard, and where some are solo, only they are`() throws {
    let both = second + ", " + track("T", #"{"asset": "n", "source": {"start": "1", "duration": "1"}, "at": "0"}"#)
    let (one, other) = (
      try mix(second), try mix(track("T", #"{"asset": "n", "source": {"start": "1", "duration": "1"}, "at": "0"}"#))
    )
    #expect(try mix(both, audioMix: #"[{"track": "T", "mute": true}]"#) == one)
    #expect(try mix(both, audioMix: #"[{"track": "T", "solo": true}]"#) == other)
    #expect(try mix(both, audioMix: #"[{"track": "T", "solo": true, "mute": true}]"#).allSatisfy { $0 == 0 })
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
