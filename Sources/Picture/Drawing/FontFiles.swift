internal import Formats
internal import Glibc
internal import Linux
internal import Media

/// The digests of font files. Each file is read once, and again when it has changed.
///
/// Not for use by two threads at the same time.
package final class FontFiles {
  /// The properties by which a file is recognised as unchanged.
  struct Identity: Hashable {
    let device: UInt
    let inode: UInt
    let byteCount: Int64
    let seconds: Int
    let nanoseconds: Int
  }

  private var digests: [Identity: String] = [:]

  package init() {}

  /// Returns nil when there is no such file.
  static func identity(of path: String) -> Identity? {
    var facts = stat()
    guard unsafe stat(path, &facts) == 0 else { return nil }
    return Identity(
      device: UInt(facts.st_dev), inode: UInt(facts.st_ino), byteCount: Int64(facts.st_size), seconds: facts.st_mtim.tv_sec,
      nanoseconds: facts.st_mtim.tv_nsec)
  }

  /// The file's identity and the XXH3-128 digest of its content.
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

  /// All bytes of a font file.
  ///
  /// - Throws: `MediaError` when it cannot be read, is larger than a font may be, or changes meanwhile.
  static func bytes(of path: String) throws(MediaError) -> [UInt8] {
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw MediaError(.unreadable, at: path, "cannot be opened") }
    defer { close(descriptor) }
    guard let identity = identity(of: path), identity.byteCount <= FontFacts.mostBytes else {
      throw MediaError(.unsupported, at: path, "is larger than \(FontFacts.mostBytes >> 20) MiB")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(identity.byteCount))
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= identity.byteCount {
      let count = SystemCall.uninterrupted { unsafe Glibc.read(descriptor, &block, block.count) }
      guard count > 0 else { break }
      bytes += block[..<count]
    }
    guard bytes.count == identity.byteCount, self.identity(of: path) == identity else {
      throw MediaError(.unreadable, at: path, "changed while it was read")
    }
    return bytes
  }

  /// The first of the files with this content. Only files of that size are read.
  func path(among paths: [String], byteCount: Int64, digest: String) -> String? {
    paths.first { path in
      guard Self.identity(of: path)?.byteCount == byteCount else { return false }
      // A file that cannot be read is not the one.
      return (try? self.digest(of: path).hash) == digest
    }
  }

  /// The wanted fonts that are installed, in their order. Fonts are wanted by size and digest.
  package func found<Wanted>(
    _ wanted: [Wanted], in fonts: InstalledFonts, _ content: (Wanted) -> (byteCount: Int64, digest: String)
  ) -> [Wanted] {
    let paths = fonts.paths
    return wanted.filter { path(among: paths, byteCount: content($0).byteCount, digest: content($0).digest) != nil }
  }
}
