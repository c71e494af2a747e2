internal import Formats

extension TextEmphasis {
  /// The marks that TTML's `textEmphasis` says: `none`, `auto`, or a shape (filled or open) or a character in quotes, with a colour and a side.
  ///
  /// It is nil for what is not known.
  init?(timedText text: String) {
    var (shape, isOpen, character): (Shape?, Bool, String?) = (nil, false, nil)
    self.init(.none)
    for word in text.split(separator: " ") {
      switch word {
      case "none": return
      case "auto", "filled": break
      case "open": isOpen = true
      case "before", "outside": side = .over
      case "after": side = .under
      case "current": color = nil
      default:
        if let known = Shape(rawValue: String(word)) {
          shape = known
        } else if let quote = word.first, quote == "\"" || quote == "'", word.count == 3, word.last == quote {
          character = String(word.dropFirst().dropLast())
        } else if let known = NamedColor.color(word) {
          color = known
        } else {
          return nil
        }
      }
    }
    mark = character.map { .character($0) } ?? .shape(shape ?? .circle, isOpen: isOpen)
  }
}
