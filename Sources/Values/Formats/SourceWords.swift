/// The descriptions in a source's file.
package struct SourceWords: Hashable, Sendable, Codable {
  /// The most bytes of a text. Longer ones are not kept.
  package static let longestText = 4_096

  private struct Entry: Hashable, Sendable, Codable {
    /// The name of its kind (`MovieTags.Key`).
    let key: String
    let text: String
  }

  /// The texts in the order of their keys, so that equal words are written equally.
  private var texts: [Entry] = []
  /// The degrees north of the equator and east of Greenwich; nil where the file does not tell.
  private var location: [Double]?

  package init() {}

  package var isEmpty: Bool { texts.isEmpty && location == nil }

  /// The text of a kind. One that no movie can have is not kept.
  package subscript(key: MovieTags.Key) -> String? {
    get { texts.first { $0.key == key.rawValue }?.text }
    set {
      texts.removeAll { $0.key == key.rawValue }
      guard let newValue, Self.isFit(newValue) else { return }
      texts.append(Entry(key: key.rawValue, text: newValue))
      texts.sort { $0.key < $1.key }
    }
  }

  package var place: MovieTags.Location? {
    get { location.flatMap { $0.count == 2 ? MovieTags.Location(latitude: $0[0], longitude: $0[1]) : nil } }
    set { location = newValue.map { [$0.latitude, $0.longitude] } }
  }

  /// Whether reading a file can have given them.
  var isPlausible: Bool {
    texts.allSatisfy { MovieTags.Key(rawValue: $0.key) != nil && Self.isFit($0.text) }
      && location.map { $0.count == 2 && abs($0[0]) <= 90 && abs($0[1]) <= 180 } ?? true
  }

  /// Whether a text can be one of a movie's: a line that is not too long.
  private static func isFit(_ text: String) -> Bool {
    1...longestText ~= text.utf8.count && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
  }
}

extension MovieTags.Location {
  /// The place that a text such as "+35.6586+139.7454/" names (ISO 6709, in degrees); nil for one that names none.
  package init?(iso6709 text: String) {
    guard let found = text.firstMatch(of: /^([+-][0-9]{1,3}(?:\.[0-9]+)?)([+-][0-9]{1,3}(?:\.[0-9]+)?)/),
      let latitude = Double(found.1), let longitude = Double(found.2), abs(latitude) <= 90, abs(longitude) <= 180
    else { return nil }
    self.init(latitude: latitude, longitude: longitude)
  }
}

extension MovieTags {
  /// Whether a text is a date of the calendar, as ISO 8601 writes it: a year, a month, a day, or a second in UTC.
  package static func isDate(_ text: String) -> Bool {
    guard let match = text.wholeMatch(of: /([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:T([0-9]{2}):([0-9]{2}):([0-9]{2})Z)?)?)?/)
    else {
      return false
    }
    func number(_ part: Substring?) -> Int { part.flatMap { Int($0) } ?? 0 }
    let (year, month, day) = (number(match.1), match.2 == nil ? 1 : number(match.2), match.3 == nil ? 1 : number(match.3))
    guard 1...12 ~= month else { return false }
    let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
    let days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    return 1...days ~= day && 0...23 ~= number(match.4) && 0...59 ~= number(match.5) && 0...59 ~= number(match.6)
  }
}
