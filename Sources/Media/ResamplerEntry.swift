internal import MediaTime

/// Where a resampler begins, so that it gives the same samples as one that began at the asset's zero.
struct ResamplerEntry {
  /// The first source sample that it is given.
  let position: Int64
  /// Samples that it gives before the first one that is wanted.
  let superfluous: Int

  /// libswresample's filter, in samples of the slower side; twice as many are more than it needs to be full.
  private static let filterLength: Int64 = 32
  /// The resampler stands as at its start after so many source samples at most, or no account is taken of it.
  private static let longestPeriod: Int64 = 1 << 12

  /// - Parameters:
  ///   - from: the source time of the first sample that is wanted.
  ///   - rate: source seconds per output second.
  init(from: Rational, sourceRate: Int32, rate: Rational, sampleRate: Int32, at place: String) throws(MediaError) {
    let ratio = try AudioResampler.rates(sourceRate, rate, sampleRate, place)
    let nearest: Int64
    /// The number of the first wanted sample, where all are counted from the asset's zero.
    let number: Rational
    do {
      nearest = Int64(clamping: try (from * Rational(Int64(sourceRate))).rounded())
      number = try from / rate * Rational(Int64(sampleRate))
    } catch { throw MediaError(.unsupported, at: place, "\(error)") }
    let (taken, given) = (Int64(ratio.from), Int64(ratio.to))
    guard taken != given, taken <= Self.longestPeriod, given <= Self.longestPeriod else {
      (position, superfluous) = (nearest, 0)
      return
    }
    // Whole periods, so that the filter stands before the first wanted sample as it would have by then.
    let slower = Self.filterLength * 2 * max(1, (taken + given - 1) / given)
    let periods = (slower + taken - 1) / taken
    guard number.denominator == 1, let whole = Int64(exactly: number.numerator) else {
      (position, superfluous) = (nearest - periods * taken, Int(periods * given))
      return
    }
    let period = (whole >= 0 ? whole / given : -((given - 1 - whole) / given)) - periods
    (position, superfluous) = (period * taken, Int(whole - period * given))
  }
}
