package import Captions

// The languages of cues, which decide how Han characters are drawn.
extension CaptionTrack {
  /// The language that the letters of the cues tell together, where nobody says one: kana in some of them tell that the Han characters
  /// of all are Japanese. It is nil where they tell none, or several.
  package var toldLanguage: String? {
    guard language == nil else { return nil }
    let told = Set(cues.compactMap { $0.language == nil ? $0.toldLanguage : nil })
    return told.count == 1 ? told.first : nil
  }

  /// The language in which the Han characters of a cue are drawn, where nobody says one; nil where there are none, or nothing tells it.
  ///
  /// - Parameter told: what the cues tell together.
  package func hanLanguage(of cue: CaptionCue, told: String?) -> String? {
    guard language == nil, cue.language == nil, TextContent.hasHan(cue.textWithoutLanguage) else { return nil }
    return cue.toldLanguage ?? told
  }

  /// The number of cues with Han characters whose language is not known.
  package var cuesOfUnknownLanguage: Int {
    guard drawsCues, language == nil, toldLanguage == nil else { return 0 }
    return cues.count { $0.language == nil && $0.toldLanguage == nil && TextContent.hasHan($0.textWithoutLanguage) }
  }
}

extension CaptionCue {
  /// The language that the cue's own letters tell. Parts with a language of their own tell nothing of the others.
  package var toldLanguage: String? {
    let others = spans.filter { $0.look.language == nil }
    return TextContent.language(toldBy: textWithoutLanguage + others.compactMap(\.look.ruby).joined())
  }

  /// The text but for the parts whose language is stated.
  package var textWithoutLanguage: String {
    let stated = spans.filter { $0.look.language != nil }
    guard !stated.isEmpty else { return text }
    var (rest, place) = ([UInt8](), 0)
    let bytes = Array(text.utf8)
    for span in stated {
      rest += bytes[place..<span.bytes.lowerBound]
      place = span.bytes.upperBound
    }
    return String(decoding: rest + bytes[place...], as: UTF8.self)
  }
}
