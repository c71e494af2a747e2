internal import Formats
internal import MediaTime

/// The paragraphs of timed text as cues. Those that stand in one region at one time follow each other there, in the order of the file.
struct TimedTextFlow {
  private struct Paragraph {
    let cue: CaptionCue
    let region: String
    let line: Int
  }

  private var paragraphs: [Paragraph] = []

  /// The paragraphs that are put together at one time. A page of text has fewer.
  private static let most = 16

  /// Adds a paragraph behind those that there are.
  ///
  /// - Parameter region: the region's name; nil for the whole picture.
  mutating func add(_ cue: CaptionCue, region: String?, line: Int) {
    paragraphs.append(Paragraph(cue: cue, region: region ?? "", line: line))
  }

  /// The cues of all paragraphs.
  func cues(_ log: inout CaptionLog) -> [CaptionCue] {
    var cues: [CaptionCue] = []
    let regions = Dictionary(grouping: paragraphs.indices) { paragraphs[$0].region }
    for places in regions.values.sorted(by: { $0[0] < $1[0] }) { cues += self.cues(of: places, &log) }
    return cues
  }

  /// The cues of one region's paragraphs.
  private func cues(of places: [Int], _ log: inout CaptionLog) -> [CaptionCue] {
    var cues: [CaptionCue] = []
    var (together, end): ([Int], MediaTime) = ([], .zero)
    let sorted = places.sorted { (paragraphs[$0].cue.range.start, $0) < (paragraphs[$1].cue.range.start, $1) }
    for place in sorted {
      let range = paragraphs[place].cue.range
      // A paragraph that is never shown meets no other.
      guard range.duration > .zero else {
        cues.append(paragraphs[place].cue)
        continue
      }
      if range.start >= end {
        cues += shared(together.sorted(), &log)
        together = []
      }
      together.append(place)
      end = max(end, range.end)
    }
    return cues + shared(together.sorted(), &log)
  }

  /// The cues of paragraphs of which each meets another one: one cue for each time in which the same ones are shown.
  private func shared(_ places: [Int], _ log: inout CaptionLog) -> [CaptionCue] {
    let own = places.map { paragraphs[$0].cue }
    guard own.count > 1 else { return own }
    // Paragraphs that cannot be one text make room for each other.
    let apart = own.map { cue in
      var cue = cue
      cue.makesRoom = cue.position != nil
      return cue
    }
    guard own.allSatisfy({ $0.align == own[0].align && $0.direction == own[0].direction }) else { return apart }
    let times = Set(own.flatMap { [$0.range.start, $0.range.end] }).sorted()
    let coming = places.sorted { paragraphs[$0].cue.range.start < paragraphs[$1].cue.range.start }
    var (cues, present, next): ([CaptionCue], [Int], Int) = ([], [], 0)
    for (start, end) in zip(times, times.dropFirst()) {
      present.removeAll { paragraphs[$0].cue.range.end <= start }
      while next < coming.count, paragraphs[coming[next]].cue.range.start <= start {
        present.append(coming[next])
        next += 1
      }
      let shown = present.sorted().map { paragraphs[$0].cue }
      // The times are in order, so the range is one.
      guard let range = try? MediaTimeRange(start: start, end: end), !shown.isEmpty else { continue }
      guard shown.count <= Self.most, shown.reduce(0, { $0 + $1.text.utf8.count + 1 }) <= CaptionLimits.cueLength else {
        return apart
      }
      cues.append(CaptionCue(shown, in: range))
    }
    if own.contains(where: { !$0.words.isEmpty }) {
      log.note(paragraphs[places[0]].line, "words with times count only where their paragraph is the first of its region")
    }
    return cues
  }
}

extension CaptionCue {
  /// Makes a cue of others that follow each other, each in lines of its own.
  ///
  /// - Precondition: there are some, and they stand at one place.
  fileprivate init(_ cues: [CaptionCue], in range: MediaTimeRange) {
    self = cues[0]
    self.range = range
    (text, spans, words) = ("", [], cues[0].words)
    // A colour, a weight and a language that all have stay with the whole.
    color = cues.allSatisfy { $0.color == cues[0].color } ? color : nil
    weight = cues.allSatisfy { $0.weight == cues[0].weight } ? weight : nil
    language = cues.allSatisfy { $0.language == cues[0].language } ? language : nil
    for cue in cues {
      if !text.isEmpty { text += "\n" }
      let start = text.utf8.count
      text += cue.text
      var own = Span.Look()
      (own.color, own.weight) = (color == nil ? cue.color : nil, weight == nil ? cue.weight : nil)
      own.language = language == nil ? cue.language : nil
      spans += cue.parts(own).map { Span($0.bytes.lowerBound + start..<$0.bytes.upperBound + start, $0.look) }
    }
    func clamped(_ time: MediaTime) -> MediaTime { min(max(time, range.start), range.end) }
    words = words.map { Word(clamped($0.time), $0.text, until: $0.end.map(clamped), frame: $0.frame) }
  }

  /// The parts that look different from a whole that has no colour, weight and language, where these are the cue's.
  private func parts(_ own: Span.Look) -> [Span] {
    guard own != Span.Look() else { return spans }
    var (all, place): ([Span], Int) = ([], 0)
    func add(_ bytes: Range<Int>, _ look: Span.Look) {
      guard !bytes.isEmpty else { return }
      var look = look
      (look.color, look.weight) = (look.color ?? own.color, look.weight ?? own.weight)
      look.language = look.language ?? own.language
      all.append(Span(bytes, look))
    }
    for span in spans {
      add(place..<span.bytes.lowerBound, Span.Look())
      add(span.bytes, span.look)
      place = span.bytes.upperBound
    }
    add(place..<text.utf8.count, Span.Look())
    return all
  }
}
