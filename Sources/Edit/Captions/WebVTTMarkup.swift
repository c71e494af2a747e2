internal import Formats
internal import MediaTime

/// The text of a cue with WebVTT's tags: for its looks, its ruby and the times of its words.
struct WebVTTMarkup {
  /// A class of a style sheet, for a look that has no tag.
  struct Class: Hashable {
    let name: String
    let declaration: String
  }

  /// The lines of the cue. None of them is empty, because an empty one would end the cue.
  private(set) var text = ""
  private(set) var classes: Set<Class> = []
  private let bytes: [UInt8]
  /// The times in the text and the places of what begins there, the next one first.
  private var times: [(place: Int, milliseconds: Int64)] = []

  init(of cue: CaptionCue) {
    bytes = Array(cue.text.utf8)
    times = Self.times(of: cue)
    var whole = CaptionCue.Span.Look()
    (whole.color, whole.weight, whole.language) = (cue.color, cue.weight, cue.language)
    wrap(whole) { markup in
      var place = 0
      for span in cue.spans {
        markup.append(place..<span.bytes.lowerBound)
        markup.wrap(span.look) { markup in
          markup.append(span.bytes)
          if let ruby = span.look.ruby { markup.text += "<rt>\(Self.escaped(ruby))</rt>" }
        }
        place = span.bytes.upperBound
      }
      markup.append(place..<markup.bytes.count)
      for last in markup.times { markup.text += "<\(WebVTTWriter.clock(last.milliseconds))>" }
    }
    text = text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "&nbsp;" : $0 }
      .joined(separator: "\n")
  }

  /// The words that begin and end within the cue, each later than the one before, as WebVTT asks of times in a text.
  private static func times(of cue: CaptionCue) -> [(place: Int, milliseconds: Int64)] {
    guard let ranges = cue.wordRanges else { return [] }
    var last = WebVTTWriter.milliseconds(cue.range.start)
    let end = WebVTTWriter.milliseconds(cue.range.end)
    var times: [(place: Int, milliseconds: Int64)] = []
    func add(_ time: MediaTime, _ place: Int) {
      let time = WebVTTWriter.milliseconds(time)
      guard time > last, time < end else { return }
      times.append((place, time))
      last = time
    }
    for (word, range) in zip(cue.words, ranges) {
      add(word.time, range.lowerBound)
      // The text behind a word that has ended begins later.
      if let end = word.end { add(end, range.upperBound) }
    }
    return times
  }

  /// Adds what `content` adds, in the tags of a look.
  private mutating func wrap(_ look: CaptionCue.Span.Look, _ content: (inout WebVTTMarkup) -> Void) {
    var tags: [(open: String, close: String)] = []
    let own = Self.classes(of: look)
    classes.formUnion(own)
    if let language = look.language { tags.append(("<lang \(language)>", "</lang>")) }
    if !own.isEmpty { tags.append(("<c" + own.map { "." + $0.name }.joined() + ">", "</c>")) }
    if (look.weight ?? 400) >= Self.bold { tags.append(("<b>", "</b>")) }
    if look.isItalic { tags.append(("<i>", "</i>")) }
    if look.isUnderlined { tags.append(("<u>", "</u>")) }
    if look.ruby != nil { tags.append(("<ruby>", "</ruby>")) }
    text += tags.map(\.open).joined()
    content(&self)
    text += tags.reversed().map(\.close).joined()
  }

  /// The weight from which letters count as bold.
  private static let bold = 600

  private static func classes(of look: CaptionCue.Span.Look) -> [Class] {
    var classes: [Class] = []
    if let color = look.color {
      let parts = [color.red, color.green, color.blue].map { Int((min(max($0, 0), 1) * 255).rounded()) }
      let alpha = Int((min(max(color.alpha, 0), 1) * 255).rounded())
      func digits(_ numbers: [Int]) -> String { numbers.map { String(String($0 + 256, radix: 16).dropFirst()) }.joined() }
      let code = digits(alpha == 255 ? parts : parts + [alpha])
      classes.append(Class(name: "color-\(code)", declaration: "color: #\(code)"))
    }
    if let weight = look.weight, weight < bold {
      classes.append(Class(name: "weight-\(weight)", declaration: "font-weight: \(weight)"))
    }
    if look.isStruckThrough {
      classes.append(Class(name: "struck", declaration: "text-decoration: line-through"))
    }
    return classes
  }

  /// Adds a part of the cue's text, with the times that come in it.
  private mutating func append(_ range: Range<Int>) {
    var start = range.lowerBound
    while let next = times.first, next.place < range.upperBound {
      let place = max(next.place, start)
      text += Self.escaped(bytes[start..<place]) + "<\(WebVTTWriter.clock(next.milliseconds))>"
      start = place
      times.removeFirst()
    }
    text += Self.escaped(bytes[start..<range.upperBound])
  }

  private static func escaped(_ bytes: ArraySlice<UInt8>) -> String { escaped(String(decoding: bytes, as: UTF8.self)) }

  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped.append(contentsOf: "&amp;".unicodeScalars)
      case "<": escaped.append(contentsOf: "&lt;".unicodeScalars)
      case ">": escaped.append(contentsOf: "&gt;".unicodeScalars)
      case "\u{0}": escaped.append("\u{fffd}")
      case "\n" where isAfterReturn: break
      case "\r": escaped.append("\n")
      default: escaped.append(scalar)
      }
      isAfterReturn = scalar == "\r"
    }
    return String(escaped)
  }
}
