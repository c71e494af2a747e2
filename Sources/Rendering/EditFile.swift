internal import Drawing
package import Media
package import SpoolCompositing
package import Timeline

/// A document on disk that holds for itself, resolved against its media.
package struct EditFile {
  /// The edit; asset paths are absolute.
  package let edit: ResolvedTimeline
  /// As it was given.
  private let path: String

  /// - Parameters:
  ///   - assets: what its media are.
  ///   - compositors: those of this program, when it is this one that will render the edit; it must have its fonts then, too.
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
      if let compositors { errors += Self.faults(of: reading.timeline, path, compositors) }
      throw .all(errors)
    }
    edit = resolved
    if let compositors { try requireAll(compositors) }
  }

  /// What else is wrong with an edit that has faults, as far as it could be read.
  private static func faults(of timeline: Timeline, _ path: String, _ compositors: CompositorRegistry) -> [EditFileError] {
    // In a picture of unknown size any text is taken to fit.
    let largest = PixelSize(DocumentLimits.renderSide.upperBound, DocumentLimits.renderSide.upperBound)
    var texts = textFaults(of: timeline.layers, in: timeline.videoComposition?.renderSize ?? largest, at: "")
    for (id, nested) in timeline.compositions.sorted(by: { $0.key < $1.key }) {
      texts += textFaults(of: nested.layers, in: nested.videoComposition?.renderSize ?? largest, at: "compositions.\(id).")
    }
    let unknown = faults(of: timeline.compositorUses, refusal(by: compositors))
    return (texts.isEmpty ? [] : [.layers(path: path, texts)])
      + (unknown.isEmpty ? [] : [.document(path: path, DocumentFaults(faults: unknown))])
  }

  private func requireAll(_ compositors: CompositorRegistry) throws(EditFileError) {
    var errors: [EditFileError] = []
    do throws(EditFileError) { try requireFonts() } catch { errors.append(error) }
    do throws(EditFileError) { try requireCompositors(compositors) } catch { errors.append(error) }
    guard errors.isEmpty else { throw .all(errors) }
  }

  /// Checks the text layers against the fonts of this machine; for an edit that is to be rendered here.
  ///
  /// - Throws: `EditFileError.layers`.
  package func requireFonts() throws(EditFileError) {
    var faults = Self.textFaults(of: edit, at: "")
    for (id, nested) in edit.nested.sorted(by: { $0.key < $1.key }) {
      faults += Self.textFaults(of: nested, at: "compositions.\(id).")
    }
    guard faults.isEmpty else { throw .layers(path: path, faults) }
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
    uses.compactMap { use in refusal(use.compositor.name).map { use.fault(ofName: $0) } }
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

  private static func textFaults(of edit: ResolvedTimeline, at place: String) -> [LayerFault] {
    edit.videoComposition.map { textFaults(of: edit.timeline.layers, in: $0.renderSize, at: place) } ?? []
  }

  private static func textFaults(of layers: [OverlayLayer], in size: PixelSize, at place: String) -> [LayerFault] {
    layers.enumerated().compactMap { index, layer in
      guard case .text(let text) = layer.content else { return nil }
      do throws(DrawingError) {
        try Raster.check(text, in: size)
        return nil
      } catch {
        let isMissingFont = if case .fontNotInstalled = error { true } else { false }
        return LayerFault(place: "\(place)layers[\(index)]", reason: error.description, isMissingFont: isMissingFont)
      }
    }
  }
}

/// An asset that cannot be read.
package struct AssetFault: Error, Sendable {
  package var asset: AssetID
  package var error: MediaError

  package init(asset: AssetID, error: MediaError) { (self.asset, self.error) = (asset, error) }
}

/// A text layer that cannot be drawn on this machine.
package struct LayerFault: Error, Sendable {
  /// Its path in the document.
  package var place: String
  package var reason: String
  /// Rather than a character that no font has, or a text that does not fit.
  package var isMissingFont: Bool
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
