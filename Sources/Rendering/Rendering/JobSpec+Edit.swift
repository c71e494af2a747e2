internal import Document
package import Messages
package import Scenes
internal import Timeline

extension JobSpec {
  /// The edit as it was submitted.
  ///
  /// - Throws: `DocumentFaults` where the document cannot be read or resolved, and `Failure` where something of it was to be measured
  ///   before and was not.
  package var edit: ResolvedTimeline {
    get throws {
      let edit = try unmeasuredEdit
      guard edit.timeline.unmeasuredWaveforms.isEmpty else {
        throw Failure(.content, at: "layers", "a waveform was not measured before the edit was submitted")
      }
      return edit
    }
  }

  /// The edit as it was submitted. Its waveforms may still have to be measured.
  package var unmeasuredEdit: ResolvedTimeline {
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
