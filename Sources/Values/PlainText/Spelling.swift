/// Finds the word that a misspelt word was meant to be.
package enum Spelling {
  /// A hint such as " (did you mean 'opacity'?)", with the known word nearest to `word`; empty when none is near.
  package static func hint(for word: String, among known: some Sequence<String>) -> String {
    nearest(to: word, among: known).map { " (did you mean '\($0)'?)" } ?? ""
  }

  /// The known word nearest to `word`; nil when none is near.
  package static func nearest(to word: String, among known: some Sequence<String>) -> String? {
    // The number and the length of words are bounded, since the table is quadratic and a document may hold many names. A long
    // word is hardly a slip.
    guard word.utf8.count <= 64 else { return nil }
    let near = known.filter { $0.utf8.count <= 64 }.sorted().prefix(500).map {
      ($0, distance(word.lowercased(), $0.lowercased()))
    }
    guard let (candidate, distance) = near.min(by: { $0.1 < $1.1 }), distance <= min(word.count, candidate.count) / 3 else {
      return nil
    }
    return candidate
  }

  /// Levenshtein's distance: the number of insertions, deletions and substitutions of characters.
  private static func distance(_ a: String, _ b: String) -> Int {
    let b = Array(b)
    var row = Array(0...b.count)
    for (i, character) in a.enumerated() {
      var diagonal = row[0]
      row[0] = i + 1
      for j in b.indices {
        let substituted = diagonal + (character == b[j] ? 0 : 1)
        diagonal = row[j + 1]
        row[j + 1] = min(substituted, row[j] + 1, diagonal + 1)
      }
    }
    return row[b.count]
  }
}
