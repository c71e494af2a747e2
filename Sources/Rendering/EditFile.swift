package import Media
package import SpoolCompositing
package import Timeline

/// A document on disk that holds for itself, resolved against its media.
package struct EditFile {
  /// The edit; asset paths are absolute.
  package let edit: ResolvedTimeline
  /// What its texts are drawn in: faces of this machine's font files.
  package let fonts: [FontFace]
  /// As it was given.
  private let path: String

  /// - Parameters:
  ///   - assets: what its media are.
  ///   - compositors: those of this program, when it is this one that will render the edit.
  /// - Throws: everything that can be said against the edit: `EditFileError` `document`, `assets` and `layers`.
  package init(
    _ document: DocumentFile, _ assets: ProbedAssets, renderingWith compositors: CompositorRegistry? = nil
  ) throws(EditFileError) {
    path = document.path
    let reading = document.document.reading(with: assets.facts)
    var errors: [EditFileError] = []
    if let faults = reading.faults { errors.append(.document(path: path, faults)) }
    if !assets.faults.isEmpty { errors.append(.assets(assets.faults)) }
    var resolved: ResolvedTimeline?
    if errors.isEmpty {
      do throws(DocumentFaults) {
        resolved = try reading.edit().resolved(with: assets.facts)
      } catch { errors.append(.document(path: path, error)) }
    }
    guard let resolved else {
      errors += Self.faults(of: reading.timeline, path, compositors)
      throw .all(errors)
    }
    edit = resolved
    let texts = EditTexts()
    do throws(EditFileError) { fonts = try texts.faces(of: resolved, path) } catch {
      fonts = []
      errors.append(error)
    }
    if let compositors {
      do throws(EditFileError) { try requireCompositors(compositors) } catch { errors.append(error) }
    }
    guard errors.isEmpty else { throw .all(errors) }
  }

  /// What else is wrong with an edit that has faults, as far as it could be read.
  private static func faults(of timeline: Timeline, _ path: String, _ compositors: CompositorRegistry?) -> [EditFileError] {
    let texts = EditTexts().faults(of: timeline)
    let unknown = compositors.map { faults(of: timeline.compositorUses, refusal(by: $0)) } ?? []
    return (texts.isEmpty ? [] : [.layers(path: path, texts)])
      + (unknown.isEmpty ? [] : [.document(path: path, DocumentFaults(faults: unknown))])
  }

  /// Checks that the edit's compositors are among those of this program; for an edit that is to be rendered by it.
  ///
  /// - Throws: `EditFileError.document`.
  package func requireCompositors(_ compositors: CompositorRegistry) throws(EditFileError) {
    try requireCompositors(Self.refusal(by: compositors))
    try requireParameters(compositors)
  }

  private static func refusal(by compositors: CompositorRegistry) -> (String) -> String? {
    let names = compositors.names
    let known = names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))"
    return { names.contains($0) ? nil : "this program has no compositor '\($0)': \(known)" }
  }

  private static func faults(of uses: [CompositorUse], _ refusal: (String) -> String?) -> [DocumentFaults.Fault] {
    uses.compactMap { use in refusal(use.statement.name).map { use.fault(ofName: $0) } }
  }

  /// Checks the names of the edit's compositors.
  ///
  /// - Parameter refusal: what is wrong with a name; nil when nothing is.
  /// - Throws: `EditFileError.document`.
  package func requireCompositors(_ refusal: (String) -> String?) throws(EditFileError) {
    let faults = Self.faults(of: edit.compositorUses, refusal)
    guard faults.isEmpty else { throw .document(path: path, DocumentFaults(faults: faults)) }
  }

  /// Checks what the edit says to those of its compositors that this program has.
  ///
  /// - Throws: `EditFileError.document`.
  package func requireParameters(_ compositors: CompositorRegistry) throws(EditFileError) {
    let faults = compositors.parameterFaults(in: edit)
    guard faults.isEmpty else { throw .document(path: path, DocumentFaults(faults: faults)) }
  }
}

/// An asset that cannot be read.
package struct AssetFault: Error, Sendable {
  package var asset: AssetID
  package var error: MediaError

  package init(asset: AssetID, error: MediaError) { (self.asset, self.error) = (asset, error) }
}

package enum EditFileError: Error, Sendable {
  case unreadable(path: String, code: Int32)
  case tooLarge(path: String, limit: Int)
  case document(path: String, DocumentFaults)
  case assets([AssetFault])
  case layers(path: String, [LayerFault])
  /// Several of the others at once.
  case several([EditFileError])

  /// - Precondition: there is one at least.
  fileprivate static func all(_ errors: [EditFileError]) -> EditFileError { errors.count == 1 ? errors[0] : .several(errors) }
}
