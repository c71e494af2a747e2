extension RandomAccessCollection {
  /// The first position at which `belongs` is true, by binary search; the end where there is none. Where `belongs` is true at a
  /// position, it must be true at all later ones.
  package func partitioningIndex(where belongs: (Element) throws -> Bool) rethrows -> Index {
    var (low, count) = (startIndex, self.count)
    while count > 0 {
      let half = count / 2
      let middle = index(low, offsetBy: half)
      if try belongs(self[middle]) {
        count = half
      } else {
        low = index(after: middle)
        count -= half + 1
      }
    }
    return low
  }
}
