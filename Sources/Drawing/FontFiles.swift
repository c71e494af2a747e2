internal import Glibc
internal import Media

/// The digests of font files: each is read once, and again when it is another.
///
/// For one thread at a time.
package final class FontFiles {
  /// By which a file is known to be what it was.
  struct Identity: Hashable {
    let device: UInt
    let inode: UInt
    let byteCount: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  private var digests: [Identity: String] = [:]

  package init() {}

  /// Nil when there is no such file.
  static func identity(of path: String) -> Identity? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    return Identity(
      device: UInt(facts.st_dev), inode: UInt(facts.st_ino), byteCount: Int64(facts.st_size), seconds: facts.st_mtim.tv_sec,
      nanoseconds: facts.st_mtim.tv_nsec)
  }

  /// What a file is, and the XXH3-128 of its content.
  ///
  /// - Throws: `DrawingError.fontUnreadable`.
  func digest(of path: String) throws(DrawingError) -> (identity: Identity, hash: String) {
    guard let identity = Self.identity(of: path) else { throw .fontUnreadable(path, "is gone") }
    if let known = digests[identity] { return (identity, known) }
    let hash: String
    do { hash = try FileDigest(of: path).hash } catch { throw .fontUnreadable(path, error.reason) }
    guard Self.identity(of: path) == identity else { throw .fontUnreadable(path, "changed while it was read") }
    digests[identity] = hash
    return (identity, hash)
  }

  /// The first of the files that has this content; only files of its size are read.
  func path(among paths: [String], byteCount: Int64, digest: String) -> String? {
    paths.first { path in
      guard Self.identity(of: path)?.byteCount == byteCount else { return false }
      // One that cannot be read is not it.
      return (try? self.digest(of: path).hash) == digest
    }
  }

  /// Of the fonts that are asked for by size and digest, those that are installed, in their order.
  package func found<Wanted>(
    _ wanted: [Wanted], in fonts: InstalledFonts, _ content: (Wanted) -> (byteCount: Int64, digest: String)
  ) -> [Wanted] {
    let paths = fonts.paths
    return wanted.filter { path(among: paths, byteCount: content($0).byteCount, digest: content($0).digest) != nil }
  }
}
