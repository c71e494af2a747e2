/// Sorts the words of a command line by argument, following POSIX's utility conventions and GNU's long options. Options and
/// positional arguments may be in any order. The word `--` ends the options.
struct Words {
  private let declarations: [Declaration]
  private var rest: ArraySlice<String>
  private var positionals: ArraySlice<Declaration>
  private var given: [String: [String]] = [:]

  /// - Returns: the texts of each argument, by the argument's title.
  static func sort(_ words: [String], among declarations: [Declaration]) throws(UsageError) -> [String: [String]] {
    var words = Words(
      declarations: declarations, rest: words[...], positionals: declarations.filter { $0.shape == .positional }[...])
    try words.sort()
    return words.given
  }

  private mutating func sort() throws(UsageError) {
    var takesOptions = true
    while let word = rest.popFirst() {
      if takesOptions, word == "--" {
        takesOptions = false
      } else if takesOptions, word.hasPrefix("--") {
        try long(word)
      } else if takesOptions, word.hasPrefix("-"), word != "-" {
        try short(word)
      } else {
        try positional(word)
      }
    }
    leaveLast()
  }

  /// Takes the last word of a repeated argument for the argument behind it, which is required.
  private mutating func leaveLast() {
    guard let repeated = positionals.first, let last = positionals.last, repeated.isRepeated, last != repeated,
      let word = given[repeated.title]?.popLast()
    else { return }
    given[last.title] = [word]
  }

  private mutating func positional(_ word: String) throws(UsageError) {
    guard let declaration = positionals.first else { throw .surplus(word) }
    if !declaration.isRepeated { positionals.removeFirst() }
    given[declaration.title, default: []].append(word)
  }

  private mutating func long(_ word: String) throws(UsageError) {
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let declaration = declarations.first(where: { $0.spellings.contains(parts[0]) }) else { throw unknown(parts[0]) }
    let isNegated = declaration.shape == .flag(negatable: true) && parts[0] == "--no-\(declaration.name)"
    try take(declaration, attached: parts.count == 2 ? parts[1] : nil, isNegated: isNegated)
  }

  /// Reads `-o FILE`, `-oFILE` or a flag alone. Several flags cannot be joined into one word.
  private mutating func short(_ word: String) throws(UsageError) {
    let spelling = String(word.prefix(2))
    guard let declaration = declarations.first(where: { $0.spellings.contains(spelling) }) else { throw unknown(word) }
    try take(declaration, attached: word.count > 2 ? String(word.dropFirst(2)) : nil, isNegated: false)
  }

  private mutating func take(_ declaration: Declaration, attached: String?, isNegated: Bool) throws(UsageError) {
    guard declaration.takesValue else {
      guard attached == nil else { throw .surplusValue(declaration) }
      given[declaration.title, default: []].append(isNegated ? Flag.negated : declaration.name)
      return
    }
    guard declaration.isRepeated || given[declaration.title] == nil else { throw .repeated(declaration) }
    guard let text = attached ?? rest.popFirst() else { throw .missingValue(declaration) }
    given[declaration.title, default: []].append(text)
  }

  private func unknown(_ word: String) -> UsageError {
    .unknownOption(word, suggestion: Suggestion.nearest(to: word, among: declarations.flatMap(\.spellings) + ["--help"]))
  }
}
