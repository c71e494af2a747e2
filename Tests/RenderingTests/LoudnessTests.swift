import FarmTesting
import Glibc
import MediaTime
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Compares mastered sound with ffmpeg's own measurements (`ebur128`), and with arithmetic.
@Suite struct `Mastered sound` {
  private let workshop = Workshop()

  /// The levels of samples, as ffmpeg measures them: the integrated loudness in LUFS, and the highest true peak in dBTP.
  private func ffmpegLevels(_ channels: [[Float]], rate: Int) throws -> (integrated: Double, truePeak: Double) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(channels.count * channels[0].count * 4)
    for index in channels[0].indices {
      for channel in channels {
        for shift in [0, 8, 16, 24] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: channel[index].bitPattern >> shift)) }
      }
    }
    let layout = [1: "mono", 2: "stereo", 6: "5.1"][channels.count] ?? ""
    let text = try MediaTools.ffmpeg(
      [
        "-f", "f32le", "-ar", "\(rate)", "-channel_layout", layout, "-ac", "\(channels.count)", "-i", "-", "-af",
        "ebur128=metadata=1:peak=true,ametadata=mode=print:file=-", "-f", "null", "-",
      ], input: bytes)
    func values(_ key: String) -> [Double] {
      text.split(separator: "\n").filter { $0.hasPrefix("lavfi.r128.\(key)") }
        .compactMap { $0.split(separator: "=").last.flatMap { Double($0) } }
    }
    let peak = try #require(values("true_peaks_ch").max())
    return (try #require(values("I").last), 20 * log10(peak))
  }

  /// Sound that ffmpeg makes by an expression for each channel.
  private func source(_ expressions: [String], seconds: Double, rate: Int = 48_000) throws {
    let text = expressions.joined(separator: "|")
    let layout = [1: "mono", 2: "stereo", 6: "5.1"][expressions.count] ?? ""
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='\(text)':s=\(rate):d=\(seconds):c=\(layout)", "-c:a", "pcm_f32le", workshop.file("s.wav"),
    ])
  }

  private func edit(
    _ loudness: String, layout: String = "stereo", rate: Int = 48_000, mix: String = "", source: String = ""
  ) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.wav"}}, "composition": {"tracks": [
        {"id": "t", "media": "audio", "segments": [{"asset": "s"\(source)}]}]}, "audioMix": [\(mix)],
       "export": {"fileType": "wav",\(loudness) "audio": {"codec": "pcm", "channelLayout": "\(layout)", "sampleRate": \(rate)}}}
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

  private static let murmur = ["0.05*sin(2*PI*220*t)*(1+sin(2*PI*0.7*t))", "0.04*sin(2*PI*331*t)+0.01*random(0)"]
  /// Quiet sound with loud strokes, which only a limiter makes as loud as it should be.
  private static let strokes = [
    "0.06*sin(2*PI*220*t)+0.9*sin(2*PI*3000*t)*exp(-60*mod(t,0.7))", "0.06*sin(2*PI*330*t)+0.8*random(1)*exp(-80*mod(t,0.9))",
  ]

  @Test func `where the peaks allow it, is the mix by one gain`() throws {
    try source(Self.murmur, seconds: 12)
    let mix = try samples(edit("")).channels
    let (mastered, loudness) = try samples(edit(#""loudness": "ebuR128","#))
    let facts = try #require(loudness)
    let gain = Float(pow(10, facts.gain / 20))
    for channel in mix.indices {
      #expect(mastered[channel].count == mix[channel].count)
      #expect(zip(mix[channel], mastered[channel]).allSatisfy { abs($0 * gain - $1) <= 1e-6 })
    }
    let (before, after) = try (ffmpegLevels(mix, rate: 48_000), ffmpegLevels(mastered, rate: 48_000))
    #expect(abs(after.integrated - -23) < 0.1, "\(after)")
    #expect(abs(before.integrated - (facts.measured ?? 0)) < 0.1 && abs(after.truePeak - (facts.truePeak ?? 0)) < 0.1)
    #expect(facts.limiting == 0 && abs((facts.measured ?? 0) + facts.gain - -23) < 0.006)
  }

  @Test(arguments: [("-16", "-1"), ("-14", "-2"), ("-18.5", "-6")])
  func `where peaks would rise above the ceiling, the limiter holds them and the target is met`(target: String, peak: String)
    throws
  {
    try source(Self.strokes, seconds: 20)
    let (mastered, loudness) = try samples(edit("\"loudness\": {\"integrated\": \(target), \"truePeak\": \(peak)},"))
    let facts = try #require(loudness)
    let found = try ffmpegLevels(mastered, rate: 48_000)
    #expect(try abs(found.integrated - #require(Double(target))) < 0.1, "\(found) \(facts)")
    #expect(try found.truePeak <= #require(Double(peak)) + 0.005, "\(found) \(facts)")
    #expect(facts.limiting > 1 && abs((facts.truePeak ?? 0) - found.truePeak) < 0.1, "\(found) \(facts)")
    #expect(mastered[0].count == 960_000)
  }

  @Test(arguments: [("mono", 44_100), ("stereo", 96_000), ("5.1", 48_000), ("stereo", 8_000)])
  func `layouts and rates are measured as ffmpeg measures them`(layout: String, rate: Int) throws {
    let tones = (0..<6).map { "\([0.1, 0.05, 0.2, 0.7, 0.15, 0.03][$0])*sin(2*PI*\(300 + 170 * $0)*t)" }
    let count = ["mono": 1, "stereo": 2, "5.1": 6][layout] ?? 0
    try source(Array(tones.prefix(count)), seconds: 5, rate: rate)
    let (mastered, loudness) = try samples(edit(#""loudness": {"integrated": -27},"#, layout: layout, rate: rate))
    let found = try ffmpegLevels(mastered, rate: rate)
    #expect(mastered.count == count && abs(found.integrated - -27) < 0.1, "\(found) \(String(describing: loudness))")
  }

  @Test func `one gain holds both sides, and sound away from peaks is left alone`() throws {
    // A single stroke, on the left alone.
    try source(["0.1*sin(2*PI*200*t)+0.9*sin(2*PI*2000*t)*exp(-100*abs(t-2))", "0.1*sin(2*PI*200*t)"], seconds: 4)
    let mix = try samples(edit("")).channels
    let (mastered, loudness) = try samples(edit(#""loudness": {"integrated": -19, "truePeak": -6},"#))
    let facts = try #require(loudness)
    let gain = Float(pow(10, facts.gain / 20))
    #expect(facts.limiting > 0.5)
    let least = (0..<mix[1].count).filter { abs(mix[1][$0]) > 0.05 }.map { Double(mastered[1][$0] / (mix[1][$0] * gain)) }
    #expect(abs(20 * log10(least.min() ?? 1) + facts.limiting) < 0.1)
    for index in stride(from: 0, to: 192_000, by: 7) where abs(mix[0][index]) > 0.01 && abs(mix[1][index]) > 0.01 {
      let ratios = (0..<2).map { mastered[$0][index] / (mix[$0][index] * gain) }
      guard abs(ratios[0] - ratios[1]) < 1e-4 else { return #expect(ratios[0] == ratios[1], "sample \(index)") }
      // 20 ms before the stroke nothing is lowered; three seconds are four time constants later.
      guard index > 90_000 || abs(ratios[0] - 1) < 1e-6 else { return #expect(ratios[0] == 1, "sample \(index)") }
    }
  }

  @Test func `a wave between samples counts: a sine at a quarter of the rate`() throws {
    // At 45 degrees every sample is 3 dB below the peak.
    try source(["0.5*min(1,min(10*t,10*(2-t)))*sin(PI/2*(t*48000)+PI/4)"], seconds: 2)
    let facts = try #require(try samples(edit(#""loudness": {"integrated": -30},"#, layout: "mono")).loudness)
    #expect(abs((facts.truePeak ?? 0) - facts.gain - 20 * log10(0.5)) < 0.02, "\(facts)")
  }

  @Test func `silence and sound that is too short stay as they are, and that is told`() throws {
    try source(["0", "0"], seconds: 2)
    let silent = try samples(edit(#""loudness": "podcast","#))
    #expect(silent.channels[0].allSatisfy { $0 == 0 })
    #expect(silent.loudness == SoundLoudness(measured: nil, gain: 0, limiting: 0, integrated: nil, truePeak: nil))
    #expect(silent.loudness?.words == "digital silence (too quiet or too short to be measured: as it was mixed)")
    try source(["0.5*sin(2*PI*100*t)", "0"], seconds: 0.3)
    let short = try samples(edit(#""loudness": "podcast","#))
    #expect(try short.channels == samples(edit("")).channels)
    #expect(short.loudness?.measured == nil && short.loudness?.gain == 0)
    // Shorter than the limiter's look-ahead, and above its ceiling.
    try source(["0.9", "0.9"], seconds: 0.002)
    let shortest = try samples(edit(#""loudness": {"integrated": -16, "truePeak": -6},"#))
    #expect(shortest.channels[0].count == 96 && shortest.channels[0].allSatisfy { abs($0) <= 0.5012 })
    #expect((shortest.loudness?.limiting ?? 0) > 5)
  }

  @Test func `a target that its ceiling does not allow is told as it came out`() throws {
    try source(Self.strokes, seconds: 6)
    let (mastered, loudness) = try samples(edit(#""loudness": {"integrated": -8, "truePeak": -12},"#))
    let facts = try #require(loudness)
    let found = try ffmpegLevels(mastered, rate: 48_000)
    #expect(found.truePeak <= -12 + 0.005 && abs(found.integrated - (facts.integrated ?? 0)) < 0.1 && found.integrated < -9)
  }

  @Test func `a track has its own loudness before its volume counts`() throws {
    try source(Self.murmur, seconds: 6)
    let found = try ffmpegLevels(samples(edit("", mix: #"{"track": "t", "loudness": -31}"#)).channels, rate: 48_000)
    #expect(abs(found.integrated - -31) < 0.1, "\(found)")
    let lower = try ffmpegLevels(
      samples(edit("", mix: #"{"track": "t", "loudness": -31, "volume": "-6 dB"}"#)).channels, rate: 48_000)
    #expect(abs(lower.integrated - -37) < 0.1, "\(lower)")
    // The whole track counts, also where a part of it is played.
    let part = try samples(edit("", mix: #"{"track": "t", "loudness": -31}"#, source: #", "source": {"start": "1"}"#)).channels
    #expect(abs(try ffmpegLevels(part, rate: 48_000).integrated - -31) < 0.1)
  }

  @Test func `the attempt's proof tells it, and a verification finds the movie's samples and says the same`() throws {
    try source(Self.strokes, seconds: 3)
    let edit = try edit(#""loudness": "streaming","#)
    guard case .sound(let proof) = try workshop.run(.sound, task: 9, of: edit, output: "p.wav").proof else {
      throw MediaTools.Failure(description: "the sound's proof is another one")
    }
    let told = try #require(proof.loudness)
    #expect(try told == samples(edit).loudness && told.limiting > 0)
    let movie = try workshop.movie(of: edit, borders: [], output: "m.wav")
    let verification = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verification.faults == [] && verification.loudness == told && verification.samples == 144_000)
    // The movie without a loudness is another one.
    let plain = try MovieVerification(of: movie, against: self.edit(""), policy: workshop.policy) { _ in }
    #expect(plain.faults.first?.hasSuffix("differs from the mix's") == true)
  }

  @Test func `the same samples come every time`() throws {
    try source(Self.strokes, seconds: 3)
    let edit = try edit(#""loudness": "streaming","#)
    #expect(try samples(edit).channels == samples(edit).channels)
  }
}
