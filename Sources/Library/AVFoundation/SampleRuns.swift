/// Values that many samples after each other have, as the tables of movies tell them.
struct SampleRuns: Sendable {
  /// The first sample of each run, its value, and the sum of the values of all samples before it.
  private(set) var firsts: [Int] = []
  private(set) var values: [Int64] = []
  private var sums: [Int64] = []
  /// The number of samples.
  private(set) var end = 0
  private var total: Int64 = 0

  /// Adds a run.
  ///
  /// - Returns: false where the numbers are too large for any movie.
  mutating func add(_ count: Int, _ value: Int64) -> Bool {
    let (grown, isTooMuch) = value.multipliedReportingOverflow(by: Int64(count))
    guard count >= 0, end < 1 << 48, !isTooMuch, abs(grown) < 1 << 60, abs(total) < 1 << 60 else { return false }
    firsts.append(end)
    values.append(value)
    sums.append(total)
    (end, total) = (end + count, total + grown)
    return true
  }

  /// The place of a sample's run.
  func run(_ index: Int) -> Int { max(0, firsts.indices.leading { firsts[$0] <= index } - 1) }

  func value(_ index: Int) -> Int64 { values.isEmpty ? 0 : values[run(index)] }

  /// The sum of the values of all samples before one.
  func sum(before index: Int) -> Int64 {
    guard !values.isEmpty else { return 0 }
    let run = run(index)
    return sums[run] + values[run] * Int64(index - firsts[run])
  }
}

extension Range<Int> {
  /// The number of values from the beginning on for which a condition holds, which holds for none after them.
  func leading(_ holds: (Int) -> Bool) -> Int {
    var (low, high) = (lowerBound, upperBound)
    while low < high {
      let middle = low + (high - low) / 2
      if holds(middle) { low = middle + 1 } else { high = middle }
    }
    return low - lowerBound
  }
}
