internal import Formats
internal import Timeline

/// A filter of second order in double precision, as the "Audio EQ Cookbook" (R. Bristow-Johnson) gives its coefficients. It is computed in
/// the transposed direct form II, by additions and multiplications in a fixed order: the same bits on every machine.
struct Biquad {
  var coefficients: Coefficients
  private var first = 0.0
  private var second = 0.0
  /// The state below which nothing of any sample is left. Smaller numbers would slow the processor down.
  private static let nothing = 1e-30

  init(_ coefficients: Coefficients) { self.coefficients = coefficients }

  /// The filter's output for the next sample.
  mutating func next(_ input: Double) -> Double {
    let output = coefficients.b0 * input + first
    first = coefficients.b1 * input - coefficients.a1 * output + second
    second = coefficients.b2 * input - coefficients.a2 * output
    if abs(first) < Self.nothing { first = 0 }
    if abs(second) < Self.nothing { second = 0 }
    return output
  }

  /// The coefficients of the numerator and the denominator, divided by the first one of the denominator.
  struct Coefficients {
    let b0: Double
    let b1: Double
    let b2: Double
    let a1: Double
    let a2: Double

    init(_ band: EqualizerBand, sampleRate: Int32) {
      let corner = Corner(frequency: band.frequency, quality: band.quality, sampleRate: sampleRate)
      // Half of the gain in dB, as a factor.
      self.init(band.kind, corner, root: Exponential.gain(decibels: band.gain / 2))
    }

    /// - Parameter root: the square root of the linear gain.
    init(_ kind: EqualizerBand.Kind, _ corner: Corner, root: Double) {
      let (alpha, cosine) = (corner.alpha, corner.cosine)
      let (b, a): (SIMD3<Double>, SIMD3<Double>)
      switch kind {
      case .peak:
        b = SIMD3(1 + alpha * root, -2 * cosine, 1 - alpha * root)
        a = SIMD3(1 + alpha / root, -2 * cosine, 1 - alpha / root)
      case .lowPass:
        b = SIMD3((1 - cosine) / 2, 1 - cosine, (1 - cosine) / 2)
        a = SIMD3(1 + alpha, -2 * cosine, 1 - alpha)
      case .highPass:
        b = SIMD3((1 + cosine) / 2, -(1 + cosine), (1 + cosine) / 2)
        a = SIMD3(1 + alpha, -2 * cosine, 1 - alpha)
      case .lowShelf, .highShelf:
        // The high shelf is the low one with the frequency axis turned over.
        let (turned, sign) = kind == .lowShelf ? (cosine, 1.0) : (-cosine, -1.0)
        let (more, less, slope) = (root + 1, root - 1, 2 * root.squareRoot() * alpha)
        b = SIMD3(
          root * (more - less * turned + slope), sign * 2 * root * (less - more * turned),
          root * (more - less * turned - slope))
        a = SIMD3(more + less * turned + slope, sign * -2 * (less + more * turned), more + less * turned - slope)
      }
      (b0, b1, b2, a1, a2) = (b.x / a.x, b.y / a.x, b.z / a.x, a.y / a.x, a.z / a.x)
    }
  }

  /// The frequency and the quality of a filter at a sample rate.
  struct Corner {
    let alpha: Double
    let cosine: Double

    /// - Precondition: the frequency is below half of the rate.
    init(frequency: Double, quality: Double = EqualizerBand.usualQuality, sampleRate: Int32) {
      precondition(frequency < Double(sampleRate) / 2, "a frequency that the sound has")
      let (sine, cosine) = Trigonometry.sineAndCosine(degrees: 360 * frequency / Double(sampleRate))
      (alpha, self.cosine) = (sine / (2 * quality), cosine)
    }
  }
}
