import FarmTesting
import Glibc
import MediaTime
import Rendering
import Scenes
import Testing

/// Compares ducked mixes with exact arithmetic. The samples of the source hold their own numbers, at the movie's rate.
@Suite struct `A ducked mix` {
  private let workshop = Workshop()
  private static let rate = 48_000
  private static let count = 192_000

  init() throws { try write("n.wav", (0..<Self.count).map(Self.number)) }

  private static func number(_ index: Int) -> Float { Float(index) / 262_144 }

  private func write(_ name: String, _ samples: [Float]) throws {
    let bytes = samples.flatMap { sample in (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> ($0 * 8)) } }
    try MediaTools.ffmpeg(
      ["-f", "f32le", "-ar", "48000", "-ac", "1", "-i", "-", "-c:a", "pcm_f32le", workshop.file(name)], input: bytes)
  }

  private static let music =
    #"{"id": "music", "media": "audio", "segments": [{"asset": "n", "source": {"start": "0", "duration": "4"}}]}"#

  private func track(_ id: String, _ segments: String) -> String {
    #"{"id": "\#(id)", "media": "audio", "segments": [\#(segments)]}"#
  }

  private func edit(_ tracks: String, _ mix: String, compositions: String = "{}", export: String = "") throws -> ResolvedTimeline
  {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"n": {"path": "n.wav"}}, "compositions": \(compositions), "composition": {"tracks": [\(tracks)]},
       "audioMix": [\(mix)], "export": {"fileType": "wav", "audio": {"codec": "pcm", "channelLayout": "mono"}\(export)}}
      """)
  }

  private func samples(_ edit: ResolvedTimeline) throws -> [Float] {
    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    var samples: [Float] = []
    while let block = try mix.next() { unsafe samples += block.samples[0] }
    return samples
  }

  /// The gain between keys of samples and gains.
  private func gain(_ sample: Int, _ keys: [(Int, Double)]) -> Double {
    guard let next = keys.firstIndex(where: { $0.0 > sample }) else { return keys.last?.1 ?? 1 }
    guard next > 0 else { return 1 }
    let (here, there) = (keys[next - 1], keys[next])
    return here.1 + (there.1 - here.1) * Double(sample - here.0) / Double(there.0 - here.0)
  }

  /// The voice without the music, plus the music by the expected gain.
  private func expect(_ mixed: [Float], is voice: [Float], and keys: [(Int, Double)]) {
    #expect(mixed.count == Self.count)
    for index in mixed.indices {
      let spoken = index < voice.count ? Double(voice[index]) : 0
      let expected = spoken + Double(Self.number(index)) * gain(index, keys)
      guard abs(Double(mixed[index]) - expected) > 2e-7 else { continue }
      return #expect(Double(mixed[index]) == expected, "sample \(index)")
    }
  }

  private let duck = #""by": 0.25, "attack": "0.1", "hold": "0.05", "release": "0.2""#
  private static let voice =
    #"{"asset": "n", "source": {"start": "0", "duration": "0.3"}, "at": "0.5"}, {"asset": "n", "source": {"start": "1", "duration": "0.05"}, "at": "1.05"}"#

  @Test func `by the edit's timing has the declared envelope, to the sample`() throws {
    let voice = track("voice", Self.voice)
    let spoken = try samples(edit(voice, ""))
    let mixed = try samples(edit(voice + ", " + Self.music, #"{"track": "music", "duck": {"under": ["voice"], \#(duck)}}"#))
    expect(
      mixed, is: spoken,
      and: [(19_200, 1), (24_000, 0.25), (40_800, 0.25), (45_600, 0.625), (50_400, 0.25), (55_200, 0.25), (64_800, 1)])
  }

  @Test func `yields to several tracks as to one that has the segments of all`() throws {
    let parts = Self.voice.split(separator: "}, {").map(String.init)
    let two = track("voice", parts[0] + "}") + ", " + track("other", "{" + parts[1])
    let one = track("voice", Self.voice)
    let under = #"{"track": "music", "duck": {"under": ["voice", "other"], \#(duck)}}"#
    #expect(
      try samples(edit(two + ", " + Self.music, under))
        == samples(edit(one + ", " + Self.music, under.replacing(#", "other""#, with: ""))))
  }

  @Test func `by level falls from the first window that reaches the threshold to the end of the last`() throws {
    // The voice is the numbers themselves, louder and louder: a threshold is reached somewhere.
    let threshold = 0.123
    let voice = track("voice", #"{"asset": "n", "source": {"start": "0", "duration": "2"}}"#)
    let spoken = try samples(edit(voice, ""))
    let mixed = try samples(
      edit(voice + ", " + Self.music, #"{"track": "music", "duck": {"under": ["voice"], "threshold": \#(threshold), \#(duck)}}"#))
    let window = 2_400
    let first = try #require(
      (0..<40).first { number in
        let sum = spoken[number * window..<(number + 1) * window].reduce(0) { $0 + Double($1) * Double($1) }
        return (sum / Double(window)).squareRoot() >= threshold
      })
    #expect(first > 10 && first < 30)
    let (start, end) = (first * window, 96_000)
    expect(mixed, is: spoken, and: [(start - 4_800, 1), (start, 0.25), (end + 2_400, 0.25), (end + 12_000, 1)])
  }

  @Test func `the level is that which is heard: with volume, and not at all where it is muted`() throws {
    let voice = track("voice", #"{"asset": "n", "source": {"start": "0", "duration": "2"}}"#)
    func mixed(_ entry: String) throws -> [Float] {
      try samples(
        edit(
          voice + ", " + Self.music,
          #"{"track": "music", "duck": {"under": ["voice"], "threshold": 0.1, \#(duck)}}, {"track": "voice", \#(entry)}"#))
    }
    let halved = try samples(edit(voice, #"{"track": "voice", "volume": 0.5}"#))
    let start = try #require((0..<40).first { halved[$0 * 2_400 + 1_200] > 0.1 }) * 2_400
    expect(
      try mixed(#""volume": 0.5"#), is: halved,
      and: [(start - 4_800, 1), (start, 0.25), (98_400, 0.25), (108_000, 1)])
    expect(try mixed(#""mute": true"#), is: [], and: [])
    expect(try mixed(#""volume": 0"#), is: [], and: [])
  }

  @Test func `an exported part has the samples of the whole`() throws {
    let tracks = track("voice", Self.voice) + ", " + Self.music
    for condition in ["", #""threshold": "-60 dB", "#] {
      let mix = #"{"track": "music", "duck": {"under": ["voice"], \#(condition)\#(duck)}}"#
      let whole = try samples(edit(tracks, mix))
      let part = try samples(edit(tracks, mix, export: #", "timeRange": {"start": "0.95", "duration": "0.5"}"#))
      #expect(part == Array(whole[45_600..<69_600]), "\(condition)")
    }
  }

  @Test(arguments: ["", #""threshold": "-40 dB", "#])
  func `in a nested composition is what the composition's own sound would be`(condition: String) throws {
    let tracks = track("voice", Self.voice) + ", " + Self.music
    let mix = #"{"track": "music", "duck": {"under": ["voice"], \#(condition)\#(duck)}}"#
    try write("inner.wav", samples(edit(tracks, mix)))
    let played = #""source": {"start": "0.25", "duration": "2.5"}"#
    func outer(_ source: String, _ rest: String) -> String {
      """
      {"spool": 1, "assets": {"n": {"path": "n.wav"}, "inner": {"path": "inner.wav"}}, \(rest)
       "composition": {"tracks": [{"id": "t", "media": "audio", "segments": [
         {\(source), \(played)}, {\(source), \(played), "reversed": true}]}]},
       "export": {"fileType": "wav", "audio": {"codec": "pcm", "channelLayout": "mono"}}}
      """
    }
    let nested = try samples(
      workshop.edit(
        outer(
          #""composition": "c""#, #""compositions": {"c": {"tracks": [\#(tracks)], "audioMix": [\#(mix)]}},"#)))
    let rendered = try samples(workshop.edit(outer(#""asset": "inner""#, "")))
    #expect(nested.count == rendered.count)
    let furthest = zip(nested, rendered).map { abs($0 - $1) }.max() ?? 1
    // Played backwards, a keyframe stands one sample later.
    #expect(furthest < 1e-4, "\(furthest)")
  }
}
