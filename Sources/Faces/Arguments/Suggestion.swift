/// Finds the known word that an unknown word was probably meant to be.
enum Suggestion {
  /// - Returns: the nearest word of `known`, the first one when several are equally near. Nil when none is near: each differs in
  ///   more than one letter and in more than a third of the letters.
  static func nearest(to word: String, among known: [String]) -> String? {
    let rated = known.map { (name: $0, distance: distance(word, $0)) }
    guard let best = rated.min(by: { $0.distance < $1.distance }), best.distance <= max(1, word.count / 3) else { return nil }
    return best.name
  }

  /// The restricted Damerau-Levenshtein distance: the number of insertions, deletions, replacements and swaps of neighbouring
  /// letters.
  static func distance(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var cost = min(last[j] + (a[i] == b[j] ? 0 : 1), last[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { cost = min(cost, beforeLast[j - 1] + 1) }
        row.append(cost)
      }
      (beforeLast, last) = (last, row)
    }
    return last[b.count]
  }
}
