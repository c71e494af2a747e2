internal import Formats
internal import MediaTime

/// The text of a cue in runs of one look, from which a cue gets what holds for all of it.
struct CueRuns {
  struct Look: Hashable {
    var isBold = false
    var isItalic = false
    var isUnderlined = false
    var isStruck = false
    var color: RGBAColor?
    var isCombined = false
    var language: String?
    var emphasis: TextEmphasis?
  }

  private struct Run {
    var text: String
    var look: Look
    var time: MediaTime?
    var ruby: String?
  }

  private var runs: [Run] = []
  var look = Look()
  /// The time from which what follows is sung or said.
  private var time: MediaTime?
  private var hasTimes = false
  /// The ends of words that say them, by their beginnings.
  private var ends: [MediaTime: MediaTime] = [:]

  mutating func append(_ text: String) {
    guard !text.isEmpty else { return }
    runs.append(Run(text: text, look: look, time: time))
  }

  /// The number of runs so far, at which a base of ruby may begin.
  var count: Int { runs.count }

  /// Lays a ruby over the runs from an earlier number on. A base of several looks gets that of its beginning.
  ///
  /// - Returns: whether there is a base in one line.
  mutating func lay(_ ruby: String, over first: Int) -> Bool {
    guard let beginning = runs.dropFirst(first).first(where: { !$0.text.isEmpty }),
      runs[first...].allSatisfy({ !$0.text.contains("\n") })
    else { return false }
    (runs[first].time, runs[first].look) = (beginning.time, beginning.look)
    runs[first].text = runs[first...].map(\.text).joined()
    runs[first].ruby = ruby
    runs.removeSubrange((first + 1)...)
    return true
  }

  /// The time at which the first text begins; nil where that is when the cue does.
  var firstTime: MediaTime? { runs.first { !$0.text.trimmed.isEmpty }?.time }

  /// Begins a word, and ends the one before it, also where no text follows.
  mutating func begin(at time: MediaTime) {
    (self.time, hasTimes) = (time, true)
    runs.append(Run(text: "", look: look, time: time))
  }

  /// Ends the word that began at a time.
  mutating func endWord(from begin: MediaTime, at end: MediaTime) { ends[begin] = end }

  /// The cue of this text; nil and a remark where it cannot be shown.
  ///
  /// - Parameter usual: the look that counts as none.
  func cue(
    from start: MediaTime, to end: MediaTime, line: Int, usual: Look = Look(), _ log: inout CaptionLog
  ) -> CaptionCue? {
    let tidied = tidiedRuns
    var text = tidied.map(\.text).joined()
    // A text of marks of direction alone shows nothing.
    if text.unicodeScalars.allSatisfy({ $0.isSpace || $0.isMarkOfDirection }) { text = "" }
    guard var cue = log.cue(from: start, to: end, text, words: words(from: start), line: line) else { return nil }
    let looks = tidied.filter { !$0.text.trimmed.isEmpty }.map(\.look)
    guard let first = looks.first else { return cue }
    if looks.allSatisfy(\.isBold) { cue.weight = 700 }
    let isOneColor = looks.allSatisfy { $0.color == first.color }
    if isOneColor { cue.color = first.color == usual.color ? nil : first.color }
    var place = 0
    for run in tidied {
      let bytes = place..<place + run.text.utf8.count
      place = bytes.upperBound
      var look = CaptionCue.Span.Look()
      if run.look.isBold, cue.weight == nil { look.weight = 700 }
      (look.isItalic, look.isUnderlined) = (run.look.isItalic, run.look.isUnderlined)
      look.isStruckThrough = run.look.isStruck
      if !isOneColor { look.color = run.look.color == usual.color ? nil : run.look.color }
      (look.ruby, look.isCombined, look.emphasis) = (run.ruby, run.look.isCombined, run.look.emphasis)
      look.language = run.look.language
      if look != CaptionCue.Span.Look() { cue.add(CaptionCue.Span(bytes, look)) }
    }
    return cue
  }

  private func words(from start: MediaTime) -> [CaptionCue.Word] {
    guard hasTimes else { return [] }
    var words: [CaptionCue.Word] = []
    for run in runs {
      let (time, isNew) = (run.time ?? start, words.isEmpty || words.last?.time != (run.time ?? start))
      if isNew { words.append(.init(time, run.text)) } else { words[words.count - 1].text += run.text }
    }
    return words.map { .init($0.time, Self.tidied($0.text), until: ends[$0.time]) }.spoken
  }

  /// The text without spaces at the ends of lines, and without empty lines at its ends.
  private static func tidied(_ text: String) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map(\.trimmed).joined(separator: "\n").trimmed
  }

  /// The runs of which the tidied text consists.
  private var tidiedRuns: [(text: String, look: Look, ruby: String?)] {
    var rest = Self.tidied(runs.map(\.text).joined()).unicodeScalars[...]
    return runs.compactMap { run in
      var kept = String.UnicodeScalarView()
      // Only spaces were taken out, so what comes next in the tidied text comes next here.
      for scalar in run.text.unicodeScalars where rest.first == scalar {
        kept.append(scalar)
        rest.removeFirst()
      }
      return kept.isEmpty ? nil : (String(kept), run.look, run.ruby)
    }
  }
}

extension Unicode.Scalar {
  /// Whether it begins or ends an embedded, isolated or overridden part of a text (Unicode Standard Annex 9).
  fileprivate var isMarkOfDirection: Bool { 0x202a...0x202e ~= value || 0x2066...0x2069 ~= value }
}

extension CaptionCue {
  /// Adds a part behind those that there are.
  fileprivate mutating func add(_ span: Span) {
    if let last = spans.last, last.look == span.look, span.look.ruby == nil, !span.look.isCombined,
      last.bytes.upperBound == span.bytes.lowerBound
    {
      spans[spans.count - 1].bytes = last.bytes.lowerBound..<span.bytes.upperBound
    } else {
      spans.append(span)
    }
  }
}
