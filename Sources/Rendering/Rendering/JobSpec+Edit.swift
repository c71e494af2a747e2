internal import Document
package import Messages
package import Scenes
internal import Timeline

extension JobSpec {
  /// The edit as it was submitted.
  ///
  /// - Throws: `DocumentFaults` where the document cannot be read or resolved.
  package var edit: ResolvedTimeline {
    get throws {
      let facts = Dictionary(uniqueKeysWithValues: facts.map { (AssetID($0.key), $0.value) })
      return try Timeline.parse(Array(document.utf8)).resolved(with: facts)
    }
  }

  /// The paths of the edit's media that are files, each once, sorted.
  package var mediaFiles: [String] {
    // A document that cannot be read is reported by its attempt.
    guard let assets = try? Timeline.parse(Array(document.utf8)).assets else { return [] }
    let files = facts.keys.compactMap { id in if case .file(let path) = assets[AssetID(id)] { path } else { nil } }
    return Set(files).sorted()
  }
}
