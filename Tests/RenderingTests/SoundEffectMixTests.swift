import FarmTesting
import Formats
import Glibc
import MediaTime
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Effects in the mix, against closed forms and ffmpeg's own filters.
@Suite struct `Effects in the mix` {
  private let workshop = Workshop()

  /// Writes a source with one channel of floats.
  private func source(_ samples: [Float], rate: Int = 48_000) throws {
    let bytes = samples.flatMap { sample in (0..<4).map { UInt8(truncatingIfNeeded: sample.bitPattern >> (8 * $0)) } }
    try MediaTools.ffmpeg(
      ["-f", "f32le", "-ar", "\(rate)", "-ac", "1", "-i", "-", "-c:a", "pcm_f32le", workshop.file("s.wav")], input: bytes)
  }

  private func edit(
    _ effects: String, whole: String = "[]", mix: String = "", export: String = "", segment: String = "", layout: String = "mono",
    rate: Int = 48_000
  ) throws -> ResolvedTimeline {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.wav"}}, "composition": {"tracks": [
        {"id": "t", "media": "audio", "segments": [{"asset": "s"\(segment)}]}]},
       "audioMix": [{"track": "t", "effects": \(effects)\(mix)}],
       "export": {"fileType": "wav", "effects": \(whole), \(export)
        "audio": {"codec": "pcm", "sampleFormat": "float32", "channelLayout": "\(layout)", "sampleRate": \(rate)}}}
      """)
  }

  private func samples(_ edit: ResolvedTimeline) throws -> [Float] {
    let sound = try MasteredSound(edit: edit, policy: workshop.policy)
    var samples: [Float] = []
    while let block = try sound.next() { unsafe samples += Array(block.samples[0]) }
    return samples
  }

  private func noise(_ count: Int) -> [Float] {
    var random = SeededRandom(seed: 7)
    return (0..<count).map { _ in Float.random(in: -0.25...0.25, using: &random) }
  }

  /// The square of the magnitude of a ratio of polynomials of second order, at an imaginary number.
  private func power(_ numerator: [Double], _ denominator: [Double], at frequency: Double) -> Double {
    func power(_ c: [Double]) -> Double {
      let (real, imaginary) = (c[2] - c[0] * frequency * frequency, c[1] * frequency)
      return real * real + imaginary * imaginary
    }
    return power(numerator) / power(denominator)
  }

  /// The gain in dB of the analogue filter that a band stands for, after the bilinear transform has bent its frequencies.
  private func response(_ kind: String, _ center: Double, _ gain: Double, _ q: Double, at frequency: Double, rate: Double)
    -> Double
  {
    let s = tan(.pi * frequency / rate) / tan(.pi * center / rate)
    let a = pow(10, gain / 40)
    let slope = a.squareRoot() / q
    let found =
      switch kind {
      case "peak": power([1, a / q, 1], [1, 1 / (a * q), 1], at: s)
      case "lowPass": power([0, 0, 1], [1, 1 / q, 1], at: s)
      case "highPass": power([1, 0, 0], [1, 1 / q, 1], at: s)
      case "lowShelf": a * a * power([1, slope, a], [a, slope, 1], at: s)
      default: a * a * power([a, slope, 1], [1, slope, a], at: s)
      }
    return 10 * log10(found)
  }

  private static let bands: [(kind: String, center: Double, gain: Double, q: Double)] = [
    ("peak", 1_000, 6, 1), ("peak", 300, -12, 4), ("lowShelf", 200, 9, 0.7), ("highShelf", 5_000, -7, 0.5),
    ("lowPass", 3_000, 0, 0.7071),
    ("highPass", 120, 0, 2), ("peak", 20_000, 3, 0.5), ("lowShelf", 60, -24, 1),
  ]

  private func effect(_ band: (kind: String, center: Double, gain: Double, q: Double)) -> String {
    let gain = band.kind.hasSuffix("Pass") ? "" : "\"gain\": \"\(band.gain) dB\", "
    return "[{\"equalizer\": [{\"kind\": \"\(band.kind)\", \(gain)\"frequency\": \(band.center), \"q\": \(band.q)}]}]"
  }

  @Test(arguments: bands.indices)
  func `an equaliser's impulse response has the formula's gain at every frequency`(index: Int) throws {
    let band = Self.bands[index]
    try source([1] + Array(repeating: 0, count: 95_999))
    let found = try samples(edit(effect(band)))
    #expect(found.count == 96_000)
    for frequency in [20.0, 50, 120, 300, 1_000, 2_500, 5_000, 10_000, 20_000, 23_000] {
      var (real, imaginary) = (0.0, 0.0)
      for (n, sample) in found.enumerated() where sample != 0 {
        let angle = (frequency * Double(n) / 48_000).truncatingRemainder(dividingBy: 1) * 2 * .pi
        (real, imaginary) = (real + Double(sample) * cos(angle), imaginary - Double(sample) * sin(angle))
      }
      let measured = 10 * log10(real * real + imaginary * imaginary)
      let expected = response(band.kind, band.center, band.gain, band.q, at: frequency, rate: 48_000)
      // What a pass lets through so little of ends in the rounding of floats.
      guard expected > -90 else { continue }
      #expect(abs(measured - expected) < 0.01, "\(frequency) Hz: \(measured) dB instead of \(expected) dB")
    }
  }

  @Test(arguments: [100.0, 1_000, 8_000])
  func `sines come out of an equaliser as loud as the formula has it`(frequency: Double) throws {
    let bands = [Self.bands[0], Self.bands[2], Self.bands[3]]
    try source((0..<96_000).map { Float(0.2 * sin(2 * .pi * frequency * Double($0) / 48_000)) })
    let list = bands.map { String(effect($0).dropFirst(16).dropLast(3)) }.joined(separator: ", ")
    let found = try samples(edit("[{\"equalizer\": [\(list)]}]"))
    // The second half has a whole number of periods, and no more of the beginning.
    let energy = found.suffix(48_000).reduce(0) { $0 + Double($1) * Double($1) } / 24_000
    let measured = 10 * log10(energy) - 20 * log10(0.2)
    let expected = bands.reduce(0) { $0 + response($1.kind, $1.center, $1.gain, $1.q, at: frequency, rate: 48_000) }
    #expect(abs(measured - expected) < 0.01, "\(measured) dB instead of \(expected) dB")
  }

  @Test(arguments: [
    (0, "equalizer=f=1000:t=q:w=1:g=6"), (1, "equalizer=f=300:t=q:w=4:g=-12"), (2, "lowshelf=f=200:t=q:w=0.7:g=9"),
    (3, "highshelf=f=5000:t=q:w=0.5:g=-7"), (4, "lowpass=f=3000:t=q:w=0.7071"), (5, "highpass=f=120:t=q:w=2"),
  ])
  func `an equaliser's samples are those of ffmpeg's filter`(index: Int, filter: String) throws {
    try source(noise(20_000))
    let found = try samples(edit(effect(Self.bands[index])))
    let raw = workshop.file("f.raw")
    try MediaTools.ffmpeg(["-i", workshop.file("s.wav"), "-af", "\(filter):precision=f64", "-f", "f32le", raw])
    let bytes = try [UInt8](contentsOf: raw)
    let expected = stride(from: 0, to: bytes.count, by: 4).map { start in
      Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[start + $1]) << UInt32($1 * 8) })
    }
    #expect(found.count == expected.count)
    #expect((zip(found, expected).map { abs($0 - $1) }.max() ?? 1) < 1e-6)
  }

  /// Levels that last: quiet, loud and quiet again.
  private static let steps = (0..<48_000).map { (12_000..<30_000).contains($0) ? Float(0.5) : 0.01 }

  @Test func `a compressor lowers and lets go by its time constants, to its ratio`() throws {
    try source(Self.steps)
    let found = try samples(
      edit(#"[{"compressor": {"threshold": "-20 dB", "ratio": 4, "knee": "0 dB", "attack": "0.01", "release": "0.1"}}]"#))
    let reduction = (20 * log10(0.5) + 20) * 0.75
    func gain(_ index: Int) -> Double { 20 * log10(Double(found[index] / Self.steps[index])) }
    #expect(found[..<12_000] == Self.steps[..<12_000])
    for index in stride(from: 12_000, to: 30_000, by: 97) {
      let expected = -reduction * (1 - exp(-Double(index - 11_999) / 480))
      #expect(abs(gain(index) - expected) < 1e-4, "sample \(index): \(gain(index)) dB instead of \(expected) dB")
    }
    #expect(abs(gain(29_999) + reduction) < 1e-4)
    for index in stride(from: 30_000, to: 48_000, by: 97) {
      let expected = -reduction * exp(-Double(index - 29_999) / 4_800)
      #expect(abs(gain(index) - expected) < 1e-4, "sample \(index): \(gain(index)) dB instead of \(expected) dB")
    }
  }

  @Test func `a gate opens at its threshold, holds, and closes to its range`() throws {
    try source(Self.steps)
    let found = try samples(
      edit(#"[{"gate": {"threshold": "-20 dB", "range": "-40 dB", "attack": "0.001", "hold": "0.05", "release": "0.02"}}]"#))
    func gain(_ index: Int) -> Double { Double(found[index] / Self.steps[index]) }
    #expect(abs(gain(11_999) - 0.01) < 1e-6)
    for index in stride(from: 12_000, to: 12_500, by: 7) {
      #expect(abs(gain(index) - (1 - 0.99 * exp(-Double(index - 11_999) / 48))) < 1e-5, "sample \(index)")
    }
    // Open, it changes no bit; the hold is 2400 samples.
    #expect(found[20_000..<32_400] == Self.steps[20_000..<32_400])
    for index in stride(from: 32_400, to: 40_000, by: 97) {
      #expect(abs(gain(index) - (0.01 + 0.99 * exp(-Double(index - 32_399) / 960))) < 1e-5, "sample \(index)")
    }
  }

  @Test func `a de-esser lowers high sound alone, and leaves soft sound as it is`() throws {
    func tones(_ high: Double) -> [Float] {
      (0..<48_000).map { n in
        let t = Double(n) / 48_000
        return Float(0.3 * sin(2 * .pi * 200 * t) + high * sin(2 * .pi * 10_000 * t))
      }
    }
    func amplitude(_ samples: [Float], _ frequency: Double) -> Double {
      var (real, imaginary) = (0.0, 0.0)
      for n in 24_000..<48_000 {
        let angle = 2 * .pi * frequency * Double(n) / 48_000
        (real, imaginary) = (real + Double(samples[n]) * cos(angle), imaginary + Double(samples[n]) * sin(angle))
      }
      return (real * real + imaginary * imaginary).squareRoot() / 12_000
    }
    let effects = #"[{"deEsser": {"threshold": "-26 dB"}}]"#
    let soft = tones(0.02)
    try source(soft)
    #expect(try samples(edit(effects)) == soft)
    try source(tones(0.4))
    let found = try samples(edit(effects))
    #expect(abs(20 * log10(amplitude(found, 200) / 0.3)) < 0.05)
    #expect(20 * log10(amplitude(found, 10_000) / 0.4) < -8)
  }

  private static let chain = #"""
    [{"equalizer": [{"kind": "highPass", "frequency": 40}, {"kind": "peak", "frequency": 900, "gain": "5 dB"}]},
     {"gate": {"threshold": "-18 dB"}}, {"compressor": {"threshold": "-20 dB", "release": "2"}}]
    """#

  @Test(arguments: [("0.5", "0.25"), ("0.1", "0.7")], [(chain, "[]"), ("[]", chain), (chain, chain)])
  func `a part of an edit has the samples of the whole, whatever its effects remember`(
    range: (start: String, duration: String), effects: (track: String, whole: String)
  ) throws {
    try source(noise(48_000))
    let fade = #", "fadeIn": "0.3", "volume": 0.7"#
    let whole = try samples(edit(effects.track, whole: effects.whole, mix: fade))
    #expect(whole.count == 48_000 && whole != noise(48_000))
    let time = #""timeRange": {"start": "\#(range.start)", "duration": "\#(range.duration)"},"#
    let part = try samples(edit(effects.track, whole: effects.whole, mix: fade, export: time))
    let (first, count) = try (Int(#require(Double(range.start)) * 48_000), Int(#require(Double(range.duration)) * 48_000))
    #expect(part == Array(whole[first..<first + count]))
  }

  @Test func `each measuring pass hears the effects, of a part, too`() throws {
    try source(noise(192_000))
    let target = #""loudness": {"integrated": -30}, "timeRange": {"start": "1", "duration": "2"},"#
    let edit = try edit(Self.chain, whole: Self.chain, export: target)
    let sound = try MasteredSound(edit: edit, policy: workshop.policy)
    let plain = try samples(self.edit(Self.chain, whole: Self.chain, export: #""timeRange": {"start": "1", "duration": "2"},"#))
    let gain = Float(pow(10, (sound.loudness?.gain ?? 0) / 20))
    let mastered = try samples(edit)
    #expect(sound.loudness?.integrated.map { abs($0 + 30) < 0.02 } == true && mastered.count == 96_000)
    #expect(zip(plain, mastered).allSatisfy { abs($0 * gain - $1) < 1e-6 })
  }

  @Test func `volumes come after a track's effects, and other tracks are not touched`() throws {
    try source(noise(24_000))
    let loud = try samples(edit(Self.chain))
    let soft = try samples(edit(Self.chain, mix: #", "volume": 0.5"#))
    #expect(zip(loud, soft).allSatisfy { $0 * 0.5 == $1 })
    let both = try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.wav"}}, "composition": {"tracks": [
        {"id": "t", "media": "audio", "segments": [{"asset": "s"}]}, {"id": "u", "media": "audio", "segments": [{"asset": "s"}]}]},
       "audioMix": [{"track": "t", "effects": \(Self.chain)}],
       "export": {"fileType": "wav", "audio": {"codec": "pcm", "channelLayout": "mono"}}}
      """)
    #expect(try zip(samples(both), zip(loud, noise(24_000))).allSatisfy { $0 == $1.1 + $1.0 })
  }

  @Test func `a track's loudness is that after its effects`() throws {
    try source(noise(144_000))
    let found = try samples(
      edit(Self.chain, mix: #", "loudness": -31"#, export: #""loudness": {"integrated": -31},"#))
    let sound = try MasteredSound(
      edit: edit(Self.chain, mix: #", "loudness": -31"#, export: #""loudness": {"integrated": -31},"#), policy: workshop.policy)
    #expect(found.count == 144_000 && abs(sound.loudness?.gain ?? 1) < 0.011)
  }

  @Test func `a movie's sound is verified with its effects`() throws {
    try source(noise(96_000))
    let time = #""timeRange": {"start": "0.5", "duration": "1"},"#
    let edit = try edit(Self.chain, whole: Self.chain, export: time, layout: "stereo")
    let movie = try workshop.movie(of: edit, borders: [], output: "m.wav")
    let verification = try MovieVerification(of: movie, against: edit, policy: workshop.policy) { _ in }
    #expect(verification.faults == [] && verification.samples == 48_000)
    let plain = try self.edit("[]", export: time, layout: "stereo")
    #expect(try MovieVerification(of: movie, against: plain, policy: workshop.policy) { _ in }.faults != [])
  }

  @Test func `a room falls by 60 dB in its decay, and its echoes have the stated energy`() throws {
    try source([1] + [Float](repeating: 0, count: 48_000 * 3 - 1))
    func echoes(_ decay: String, _ level: Int) throws -> [Double] {
      let reverb = #"{"reverb": {"decay": "\#(decay)", "level": "\#(level) dB", "preDelay": "0.05", "brightness": 1}}"#
      let heard = try samples(edit("[\(reverb)]"))
      // The sound itself is as it was. The shortest way through the room takes 31 ms after the pre-delay.
      #expect(heard[0] == 1 && heard[1..<2_400 + 1_488].allSatisfy { $0 == 0 })
      return heard.dropFirst().map { Double($0) * Double($0) }
    }
    for (decay, level) in [("1.2", -6), ("0.6", -20)] {
      let energies = try echoes(decay, level)
      // The energy that is still to come, in dB (M. R. Schroeder, "New method of measuring reverberation time", 1965).
      var (left, total): ([Double], Double) = ([], 0)
      for energy in energies.reversed() {
        total += energy
        left.append(total)
      }
      left.reverse()
      #expect(abs(10 * log10(total) - Double(level)) < 2, "\(10 * log10(total)) dB")
      let falls = [5.0, 45].map { fall in left.firstIndex { 10 * log10($0 / total) <= -fall } ?? 0 }
      let measured = Double(falls[1] - falls[0]) / 48_000 * 60 / 40
      #expect(abs(measured / (Double(decay) ?? 0) - 1) < 0.04, "\(measured) s")
    }
  }

  @Test func `a room is the same in a part as in the whole, and sounds unlike in each channel but the LFE`() throws {
    try source(noise(48_000) + [Float](repeating: 0, count: 48_000))
    let reverb = #"[{"reverb": {"decay": "0.8"}}]"#
    let whole = try samples(edit(reverb))
    let part = try samples(edit(reverb, export: #""timeRange": {"start": "0.75", "duration": "0.5"},"#))
    #expect(part == Array(whole[36_000..<60_000]))
    let sound = try MasteredSound(edit: edit(reverb, layout: "7.1.4"), policy: workshop.policy)
    var channels = [[Float]](repeating: [], count: 12)
    while let block = try sound.next() {
      for channel in channels.indices { unsafe channels[channel] += Array(block.samples[channel]) }
    }
    #expect(channels[3].allSatisfy { $0 == 0 })
    let tails = channels.enumerated().filter { $0.offset != 3 }.map { $0.element[50_000...].map(Double.init) }
    func product(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
    for (index, tail) in tails.enumerated() {
      let power = product(tail, tail)
      #expect(power > 1e-4)
      for other in tails[..<index] {
        let likeness = abs(product(tail, other)) / (power * product(other, other)).squareRoot()
        #expect(likeness < 0.5, "\(likeness)")
      }
    }
  }
}
