internal import Timeline

extension Envelope where Value == Double {
  /// The values as shares of one, each brought into 0...1.
  ///
  /// - Parameter fault: makes the error of a value that moves into these bounds or out of them. The keyframes alone are brought to a
  ///   bound, so between two of them it would be another value than the one that was asked for.
  func shares(_ fault: (_ words: String) -> AVError) throws(AVError) -> Envelope {
    for (one, next) in zip(keyframes, keyframes.dropFirst()) where !one.holds && one.time < next.time {
      let (low, high) = (min(one.value, next.value), max(one.value, next.value))
      // Floating point leaves the last digits behind.
      guard low > -1e-6 && high < 1 + 1e-6 || high <= 0 || low >= 1 else {
        throw fault("moves from \(one.value) to \(next.value), which is not in 0...1 on all of its way")
      }
    }
    return map { min(max($0, 0), 1) }
  }
}
