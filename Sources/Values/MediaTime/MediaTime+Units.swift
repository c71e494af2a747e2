extension MediaTime {
  /// The number of units of a length that reach as far as this time, the last of them perhaps beyond it; at least one.
  ///
  /// - Parameter length: positive.
  package func units(of length: MediaTime) -> Int64 {
    let (product, unit) = (Int128(value) * Int128(length.timescale), Int128(timescale) * Int128(length.value))
    return max(1, Int64(clamping: (product + unit - 1) / unit))
  }
}
