internal import Glibc
internal import MediaTime
internal import Timeline

/// Measures the spectrum of sound at equal distances of time.
///
/// Each moment is the middle of its step. The samples around it are weighted by Hann's window and transformed (the discrete Fourier
/// transform). The power of each frequency goes to the bands that it lies in, by shares where it lies in two. The level of a band is the
/// amplitude of a sine of as much power, in the loudest channel.
struct SpectrumMeter {
  /// The samples of a window, a power of two: 85 ms at 48 kHz, so that the lowest bands are told apart.
  static let windowLength = 4096

  private let waveform: WaveformContent
  private let spectrum: WaveformContent.Spectrum
  /// The first sample of the window of each moment. It may lie before the beginning.
  private let starts: [Int64]
  private let transform = FourierTransform(Self.windowLength)
  private let weights: [Double]
  /// The bins of each band, with the share of their power that it has.
  private let bands: [[(bin: Int, share: Double)]]
  /// The samples of each channel that later windows need, and the position of the first of them.
  private var (kept, first): ([[Double]], Int64) = ([], 0)
  /// The levels so far, of all bands of each moment.
  private var levels: [Double] = []

  init(_ waveform: WaveformContent, _ spectrum: WaveformContent.Spectrum, sampleRate: Int32) throws(TimeError) {
    (self.waveform, self.spectrum) = (waveform, spectrum)
    let (begin, step) = (Rational(waveform.range.start), Rational(spectrum.step))
    let rate = Rational(Int64(sampleRate))
    starts = try (0..<waveform.momentCount).map { (index) throws(TimeError) in
      let middle = try (begin + step * Rational(Int128(2 * index + 1), over: 2)) * rate
      return Int64(clamping: try middle.rounded()) - Int64(Self.windowLength / 2)
    }
    let length = Double(Self.windowLength)
    weights = (0..<Self.windowLength).map { (index: Int) -> Double in
      let angle: Double = 2 * .pi * (Double(index) + 0.5) / length
      return 0.5 - 0.5 * cos(angle)
    }
    let (width, count) = (Double(sampleRate) / length, Double(waveform.bars))
    func edge(_ index: Int) -> Double { spectrum.from * pow(spectrum.to / spectrum.from, Double(index) / count) / width + 0.5 }
    bands = (0..<waveform.bars).map { band in
      // Bin k has the frequencies from k - 1/2 to k + 1/2, which `edge` counts from 0.
      let (low, high) = (edge(band), min(edge(band + 1), length / 2))
      guard low < high else { return [] }
      return (Int(low)...Int(high)).map { bin in (bin, min(high, Double(bin + 1)) - max(low, Double(bin))) }.filter { $0.1 > 0 }
    }
  }

  /// Whether all moments are measured.
  var isFull: Bool { levels.count >= starts.count * bands.count }

  /// Adds samples that follow those of the call before.
  mutating func add(_ channels: [UnsafeBufferPointer<Float>]) {
    if kept.isEmpty { kept = unsafe Array(repeating: [], count: channels.count) }
    for channel in kept.indices { kept[channel] += unsafe channels[channel].map(Double.init) }
    measure(untilEnd: false)
  }

  /// Measures the moments whose windows reach beyond the end, into silence.
  mutating func finish() { measure(untilEnd: true) }

  private mutating func measure(untilEnd: Bool) {
    while !isFull {
      let start = starts[levels.count / bands.count]
      guard untilEnd || start + Int64(Self.windowLength) <= first + Int64(kept.first?.count ?? 0) else { break }
      var loudest = [Double](repeating: 0, count: bands.count)
      for channel in kept {
        let powers = transform.powers(of: window(channel, from: start))
        for (band, bins) in bands.enumerated() {
          loudest[band] = max(loudest[band], bins.reduce(0) { $0 + powers[$1.bin] * $1.share })
        }
      }
      let unit = 4 / (Double(Self.windowLength) * weights.reduce(0) { $0 + $1 * $1 })
      levels += loudest.map { ($0 * unit).squareRoot() }
    }
    // Earlier samples are in no later window.
    guard !isFull else { return }
    let passed = Int(min(max(starts[levels.count / bands.count] - first, 0), Int64(kept.first?.count ?? 0)))
    for channel in kept.indices { kept[channel].removeFirst(passed) }
    first += Int64(passed)
  }

  private func window(_ channel: [Double], from start: Int64) -> [Double] {
    weights.indices.map { index in
      let place = Int(start - first) + index
      return channel.indices.contains(place) ? channel[place] * weights[index] : 0
    }
  }

  /// The heights in thousandths: of all bands of the first moment, then of the second, and so on.
  var heights: [Int] {
    let loudest = waveform.isNormalized ? levels.max() ?? 0 : 1
    let floor = waveform.floor ?? WaveformContent.Spectrum.usualFloor
    var shown = levels.map { $0 > 0 && loudest > 0 ? max(20 * log10(min($0 / loudest, 1)), floor) : floor }
    if let fall = spectrum.fall {
      let most = fall * spectrum.step.seconds
      for index in shown.indices.dropFirst(bands.count) { shown[index] = max(shown[index], shown[index - bands.count] - most) }
    }
    return shown.map { Int(((1 - $0 / floor) * Double(WaveformContent.full)).rounded()) }
  }
}

/// The discrete Fourier transform of a number of real samples that is a power of two, by Cooley and Tukey.
struct FourierTransform {
  private let count: Int
  private let cosines: [Double]
  private let sines: [Double]

  init(_ count: Int) {
    precondition(count > 1 && count & (count - 1) == 0)
    self.count = count
    cosines = (0..<count / 2).map { cos(2 * .pi * Double($0) / Double(count)) }
    sines = (0..<count / 2).map { -sin(2 * .pi * Double($0) / Double(count)) }
  }

  /// The squares of the magnitudes from frequency 0 to half of the rate: `count / 2 + 1` of them.
  func powers(of samples: [Double]) -> [Double] {
    precondition(samples.count == count)
    let bits = count.trailingZeroBitCount
    var real = (0..<count).map { samples[Int(UInt32($0).bitReversed >> (32 - UInt32(bits)))] }
    var imaginary = [Double](repeating: 0, count: count)
    var half = 1
    while half < count {
      let stride = count / (2 * half)
      for block in Swift.stride(from: 0, to: count, by: 2 * half) {
        for index in 0..<half {
          let (c, s) = (cosines[index * stride], sines[index * stride])
          let (low, high) = (block + index, block + index + half)
          let (r, i) = (real[high] * c - imaginary[high] * s, real[high] * s + imaginary[high] * c)
          (real[high], imaginary[high]) = (real[low] - r, imaginary[low] - i)
          (real[low], imaginary[low]) = (real[low] + r, imaginary[low] + i)
        }
      }
      half *= 2
    }
    return (0...count / 2).map { (index: Int) -> Double in
      let (r, i) = (real[index], imaginary[index])
      return r * r + i * i
    }
  }
}

extension UInt32 {
  /// The bits in the opposite order.
  fileprivate var bitReversed: UInt32 {
    var (rest, result) = (self, UInt32(0))
    for _ in 0..<32 {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }
}
