import FarmTesting
import Glibc
import Media
import MediaTime
import Rendering
import Testing

/// Sound at another speed that keeps its pitch, measured against the tone that it is made of.
@Suite struct `The pitch of sound at another speed` {
  private let workshop = Workshop()

  private func tone() throws {
    try MediaTools.ffmpeg(["-f", "lavfi", "-i", "sine=440:d=4:r=48000", "-c:a", "pcm_f32le", workshop.file("s.wav")])
  }

  private func mix(_ segments: String, preserves: Bool = true, compositions: String = "{}") throws -> [Float] {
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"s": {"path": "s.wav"}}, "compositions": \(compositions),
       "composition": {"tracks": [{"id": "S", "media": "audio", "segments": [\(segments)]}]},
       "audioMix": [{"track": "S", "preservesPitch": \(preserves)}],
       "export": {"fileType": "mkv", "audio": {"codec": "flac", "channelLayout": "mono"}}}
      """)
    let mix = try SoundMix(edit: edit, policy: workshop.policy)
    var samples: [Float] = []
    while let block = try mix.next() { unsafe samples += Array(block.samples[0]) }
    return samples
  }

  /// The frequency of a tone in hertz: its rising zero crossings over the time from the first to the last of them, without the
  /// first and last eighth of the sound.
  private func frequency(_ samples: [Float]) -> Double {
    let middle = samples.count / 8..<samples.count * 7 / 8
    let crossings = middle.dropLast().filter { samples[$0] < 0 && samples[$0 + 1] >= 0 }
      .map { Double($0) + Double(samples[$0] / (samples[$0] - samples[$0 + 1])) }
    guard let first = crossings.first, let last = crossings.last, last > first else { return 0 }
    return Double(crossings.count - 1) * 48_000 / (last - first)
  }

  private func cents(_ frequency: Double, above base: Double) -> Double { 1_200 * log2(frequency / base) }

  @Test(arguments: [("8", 2.0), ("5", 1.25), ("2", 0.5), ("3.2", 0.8), ("10.81", 2.7025), ("0.6", 0.15)])
  func `it is kept to a cent, and the length to the sample`(duration: String, ratio: Double) throws {
    try tone()
    let samples = try mix(#"{"asset": "s", "source": {"start": "0", "duration": "4"}, "duration": "\#(duration)"}"#)
    #expect(samples.count == Int((192_000 * ratio).rounded()))
    #expect(abs(cents(frequency(samples), above: 440)) < 1)
    // ffmpeg's tone has an amplitude of an eighth.
    let middle = samples[samples.count / 4..<samples.count * 3 / 4]
    let power = middle.reduce(0.0) { $0 + Double($1 * $1) } / Double(middle.count)
    #expect(abs((2 * power).squareRoot() - 0.125) < 0.005)
  }

  @Test func `it follows the speed where nothing else is said`() throws {
    try tone()
    let segment = #"{"asset": "s", "source": {"start": "0", "duration": "4"}, "duration": "2"}"#
    #expect(abs(cents(frequency(try mix(segment, preserves: false)), above: 880)) < 1)
    // At its own speed the sound is not touched.
    let own = #"{"asset": "s", "source": {"start": "0", "duration": "4"}}"#
    #expect(try mix(own) == mix(own, preserves: false))
  }

  @Test func `what happens stays at its time, forwards and backwards`() throws {
    // A burst of 10 ms each second, half a second after its start.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i", "aevalsrc='0.5*sin(2*PI*3000*t)*between(mod(t,1),0.5,0.51)':s=48000:d=4", "-c:a", "pcm_f32le",
      workshop.file("s.wav"),
    ])
    for (duration, reversed) in [("6", false), ("3", false), ("6", true), ("3", true)] {
      let samples = try mix(
        #"{"asset": "s", "source": {"start": "0", "duration": "4"}, "duration": "\#(duration)", "reversed": \#(reversed)}"#)
      let second = samples.count / 4
      for index in 0..<4 {
        // The burst's energy has its middle where the burst has its own.
        let part = samples[index * second..<(index + 1) * second].enumerated()
        let energies = part.map { (place: Double($0.offset), energy: Double($0.element * $0.element)) }
        let energy = energies.reduce(0) { $0 + $1.energy }
        let middle = energies.reduce(0) { $0 + $1.place * $1.energy } / energy
        let expected = (reversed ? 0.495 : 0.505) * Double(second)
        #expect(abs(middle - expected) < 480, "\(duration) s, burst \(index)")
        #expect(energy > 1)
      }
    }
  }

  @Test func `of nested speeds, those count whose track does not preserve it`() throws {
    try tone()
    // Inside the tone plays at half its speed, an octave lower; the outer track plays that twice as fast and keeps the pitch.
    let inner = #"""
      {"n": {"tracks": [{"id": "T", "media": "audio",
        "segments": [{"asset": "s", "source": {"start": "0", "duration": "4"}, "duration": "8"}]}]}}
      """#
    let samples = try mix(
      #"{"composition": "n", "source": {"start": "0", "duration": "8"}, "duration": "4"}"#, compositions: inner)
    #expect(samples.count == 192_000)
    #expect(abs(cents(frequency(samples), above: 220)) < 1)
  }

  @Test func `a speed that leaves nothing of the sound is refused`() throws {
    try tone()
    for (source, duration) in [("3.7", "0.4"), ("0.4", "3.7")] {
      let error = #expect(throws: (any Error).self) {
        try mix(#"{"asset": "s", "source": {"start": "0", "duration": "\#(source)"}, "duration": "\#(duration)"}"#)
      }
      #expect(
        "\(error.map { "\($0)" } ?? "")".contains(
          "composition.tracks[0].segments[0]: more than 8 times faster or slower than the source, with preservesPitch"))
    }
    // Nested speeds multiply.
    let inner = #"""
      {"n": {"tracks": [{"id": "T", "media": "audio",
        "segments": [{"asset": "s", "source": {"start": "0", "duration": "4"}, "duration": "1"}]}],
        "audioMix": [{"track": "T", "preservesPitch": true}]}}
      """#
    let error = #expect(throws: (any Error).self) {
      try mix(#"{"composition": "n", "source": {"start": "0", "duration": "1"}, "duration": "0.25"}"#, compositions: inner)
    }
    #expect("\(error.map { "\($0)" } ?? "")".contains("16.0 times as fast at its own pitch, beyond 1/8...8"))
  }

  @Test(arguments: [(1, 1), (1, 8), (3, 1), (1000, 8000), (8000, 1000), (1024, 1025), (70_000, 50_001)])
  func `any amount of sound becomes any other, however it is read`(inputCount: Int64, outputCount: Int64) throws {
    func stretched(by step: Int) -> [Float] {
      let stretcher = TimeStretcher(sampleRate: 48_000, channelCount: 1, inputCount: inputCount, outputCount: outputCount)
      var fed = 0
      var samples: [Float] = []
      var plane = [Float](repeating: 0, count: step)
      while true {
        let count = unsafe plane.withUnsafeMutableBufferPointer { plane in
          unsafe stretcher.read(step, into: [plane]) { count, planes in
            for index in 0..<count { unsafe planes[0][index] = sinf(Float(fed + index) / 20) }
            fed += count
            return count
          }
        }
        samples += plane[..<count]
        if count < step { break }
      }
      #expect(fed == Int(inputCount))
      return samples
    }
    let whole = stretched(by: 100_000)
    #expect(whole.count == Int(outputCount) && whole.allSatisfy { abs($0) < 1.5 })
    #expect(stretched(by: 77) == whole)
  }
}
