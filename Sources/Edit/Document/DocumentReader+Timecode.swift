internal import Formats
internal import JSON
internal import Timeline

extension DocumentReader {
  /// The time code of the movie's first frame. Whether the rate has it, or a source, is judged when these are known.
  ///
  /// - Parameter settings: those of the export; nil where the file type is not known.
  func timecode(_ node: DocumentNode, in settings: ExportSettings?) -> MovieTimecode? {
    guard let timecode = timecode(node) else { return nil }
    guard let settings else { return timecode }
    if !settings.fileType.holdsTimecode {
      node.note("\(settings.fileType) holds no time code: use \(FileType.allCases.filter(\.holdsTimecode).list)")
    } else if settings.fragmentInterval != nil {
      node.note("a movie in fragments holds no time code: leave fragmentInterval out")
    }
    return timecode
  }

  private func timecode(_ node: DocumentNode) -> MovieTimecode? {
    if case .object = node.value {
      guard let object = DocumentObject(.timecodeSource, node) else { return nil }
      return object["asset"].flatMap(assetID).map { .source($0) }
    }
    guard let text = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    if text == MovieTimecode.sourceWord { return .source(nil) }
    guard text.wholeMatch(of: /([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9][:;][0-9][0-9]/) != nil else {
      return node.refuse(
        because: "'\(text)' is no time code: write 01:00:00:00, or 01:00:00;00 for drop-frame, or \(MovieTimecode.sourceWord)")
    }
    return .label(text)
  }
}

extension DocumentWriter {
  func timecode(_ timecode: MovieTimecode) -> JSONValue {
    switch timecode {
    case .label(let label): .string(label)
    case .source(nil): .string(MovieTimecode.sourceWord)
    case .source(let asset?): .object(["asset": .string(asset.rawValue)])
    }
  }
}

extension MovieTimecode {
  /// The word for the time code of the source that is seen first.
  fileprivate static let sourceWord = "source"
}
