package import Document
package import Formats
internal import Glibc
internal import Linux
internal import Timeline

/// A document on disk. Only the document was read, and none of its media.
package struct DocumentFile {
  /// The path as it was given.
  package let path: String
  /// The document. It may have faults, which are reported together with those of its media. Asset paths are absolute.
  package private(set) var document: Document

  /// The most bytes of a document. A larger one is refused and not parsed. A thousand clips take about 300 kB.
  package static let sizeLimit = DocumentLimits.byteCount

  /// - Parameter path: the document's path. "-" reads standard input; relative asset paths then count from the working folder.
  /// - Throws: `EditFileError` `unreadable` and `tooLarge`; `document` when the text is not JSON.
  package init(path: String) throws(EditFileError) { try self.init(Self.read(path), path: path) }

  /// - Parameters:
  ///   - bytes: the document's text.
  ///   - path: where it is, or will be. Relative asset paths count from that folder.
  /// - Throws: `EditFileError` `document` when the text is not JSON.
  package init(_ bytes: [UInt8], path: String) throws(EditFileError) {
    self.path = path
    var document: Document
    do throws(DocumentFaults) {
      document = try Document(bytes)
    } catch {
      throw .document(path: path, error)
    }
    let folder = path == "-" ? "." : FilePath.folder(of: path)
    document.assets = document.assets.mapValues { asset in
      if case .file(let path) = asset { .file(Self.absolute(path, in: folder)) } else { asset }
    }
    for index in document.captionFiles.indices {
      document.captionFiles[index].path = Self.absolute(document.captionFiles[index].path, in: folder)
    }
    for index in document.lottieFiles.indices {
      document.lottieFiles[index].path = Self.absolute(document.lottieFiles[index].path, in: folder)
    }
    self.document = document
  }

  /// The document with export settings that its reader asks for, as `Document.wishing` says.
  package func wishing(_ wish: ExportWish, fileType: FileType?, names: String? = nil) -> DocumentFile {
    var file = self
    file.document = document.wishing(wish, fileType: fileType, names: names)
    return file
  }

  /// The assets to be probed, in the order of their names: paths, or URLs as they are written.
  package var assets: [ProbedAssets.Asset] {
    document.assets.sorted { $0.key < $1.key }
      .map { ProbedAssets.Asset(id: $0.key, path: $0.value.path, isFont: document.fonts.contains($0.key)) }
  }

  /// The bytes of a document's file; "-" is standard input.
  ///
  /// - Throws: `EditFileError` `unreadable` and `tooLarge`.
  package static func read(_ path: String) throws(EditFileError) -> [UInt8] {
    let descriptor = path == "-" ? dup(STDIN_FILENO) : unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw .unreadable(path: path, code: errno) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = SystemCall.uninterrupted { unsafe Glibc.read(descriptor, &block, block.count) }
      guard count >= 0 else { throw .unreadable(path: path, code: errno) }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
      guard bytes.count <= sizeLimit else { throw .tooLarge(path: path, limit: sizeLimit) }
    }
  }

  /// The absolute form of `path`. A relative path counts from `folder`.
  package static func absolute(_ path: String, in folder: String) -> String {
    if FilePath.isAbsolute(path) { return path }
    guard !FilePath.isAbsolute(folder) else { return "\(folder == "/" ? "" : folder)/\(path)" }
    return "\(workingFolder)/\(folder == "." ? "" : "\(folder)/")\(path)"
  }

  private static var workingFolder: String {
    guard let name = unsafe getcwd(nil, 0) else { return "." }
    defer { unsafe free(name) }
    return unsafe String(cString: name)
  }
}
