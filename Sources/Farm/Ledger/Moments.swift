/// A set of moments on a clock that counts in whole steps. Sums of what a set is divided into are exact.
struct Moments: Hashable, Sendable {
  /// The spans in their order. No two touch, and none is empty.
  private(set) var spans: [Range<Int>] = []

  init(_ ranges: some Sequence<Range<Int>>) {
    for range in ranges.filter({ !$0.isEmpty }).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = spans.last, range.lowerBound <= last.upperBound {
        spans[spans.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        spans.append(range)
      }
    }
  }

  /// The number of steps.
  var length: Int { spans.reduce(0) { $0 + $1.count } }

  func intersection(_ other: Moments) -> Moments {
    var (found, mine, theirs): ([Range<Int>], Int, Int) = ([], 0, 0)
    while mine < spans.count, theirs < other.spans.count {
      let both = spans[mine].clamped(to: other.spans[theirs])
      if !both.isEmpty { found.append(both) }
      if spans[mine].upperBound < other.spans[theirs].upperBound { mine += 1 } else { theirs += 1 }
    }
    return Moments(found)
  }

  func subtracting(_ other: Moments) -> Moments {
    guard let first = spans.first, let last = spans.last else { return self }
    var (gaps, begin): ([Range<Int>], Int) = ([], first.lowerBound)
    for span in other.spans where span.upperBound > first.lowerBound && span.lowerBound < last.upperBound {
      if span.lowerBound > begin { gaps.append(begin..<span.lowerBound) }
      begin = max(begin, span.upperBound)
    }
    if begin < last.upperBound { gaps.append(begin..<last.upperBound) }
    return intersection(Moments(gaps))
  }

  /// Divides the moments: each belongs to the first of the parts that has it.
  ///
  /// - Returns: the length of each part that has some, in their order; what no part has is `rest`.
  func divided<Part>(among parts: [(Part, Moments)], rest: Part) -> [(part: Part, length: Int)] {
    var (left, lengths): (Moments, [(part: Part, length: Int)]) = (self, [])
    for (part, moments) in parts {
      let length = left.intersection(moments).length
      guard length > 0 else { continue }
      lengths.append((part, length))
      left = left.subtracting(moments)
    }
    return left.length > 0 ? lengths + [(rest, left.length)] : lengths
  }
}
