internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentReader {
  /// - Parameter type: the file type, which decides what can be told; nil where it is not known.
  func tags(_ object: DocumentObject, in type: FileType?) -> MovieTags {
    var tags = MovieTags()
    for key in MovieTags.Key.allCases {
      guard let value = object[key.rawValue], let text = value.tag() else { continue }
      if let type, !type.tagKeys.contains(key) {
        let others = FileType.allCases.filter { $0.tagKeys.contains(key) }
        value.note("\(type) holds no \(key.rawValue): leave it out, or use \(others.list)")
      }
      if key == .date, !MovieTags.isDate(text) {
        value.note("'\(text.prefix(100))' is no date such as 2026, 2026-11, 2026-11-24 or 2026-11-24T10:30:00Z")
      }
      tags.texts[key] = text
    }
    if let value = object["location"], let point = value.numbers(["latitude", "longitude"], in: -180...180) {
      if abs(point[0]) > 90 { value.note("latitude \(JSONValue.text(point[0])) is not in -90.0...90.0") }
      if let type, !type.holdsLocation { value.note("\(type) holds no location: leave it out") }
      tags.location = MovieTags.Location(latitude: point[0], longitude: point[1])
    }
    tags.language = object["language"].flatMap { pictureLanguage($0, in: type) }
    tags.custom = object["custom"].map { customTags($0, in: type) } ?? [:]
    return tags
  }

  private func pictureLanguage(_ node: DocumentNode, in type: FileType?) -> String? {
    guard let tag = language(node) else { return nil }
    guard LanguageCode.letters(of: tag) != nil else {
      return node.refuse(because: "the three letters of '\(tag)' (ISO 639-2) are not known here: write them, such as deu")
    }
    guard let type else { return tag }
    guard type.holdsPictureLanguage else {
      let others = FileType.allCases.filter(\.holdsPictureLanguage).list
      return node.refuse(because: "\(type) does not say which language a picture is in: use \(others), or leave it out")
    }
    guard LanguageCode.isKnown(tag, in: type) else {
      return node.refuse(because: "\(type) has no number for the language '\(tag)': use mp4 or mkv, or leave it out")
    }
    return tag
  }

  private func customTags(_ node: DocumentNode, in type: FileType?) -> [String: String] {
    guard case .object(let members) = node.value else { return node.refuse("an object") ?? [:] }
    if members.count > DocumentLimits.customTags {
      return node.refuse(because: "\(members.count) keys; at most \(DocumentLimits.customTags) are accepted") ?? [:]
    }
    if let type, !type.holdsCustomTags, !members.isEmpty {
      node.note("\(type) holds no keys of your own: use \(FileType.allCases.filter(\.holdsCustomTags).list)")
    }
    var (tags, known): ([String: String], Set<String>) = ([:], [])
    for member in members {
      let value = DocumentNode(value: member.value, path: node.path[member.key], log: log)
      if let objection = MovieTags.objection(toKey: member.key) {
        value.note(objection)
      } else if !known.insert(member.key.lowercased()).inserted {
        value.note("is another key but for its case, which Matroska does not keep")
      }
      if let text = value.tag() { tags[member.key] = text }
    }
    return tags
  }

  /// Reads which descriptions of a source the movie takes over.
  func keptTags(_ object: DocumentObject, in type: FileType?) -> KeptTags? {
    switch (object["from"], object["keep"]) {
    case (nil, nil): return nil
    case (let from?, nil): return from.refuse(because: "name what is kept, such as \"keep\": [\"date\", \"camera\"]")
    case (nil, let keep?): return keep.refuse(because: "name the asset of which it is kept by \"from\"")
    case (let from?, let keep?):
      var kinds: [KeptTags.Kind] = []
      for element in keep.elements(atMost: KeptTags.Kind.allCases.count) ?? [] {
        guard let kind = element.choice(KeptTags.Kind.self) else { continue }
        guard !kinds.contains(kind) else {
          element.note("is named twice")
          continue
        }
        kinds.append(kind)
        if let type, !kind.isHeld(by: type) {
          let others = FileType.allCases.filter(kind.isHeld).list
          element.note("\(type) holds no \(kind.rawValue): leave it out, or use \(others)")
        }
      }
      return assetID(from).map { KeptTags(of: $0, kinds) }
    }
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
