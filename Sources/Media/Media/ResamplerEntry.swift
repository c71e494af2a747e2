internal import MediaTime

/// The place where a resampler begins, so that it gives the same samples as one that began at the asset's zero.
struct ResamplerEntry {
  /// The first source sample that the resampler is given.
  let position: Int64
  /// The number of samples that the resampler gives before the first wanted one.
  let superfluous: Int

  /// The length of libswresample's filter, in samples of the slower side. Twice as many samples are more than enough to fill it.
  private static let filterLength: Int64 = 32
  /// The longest period, in samples, that is taken into account. After a period, `taken` source samples and `given` output
  /// samples, the filter stands as at its start. With a longer one the resampler just begins at the nearest source sample.
  private static let longestPeriod: Int64 = 1 << 12

  /// - Parameters:
  ///   - from: the source time, in seconds, of the first wanted sample.
  ///   - rate: source seconds per output second.
  /// - Throws: `MediaError` `unsupported` for a ratio or time that cannot be handled.
  init(from: Rational, sourceRate: Int32, rate: Rational, sampleRate: Int32, at place: String) throws(MediaError) {
    let ratio = try AudioResampler.rates(from: sourceRate, by: rate, to: sampleRate, at: place)
    let nearest: Int64
    /// The number of the first wanted sample, counted from the asset's zero.
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
    // The resampler begins whole periods earlier, so that its filter reaches the first wanted sample in the same state.
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
