internal import Drawing
internal import Glibc
package import Media
package import SpoolCompositing
package import Timeline

/// A document on disk, read, checked and resolved against its media.
package struct EditFile {
  /// The edit; asset paths are absolute.
  package let edit: ResolvedTimeline
  /// As it was given.
  private let path: String

  /// Documents larger than this are refused unread; a thousand clips take about 300 kB.
  package static let sizeLimit = DocumentLimits.byteCount

  /// - Parameters:
  ///   - path: of the document; "-" reads standard input, and relative asset paths then count from the working folder.
  ///   - policy: which media may be opened.
  package init(path: String, policy: SourcePolicy) throws(EditFileError) {
    self.path = path
    let bytes = try Self.read(path)
    var timeline: Timeline
    do throws(DocumentFaults) {
      timeline = try Timeline.parse(bytes)
    } catch {
      throw .document(path: path, error)
    }
    let folder = path == "-" ? "." : path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    timeline.assets = timeline.assets.mapValues { asset in
      if case .file(let path) = asset { .file(Self.absolute(path, in: folder)) } else { asset }
    }
    let facts = try Self.probe(timeline, policy: policy)
    do throws(DocumentFaults) {
      edit = try timeline.resolved(with: facts)
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

  private static func probe(_ timeline: Timeline, policy: SourcePolicy) throws(EditFileError) -> [AssetID: AssetFacts] {
    let assets = timeline.assets.sorted { $0.key < $1.key }.map { (id: $0.key, path: $0.value.path) }
    let probed = ProbedAssets(assets[...], policy: policy)
    guard probed.faults.isEmpty else { throw .assets(probed.faults) }
    return probed.facts
  }

  private static func read(_ path: String) throws(EditFileError) -> [UInt8] {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = unsafe Glibc.read(descriptor, &block, block.count)
      guard count >= 0 else {
        if errno == EINTR { continue }
        throw .unreadable(path: path, code: errno)
      }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
      guard bytes.count <= sizeLimit else { throw .tooLarge(path: path, limit: sizeLimit) }
    }
  }

  /// `path` as an absolute one; relative ones count from `folder`.
  package static func absolute(_ path: String, in folder: String) -> String {
    if path.utf8.first == UInt8(ascii: "/") { return path }
    guard folder.utf8.first != UInt8(ascii: "/") else { return "\(folder)/\(path)" }
    return "\(workingFolder)/\(folder == "." ? "" : "\(folder)/")\(path)"
  }

  private static var workingFolder: String {
    guard let name = unsafe getcwd(nil, 0) else { return "." }
    defer { unsafe free(name) }
    return unsafe String(cString: name)
  }
}

/// An asset that cannot be read.
package struct AssetFault: Error, Sendable {
  package var asset: AssetID
  package var error: MediaError
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
