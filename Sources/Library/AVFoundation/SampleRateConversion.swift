/// Sound of one rate turned into another, piece by piece: the pieces may be cut anywhere, and the samples are the same.
///
/// A sample is the sum of those around its place, weighted by a sinc that a Kaiser window ends. Times are fractions of whole numbers, so that nothing
/// drifts.
struct SampleRateConversion {
  /// The zeros of the sinc on each side of its middle.
  enum Quality: Int {
    case lowest = 4, low = 8, medium = 16, high = 32, highest = 64
  }

  /// The sound before the first sample, and behind the last one, that the first and the last samples need.
  enum Priming {
    /// The first sample is where the first one was that came, with silence before it.
    case aligned
    /// Samples wait for nothing: they come later by half the window.
    case late
    /// The first half of the window is not given.
    case led
  }

  /// The attenuation of what would fold back, and the form of Kaiser's window for it.
  private static let attenuation = 96.0
  private static let beta = 0.1102 * (attenuation - 8.7)

  /// The frames of input in as many frames of output, without common factors.
  private let (inputStep, outputStep): (Int, Int)
  private let priming: Priming
  private let zeros: Int
  /// The frames of input on each side of a place that are weighted; 0 where the rates are one.
  let reach: Int
  /// The weights of each fraction of a frame that came up so far. They are kept where there are not too many.
  private var weights: [Int: [Double]] = [:]
  /// The frames that are still needed, channel by channel, and the number of the first one.
  private var kept: [[Double]]
  private var first = 0
  private var received = 0
  private var made = 0
  private(set) var isEnded = false

  /// - Parameters:
  ///   - input: the rate of what is put in, in frames a second, above 0.
  ///   - output: the rate of what is taken out.
  init(from input: Double, to output: Double, channels: Int, quality: Quality = .high, priming: Priming = .aligned) {
    // Rates are whole numbers of thousandths of a frame.
    let (source, target) = (max(1, Int((input * 1000).rounded())), max(1, Int((output * 1000).rounded())))
    let divisor = Self.greatestDivisor(source, target)
    (inputStep, outputStep) = (source / divisor, target / divisor)
    (self.priming, zeros) = (priming, quality.rawValue)
    let isOne = inputStep == outputStep
    reach = isOne ? 0 : Int((Double(quality.rawValue) * max(1, Double(inputStep) / Double(outputStep))).rounded(.up))
    kept = Array(repeating: [], count: channels)
  }

  private static func greatestDivisor(_ one: Int, _ other: Int) -> Int { other == 0 ? one : greatestDivisor(other, one % other) }

  /// Puts frames in, channel by channel.
  mutating func put(_ frames: [[Double]]) {
    precondition(!isEnded && frames.count == kept.count, "frames come before the end, for each channel")
    for (channel, samples) in frames.enumerated() { kept[channel] += samples }
    received += frames.first?.count ?? 0
  }

  /// Says that nothing more comes, so that the rest can be taken.
  mutating func end() { isEnded = true }

  /// The frames of input that are needed for as many more of output.
  func needed(for frames: Int) -> Int { max(1, place(made + frames - 1).whole + reach + 1 - received) }

  /// Takes frames out, channel by channel: as many as are wanted, or as can be made of what was put in.
  mutating func take(_ most: Int) -> [[Double]] {
    var taken: [[Double]] = Array(repeating: [], count: kept.count)
    for _ in 0..<most {
      let (whole, part) = place(made)
      // The window may reach beyond the last frame when nothing more comes. The place itself may not, and there are no more frames than there
      // was time.
      guard isEnded ? max(whole, made * inputStep / outputStep) < received : whole + reach < received else { break }
      if reach == 0 {
        for channel in kept.indices { taken[channel].append(sample(channel, whole)) }
      } else {
        let weights = weights(of: part)
        for channel in kept.indices { taken[channel].append(sum(channel, around: whole, weights)) }
      }
      made += 1
    }
    forget(before: place(made).whole - reach)
    return taken
  }

  /// The place of a frame of output, in frames of input: whole ones, and parts of which `outputStep` are one.
  private func place(_ frame: Int) -> (whole: Int, part: Int) {
    let (whole, part) = (frame * inputStep).quotientAndRemainder(dividingBy: outputStep)
    return switch priming {
    case .aligned: (whole, part)
    case .late: (whole - reach, part)
    case .led: (whole + reach, part)
    }
  }

  private func sample(_ channel: Int, _ place: Int) -> Double {
    place >= first && place < received ? kept[channel][place - first] : 0
  }

  private func sum(_ channel: Int, around place: Int, _ weights: [Double]) -> Double {
    let start = place - reach + 1
    let (low, high) = (max(start, first), min(place + reach, received - 1))
    guard low <= high else { return 0 }
    let samples = kept[channel]
    var sum = 0.0
    for index in low...high { sum += weights[index - start] * samples[index - first] }
    return sum
  }

  private mutating func forget(before place: Int) {
    // The head is cut off seldom, because all behind it moves.
    let count = min(place, received) - first
    guard count > 4096 else { return }
    for channel in kept.indices { kept[channel].removeFirst(count) }
    first += count
  }

  private mutating func weights(of part: Int) -> [Double] {
    if let known = weights[part] { return known }
    let made = computedWeights(Double(part) / Double(outputStep))
    if weights.count < 2048 { weights[part] = made }
    return made
  }

  /// The weights of the frames around a place that lies a fraction behind a frame. They sum up to 1.
  private func computedWeights(_ fraction: Double) -> [Double] {
    // The middle of the way from what passes to what does not lies half of the way below the lower rate's own half.
    let way = (Self.attenuation - 8) / (2.285 * Double(2 * zeros) * .pi)
    let scale = min(1, Double(outputStep) / Double(inputStep)) * (1 - min(0.5, way / 2))
    let made = (1 - reach...reach).map { offset -> Double in
      let distance = Double(offset) - fraction
      let window = distance / Double(reach)
      guard abs(window) < 1 else { return 0 }
      let turn = Double.pi * distance * scale
      let sinc = abs(turn) < 1e-9 ? 1 : sin(turn) / turn
      return sinc * Self.bessel(Self.beta * (1 - window * window).squareRoot())
    }
    let sum = made.reduce(0, +)
    return made.map { $0 / sum }
  }

  /// The modified Bessel function of the first kind and order zero, by its series.
  private static func bessel(_ value: Double) -> Double {
    var (sum, term) = (1.0, 1.0)
    for index in 1..<64 {
      term *= (value / 2 / Double(index)) * (value / 2 / Double(index))
      sum += term
      if term < sum * 1e-16 { break }
    }
    return sum
  }
}
