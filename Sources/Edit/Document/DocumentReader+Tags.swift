internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentReader {
  /// - Parameter type: the file type, which decides what can be told; nil where it is not known.
  func tags(_ node: DocumentNode, in type: FileType?) -> MovieTags {
    guard let object = DocumentObject(.metadata, node) else { return MovieTags() }
    var tags = MovieTags()
    for key in MovieTags.Key.allCases {
      guard let value = object[key.rawValue], let text = value.tag() else { continue }
      if let type, !type.tagKeys.contains(key) {
        let others = FileType.allCases.filter { $0.tagKeys.contains(key) }
        value.note("\(type) holds no \(key.rawValue): leave it out, or use \(others.list)")
      }
      if key == .date, !Self.isDate(text) {
        value.note("'\(text.prefix(100))' is no date such as 2026, 2026-11, 2026-11-24 or 2026-11-24T10:30:00Z")
      }
      tags.texts[key] = text
    }
    if let value = object["location"], let point = value.numbers(["latitude", "longitude"], in: -180...180) {
      if abs(point[0]) > 90 { value.note("latitude \(JSONValue.text(point[0])) is not in -90.0...90.0") }
      if let type, !type.holdsLocation { value.note("\(type) holds no location: leave it out") }
      tags.location = MovieTags.Location(latitude: point[0], longitude: point[1])
    }
    return tags
  }

  func chapters(_ node: DocumentNode) -> [ExportSettings.Chapter] {
    var chapters: [ExportSettings.Chapter] = []
    var last: MediaTime?
    for (index, element) in (node.elements(atMost: DocumentLimits.chapters) ?? []).enumerated() {
      guard let object = DocumentObject(.chapter, element) else { continue }
      let (start, title) = (object["at"].flatMap { time($0) }, object["title"]?.tag())
      guard let start else { continue }
      if index == 0, start != .zero {
        object["at"]?.note("the first chapter begins at 0, because players show no time before it")
      }
      if let last, start <= last { object["at"]?.note("is not after the chapter before it, which begins at \(last)") }
      if let duration, start >= duration { object["at"]?.note("the edit ends at \(duration)") }
      last = start
      if let title { chapters.append(ExportSettings.Chapter(title, at: start)) }
    }
    return chapters
  }

  /// Whether a text is a date of the calendar, as ISO 8601 writes it: a year, a month, a day, or a second in UTC.
  private static func isDate(_ text: String) -> Bool {
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

extension DocumentNode {
  /// A text of a movie's file: one line for people, without control characters.
  func tag() -> String? {
    guard let text = string(atMost: DocumentLimits.tagLength) else { return nil }
    guard !text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else {
      return refuse(because: "must not contain control characters, such as line breaks")
    }
    return text
  }
}
