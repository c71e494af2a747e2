internal import Formats

extension MovieTags {
  /// The words of a movie of this type, and beside them those of QuickTime that have keys alone, by these keys.
  ///
  /// - Throws: an error that names a word that such a movie does not have.
  static func split(
    _ items: [AVMetadataItem], in fileType: FileType
  ) throws(AVError) -> (tags: MovieTags, words: [String: String]) {
    var (usual, words): ([AVMetadataItem], [String: String]) = ([], [:])
    for item in items {
      guard fileType == .mov, let identifier = item.identifier?.rawValue, identifier.hasPrefix("mdta/"),
        item.identifier != .quickTimeMetadataLocationISO6709, !(item.tag.map(fileType.tagKeys.contains) ?? false)
      else {
        usual.append(item)
        continue
      }
      guard let text = item.value as? NSString else {
        throw AVError(.operationNotAllowed, "metadata: \(identifier): its value is no text", property: "metadata")
      }
      words[String(identifier.dropFirst(5))] = text.description
    }
    return (try MovieTags(usual, in: fileType), words)
  }
}
