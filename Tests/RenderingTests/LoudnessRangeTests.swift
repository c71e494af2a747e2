import FarmTesting
import Glibc
import Media
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Compares the range of mastered sound with ffmpeg's own measurement (`ebur128`), and with arithmetic.
@Suite struct `The loudness range` {
  private let workshop = Workshop()

  /// The integrated loudness, the range and the highest true peak, as ffmpeg measures them.
  private func levels(_ channels: [[Float]]) throws -> (integrated: Double, range: Double, truePeak: Double) {
    var samples: [Float] = []
    samples.reserveCapacity(channels.count * channels[0].count)
    for index in channels[0].indices { for channel in channels { samples.append(channel[index]) } }
    let bytes = unsafe samples.withUnsafeBytes { unsafe Array($0) }
    let text = try MediaTools.ffmpeg(
      [
        "-f", "f32le", "-ar", "48000", "-ac", "\(channels.count)", "-i", "-", "-af",
        "ebur128=metadata=1:peak=true,ametadata=mode=print:file=-", "-f", "null", "-",
      ], input: bytes)
    func values(_ start: String) -> [Double] {
      text.split(separator: "\n").filter { $0.hasPrefix("lavfi.r128.\(start)") }
        .compactMap { $0.split(separator: "=").last.flatMap { Double($0) } }
    }
    let peak = try #require(values("true_peaks_ch").max())
    return (try #require(values("I=").last), try #require(values("LRA=").last), 20 * log10(peak))
  }

  /// Sounds whose level moves: slowly by a wave, in steps, and with pauses and strokes.
  static let sounds = [
    "0.08*pow(10,0.6*sin(2*PI*t/23))*sin(2*PI*440*t)",
    "pow(10,-1.2-0.35*mod(floor(t/9),4))*(random(0)-0.5)*2",
    "0.5*pow(10,-0.9*mod(floor(t/11),3))*sin(2*PI*220*t)*gt(mod(t,13),1.5)+0.3*sin(2*PI*2000*t)*exp(-40*mod(t,7))",
  ]

  private func source(_ expression: String, seconds: Double) throws {
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='\(expression)|\(expression)':s=48000:d=\(seconds):c=stereo", "-c:a", "pcm_f32le",
      workshop.file("s.wav"),
    ])
  }

  private func edit(_ loudness: String, mix: String = "") throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.wav"}}, "composition": {"tracks": [
        {"id": "t", "media": "audio", "segments": [{"asset": "s"}]}]}, "audioMix": [\(mix)],
       "export": {"fileType": "wav",\(loudness) "audio": {"codec": "pcm"}}}
      """)
  }

  private func samples(_ edit: ResolvedTimeline) throws -> (channels: [[Float]], loudness: SoundLoudness?) {
    let sound = try MasteredSound(edit: edit, policy: workshop.policy)
    var samples: [[Float]] = []
    while let block = try sound.next() {
      if samples.isEmpty { samples = Array(repeating: [], count: block.channelCount) }
      for channel in samples.indices { unsafe samples[channel] += Array(block.samples[channel]) }
    }
    return (samples, sound.loudness)
  }

  @Test(arguments: zip(sounds.indices, [7.0, 11, 8]))
  func `of a movie is at most the target, and its loudness is met`(_ index: Int, range: Double) throws {
    try source(Self.sounds[index], seconds: 90)
    let mix = try samples(edit("")).channels
    let before = try levels(mix).range
    #expect(before > 13)
    let (mastered, loudness) = try samples(edit("\"loudness\": {\"integrated\": -20, \"truePeak\": -1, \"range\": \(range)},"))
    let (found, facts) = try (levels(mastered), #require(loudness))
    #expect(found.range <= range + 0.5 && found.range > range - 1.5, "\(found) \(facts.words)")
    #expect(abs(found.integrated - -20) < 0.1 && found.truePeak <= -1 + 0.005, "\(found) \(facts.words)")
    #expect(abs((facts.range ?? 0) - found.range) < 0.5 && abs((facts.measuredRange ?? 0) - before) < 0.5)
    #expect(mastered[0].count == mix[0].count)
    try gainMovesSlowly(mix[0], mastered[0], limited: facts.limiting > 0)
  }

  /// The gain, which is the same for all samples of a short time, moves by less than 12 dB in a second, and never by a step: a change of level by
  /// 36 dB is followed in 3 s.
  private func gainMovesSlowly(_ mix: [Float], _ mastered: [Float], limited: Bool) throws {
    guard !limited else { return }
    var gains: [(time: Int, gain: Double)] = []
    for start in stride(from: 0, to: mix.count - 480, by: 480) {
      let place = (start..<start + 480).max { abs(mix[$0]) < abs(mix[$1]) } ?? start
      guard abs(mix[place]) > 1e-4 else { continue }
      gains.append((place, 20 * log10(Double(mastered[place] / mix[place]))))
    }
    for (one, next) in zip(gains, gains.dropFirst()) {
      let seconds = Double(next.time - one.time) / 48_000
      guard abs(next.gain - one.gain) <= 12 * seconds + 0.01 else {
        return #expect(abs(next.gain - one.gain) <= 12 * seconds, "at \(Double(one.time) / 48_000) s")
      }
    }
    #expect(gains.count > 1_000)
  }

  @Test func `that is narrow already is left alone`() throws {
    try source("0.1*sin(2*PI*440*t)*(1+0.1*sin(2*PI*t/9))", seconds: 20)
    let plain = try samples(edit(#""loudness": {"integrated": -20},"#))
    let ranged = try samples(edit(#""loudness": {"integrated": -20, "range": 6},"#))
    #expect(plain.channels == ranged.channels)
    #expect(ranged.loudness?.range == ranged.loudness?.measuredRange && plain.loudness?.range == nil)
  }

  @Test func `of silence and of sound that is too short is nothing`() throws {
    try source("0", seconds: 5)
    #expect(try samples(edit(#""loudness": {"integrated": -20, "range": 6},"#)).channels[0].allSatisfy { $0 == 0 })
    try source("0.1*sin(2*PI*440*t)", seconds: 2)
    let short = try samples(edit(#""loudness": {"integrated": -20, "range": 6},"#))
    let found = try levels(short.channels).integrated
    #expect(short.loudness?.range == nil && abs(found - -20) < 0.1)
  }

  @Test func `of a track is narrowed before its volume counts`() throws {
    try source(Self.sounds[1], seconds: 90)
    let loudness = #""loudness": {"integrated": -24, "range": 8}"#
    let found = try levels(samples(edit("", mix: "{\"track\": \"t\", \(loudness)}")).channels)
    #expect(found.range <= 8.5 && found.range > 6.5 && abs(found.integrated - -24) < 0.1, "\(found)")
    let softer = try levels(samples(edit("", mix: "{\"track\": \"t\", \(loudness), \"volume\": \"-6 dB\"}")).channels)
    #expect(abs(softer.integrated - -30) < 0.1 && abs(softer.range - found.range) < 0.2)
  }

  @Test func `is the same every time, and a verification tells it`() throws {
    try source(Self.sounds[0], seconds: 40)
    let edit = try edit(#""loudness": {"integrated": -23, "range": 7},"#)
    let movie = try workshop.movie(of: edit, borders: [], output: "m.wav")
    let again = try workshop.movie(of: edit, borders: [], output: "n.wav")
    #expect(try [UInt8](contentsOf: movie) == [UInt8](contentsOf: again))
    let verified = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verified.faults == [] && verified.loudness?.words.contains(" LU (the mix has ") == true)
    #expect(try SoundDivision(of: edit, every: 3) == .whole(.loudness))
  }

  @Test func `by arithmetic is that of the levels, and steps are narrowed to what is asked`() throws {
    // A minute at -40 and one at -20: both percentiles lie well within them.
    let steps = LoudnessCourse(tenths: Array(repeating: -40, count: 600) + Array(repeating: -20, count: 600))
    #expect(steps.range.map { abs($0 - 20) < 0.1 } == true)
    #expect(steps.integrated.map { abs($0 + 20) < 0.1 } == true)
    let gains = try #require(steps.gains(narrowingTo: 5))
    let narrowed = steps.changed(by: gains)
    #expect(narrowed.range.map { $0 <= 5 && $0 > 4.5 } == true)
    #expect(gains.count == 121 && abs(gains[60]) > 0.5 && zip(gains, gains.dropFirst()).allSatisfy { abs($0 - $1) <= 20 / 3.0 })
    #expect(steps.gains(narrowingTo: 25) == nil)
    #expect(LoudnessCourse(tenths: Array(repeating: -.infinity, count: 100)).gains(narrowingTo: 5) == nil)
    #expect(LoudnessCourse(tenths: []).range == nil && LoudnessCourse(tenths: []).integrated == nil)
  }
}
