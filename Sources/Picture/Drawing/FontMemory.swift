package import Scenes
package import Subprocess
internal import Synchronization

/// The font files of documents, in memory, for the libraries that open fonts by their paths. So a font is drawn from the very
/// bytes that were checked, wherever they came from, and no file has to be there for it.
///
/// Cairo remembers faces by their paths as long as the process lives. So the files stay as long, and a path never means another
/// font.
package enum FontMemory {
  /// A file as long as a font, which holds its bytes or will hold them.
  private struct Held {
    let file: Descriptor
    var isFilled = false
  }

  /// The files by the digests of their fonts.
  private static let files = Mutex<[String: Held]>([:])

  /// Makes room for the fonts of an edit, in a process that will not be allowed to make files in memory any more.
  ///
  /// - Throws: `SubprocessError`.
  package static func reserve(for edit: ResolvedTimeline) throws(SubprocessError) {
    for font in edit.fonts.values { try reserve(font.digest, byteCount: Int(font.byteCount)) }
  }

  /// Whether the path is one that this gives, and so that of a document's own font.
  static func isPath(_ path: String) -> Bool { path.hasPrefix(folder) }

  private static let folder = "/proc/self/fd/"

  private static func reserve(_ digest: String, byteCount: Int) throws(SubprocessError) {
    try files.withLock { files throws(SubprocessError) in
      if files[digest] == nil { files[digest] = Held(file: try .memory(byteCount: byteCount)) }
    }
  }

  /// The path of a file with these bytes.
  ///
  /// - Parameter digest: the digest of the bytes.
  /// - Throws: `SubprocessError`.
  static func path(of bytes: [UInt8], digest: String) throws(SubprocessError) -> String {
    try reserve(digest, byteCount: bytes.count)
    return try files.withLock { files throws(SubprocessError) in
      guard var held = files[digest] else { preconditionFailure("room was made") }
      if !held.isFilled {
        try held.file.write(bytes, at: 0)
        held.isFilled = true
        files[digest] = held
      }
      return "\(folder)\(held.file.number)"
    }
  }
}
