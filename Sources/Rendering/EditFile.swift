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

  /// - Parameter assets: what its media are.
  /// - Throws: `EditFileError` `assets` and `document`.
  package init(_ document: DocumentFile, _ assets: ProbedAssets) throws(EditFileError) {
    path = document.path
    guard assets.faults.isEmpty else { throw .assets(assets.faults) }
    do throws(DocumentFaults) {
      edit = try document.timeline.resolved(with: assets.facts)
    } catch {
      throw .document(path: path, error)
    }
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
    let names = compositors.names
    let known = names.isEmpty ? "it has none" : "it has \(names.joined(separator: ", "))"
    try requireCompositors { names.contains($0) ? nil : "this program has no compositor '\($0)': \(known)" }
    try requireParameters(compositors)
  }

  /// Checks the names of the edit's compositors.
  ///
  /// - Parameter refusal: what is wrong with a name; nil when nothing is.
  /// - Throws: `EditFileError.document`.
  package func requireCompositors(_ refusal: (String) -> String?) throws(EditFileError) {
    let faults = edit.compositorUses.compactMap { use in refusal(use.compositor.name).map { use.fault(ofName: $0) } }
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
    guard let size = edit.videoComposition?.renderSize else { return [] }
    return edit.timeline.layers.enumerated().compactMap { index, layer in
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
}
