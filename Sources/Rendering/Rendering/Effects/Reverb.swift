internal import Formats
internal import MediaTime
internal import Timeline

/// The sound of a room: a feedback delay network (J.-M. Jot and A. Chaigne, "Digital delay networks for designing artificial
/// reverberators", AES 90, 1991) of 16 lines.
///
/// The samples that leave the lines are mixed by a Hadamard matrix, which keeps their energy, and go back into them. Each line lowers them by as
/// much as belongs to its length, and high frequencies by more, so that the decay is the stated one. All channels but the LFE go
/// in and come out by rows of that matrix, so no two channels hear the same. It is computed in double precision, by additions and
/// multiplications in a fixed order: the same bits on every machine.
final class ReverbEffect: BlockEffect {
  static let lineCount = 16
  /// The shortest and the longest line, in seconds. Between them they grow by a constant factor.
  private static let spans = 0.031...0.097
  /// The state below which nothing of any sample is left. Smaller numbers would slow the processor down.
  private static let nothing = 1e-30

  /// A line of delay, with what lowers it once a round: `gain`, and a filter of first order with one pole.
  private struct Line {
    var samples: [Double]
    let gain: Double
    let pole: Double
    var place = 0
    var state = 0.0

    /// Takes what has gone round, lowered.
    mutating func next() -> Double {
      state = gain * (1 - pole) * samples[place] + pole * state
      if abs(state) < ReverbEffect.nothing { state = 0 }
      return state
    }

    mutating func put(_ sample: Double) {
      samples[place] = sample
      place = place + 1 == samples.count ? 0 : place + 1
    }
  }

  private var lines: [Line]
  /// The samples of each channel that is heard in the room, on their way there.
  private var early: [[Double]]
  private var earlyPlace = 0
  /// The channels that are heard in the room: all but those of low frequencies.
  private let channels: [Int]
  private let level: Double
  /// The samples that leave the lines, and those that go into them.
  private var (room, mix) = ([Double](repeating: 0, count: lineCount), [Double](repeating: 0, count: lineCount))

  init(_ reverb: Reverberation, _ settings: AudioCodecSettings) throws(TimeError) {
    let rate = Double(settings.sampleRate)
    let places = settings.channelLayout.places
    channels = places.indices.filter { places[$0] != .lowFrequency }
    let lengths = Self.lineLengths(sampleRate: rate)
    // A click puts its energy into the lines, which lose it by 60 dB in `decay`. All the while a share of it comes out with each
    // sample: one of as many as the lines have samples. So the click's echoes together have about its energy, times the level.
    let energy = rate * reverb.decay.seconds / (Double(lengths.reduce(0, +)) * Logarithm.natural(1_000_000))
    level = Exponential.gain(decibels: reverb.level) / energy.squareRoot()
    let preDelay = Int(try reverb.preDelay.samples(at: settings.sampleRate))
    early = Array(repeating: Array(repeating: 0, count: preDelay), count: channels.count)
    lines = lengths.map { length in
      // The dB that a round takes of low frequencies and of the highest. What the pole takes more follows from the two.
      let loss = 60 * Double(length) / (rate * reverb.decay.seconds)
      let gain = Exponential.gain(decibels: -loss)
      let highest = Exponential.gain(decibels: -loss / reverb.brightness)
      return Line(samples: Array(repeating: 0, count: length), gain: gain, pole: (gain - highest) / (gain + highest))
    }
  }

  /// The lengths of the lines in samples: prime numbers, so that their echoes seldom meet.
  static func lineLengths(sampleRate: Double) -> [Int] {
    let step = Exponential.power(Logarithm.natural(spans.upperBound / spans.lowerBound) / Double(lineCount - 1))
    var (length, found): (Double, [Int]) = (spans.lowerBound * sampleRate, [])
    for _ in 0..<lineCount {
      var prime = max(Int(length), (found.last ?? 1) + 1)
      while (2..<prime).prefix(while: { $0 * $0 <= prime }).contains(where: { prime % $0 == 0 }) { prime += 1 }
      found.append(prime)
      length *= step
    }
    return found
  }

  func process(_ block: SampleBlock) {
    for index in 0..<block.count {
      for line in lines.indices {
        room[line] = lines[line].next()
        mix[line] = room[line]
      }
      Self.spread(&mix)
      for (number, channel) in channels.enumerated() {
        let plane = unsafe block.planes[channel]
        let dry = unsafe Double(plane[index])
        let input = delayed(dry, number)
        var wet = 0.0
        // Rows of the matrix are the sides of its lines: each line hears a channel, and is heard in it, with one sign.
        for line in lines.indices {
          let isTurned = (line & number).nonzeroBitCount & 1 == 1
          mix[line] += (isTurned ? -input : input) / 4
          wet += isTurned ? -room[line] : room[line]
        }
        unsafe plane[index] = Float(dry + level * wet / 4)
      }
      for line in lines.indices { lines[line].put(mix[line]) }
      if let length = early.first?.count, length > 0 { earlyPlace = earlyPlace + 1 == length ? 0 : earlyPlace + 1 }
    }
  }

  /// The sample of a channel that was given a pre-delay ago.
  private func delayed(_ sample: Double, _ number: Int) -> Double {
    guard !early[number].isEmpty else { return sample }
    defer { early[number][earlyPlace] = sample }
    return early[number][earlyPlace]
  }

  /// Multiplies by the Hadamard matrix of 16 rows, divided by 4, in steps of sums and differences.
  private static func spread(_ values: inout [Double]) {
    var half = 1
    while half < lineCount {
      for start in stride(from: 0, to: lineCount, by: 2 * half) {
        for index in start..<start + half {
          let (a, b) = (values[index], values[index + half])
          (values[index], values[index + half]) = (a + b, a - b)
        }
      }
      half *= 2
    }
    for index in 0..<lineCount { values[index] /= 4 }
  }
}
