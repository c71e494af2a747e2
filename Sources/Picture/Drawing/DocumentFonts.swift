internal import Formats
package import Media
package import Scenes
internal import Timeline

/// The font files that a document states, by the names that its texts have for them. Not for use by two threads at the same time.
package final class DocumentFonts {
  /// A font that was read.
  struct Opened {
    /// The path of its bytes, in memory.
    let path: String
    /// The face that is meant, with its named instances.
    let faces: InstalledFonts
  }

  private let fonts: [String: DocumentFont]
  /// The names of all fonts that the document states, and those of its media.
  let (names, media): (Set<String>, Set<String>)
  private let policy: SourcePolicy
  private var opened: [String: Opened] = [:]

  /// - Parameter policy: says how the files are read.
  package init(of edit: ResolvedTimeline, _ policy: SourcePolicy) {
    (fonts, self.policy) = (edit.fonts, policy)
    names = Set(edit.timeline.assets.keys.filter { edit.timeline.treatment(of: $0).font != nil }.map(\.rawValue))
    media = Set(edit.timeline.assets.keys.map(\.rawValue)).subtracting(names)
  }

  /// The font with this name; nil when the document has none. It is read once.
  ///
  /// - Throws: `DrawingError` when its file cannot be read, or is not the one that was probed.
  func font(_ name: String) throws(DrawingError) -> Opened? {
    if let known = opened[name] { return known }
    guard let font = fonts[name] else { return nil }
    let file: SourceContents
    do { file = try SourceContents(of: font.file.path, policy: policy, atMost: FontFacts.mostBytes) } catch {
      throw .documentFont(name, error)
    }
    guard file.digest == font.digest else { throw .documentFontChanged(name, path: MediaURL.name(of: font.file.path)) }
    let path: String
    do { path = try FontMemory.path(of: file.bytes, digest: file.digest) } catch { throw .outOfMemory(call: "memfd_create") }
    let made = Opened(path: path, faces: try InstalledFonts(file: path, face: font.face))
    opened[name] = made
    return made
  }
}
