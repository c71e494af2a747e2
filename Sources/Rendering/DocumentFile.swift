internal import Glibc
package import Timeline

/// A document on disk, read by itself: nothing of its media was looked at.
package struct DocumentFile {
  /// As it was given.
  package let path: String
  /// It may have faults, which are told together with those of its media. Asset paths are absolute.
  package let document: Document

  /// Documents larger than this are refused unread; a thousand clips take about 300 kB.
  package static let sizeLimit = DocumentLimits.byteCount

  /// - Parameter path: of the document; "-" reads standard input, and relative asset paths then count from the working folder.
  /// - Throws: `EditFileError` `unreadable` and `tooLarge`; `document` when it is not JSON.
  package init(path: String) throws(EditFileError) {
    self.path = path
    let bytes = try Self.read(path)
    var document: Document
    do throws(DocumentFaults) {
      document = try Document(bytes)
    } catch {
      throw .document(path: path, error)
    }
    let folder = path == "-" ? "." : path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[..<$0]) } ?? "."
    document.assets = document.assets.mapValues { asset in
      if case .file(let path) = asset { .file(Self.absolute(path, in: folder)) } else { asset }
    }
    self.document = document
  }

  /// What is to be probed, in the order of the assets' names: paths, or URLs as they are written.
  package var assets: [(id: AssetID, path: String)] {
    document.assets.sorted { $0.key < $1.key }.map { (id: $0.key, path: $0.value.path) }
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
