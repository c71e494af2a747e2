internal import Document
internal import Formats
package import Messages
package import Scenes
internal import Synchronization
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

  /// The edit as it was submitted. Its waveforms may still have to be measured. The edit that was read last is kept: a process asks for one edit
  /// several times, and an hour takes tenths of a second.
  package var unmeasuredEdit: ResolvedTimeline {
    get throws {
      if let kept = EditReadLast.edit(of: self) { return kept }
      let facts = Dictionary(uniqueKeysWithValues: facts.map { (AssetID($0.key), $0.value) })
      let edit = try Timeline.parse(Array(document.utf8)).resolved(with: facts)
      EditReadLast.keep(edit, of: self)
      return edit
    }
  }

  /// The edit as it was submitted. Its text, which may have megabytes, is let go: rendering does not need it.
  ///
  /// - Throws: errors as `edit`.
  mutating func takeEdit() throws -> ResolvedTimeline {
    defer {
      document = ""
      EditReadLast.forget()
    }
    return try edit
  }

  /// The paths of the edit's media that are files, each once, sorted.
  package var mediaFiles: [String] {
    // A document that cannot be read is reported by its attempt.
    (try? unmeasuredEdit)?.mediaFiles ?? []
  }
}

extension ResolvedTimeline {
  /// The paths of the media that are files, each once, sorted.
  package var mediaFiles: [String] {
    let files = facts.keys.compactMap { id in if case .file(let path) = timeline.assets[id] { path } else { nil } }
    return Set(files).sorted()
  }
}

/// The edit that this process read last, and what it was read from.
private enum EditReadLast {
  private static let held = Mutex<(document: String, facts: [String: AssetFacts], edit: ResolvedTimeline)?>(nil)

  static func edit(of spec: JobSpec) -> ResolvedTimeline? {
    held.withLock { held in
      guard let held, held.document == spec.document, held.facts == spec.facts else { return nil }
      return held.edit
    }
  }

  static func forget() { held.withLock { $0 = nil } }

  static func keep(_ edit: ResolvedTimeline, of spec: JobSpec) {
    held.withLock { $0 = (spec.document, spec.facts, edit) }
  }
}
