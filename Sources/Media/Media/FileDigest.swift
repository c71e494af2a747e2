package import Formats
internal import Glibc

/// The size and XXH3-128 of a file, as a proof states them.
package struct FileDigest: Hashable, Sendable {
  package let byteCount: Int64
  /// The XXH3-128 as 32 lower-case hexadecimal digits.
  package let hash: String

  package init(byteCount: Int64, hash: String) {
    (self.byteCount, self.hash) = (byteCount, hash)
  }

  /// Reads a file from end to end, a mebibyte at a time.
  ///
  /// - Parameter progress: called after each mebibyte with the number of bytes read so far.
  /// - Throws: `MediaError` of kind `unreadable` naming the file and the system's reason.
  package init(of path: String, progress: (Int64) -> Void = { _ in }) throws(MediaError) {
    try self.init(of: InputFile(path), progress)
  }

  /// Reads the file `path` in a folder that is held open. A symbolic link is refused.
  package init(of path: String, in folder: OutputFolder, progress: (Int64) -> Void = { _ in }) throws(MediaError) {
    try self.init(of: InputFile(path, in: folder), progress)
  }

  /// Reads the pictures of a folder, as the roll of them would be read.
  ///
  /// - Parameter folder: the folder of the pictures. Symbolic links in it are refused.
  package init(
    ofFilesIn folder: OutputFolder, _ files: FolderFiles, progress: (Int64) -> Void = { _ in }
  ) throws(MediaError) {
    let hash = try FileHash()
    var count: Int64 = 0
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { unsafe piece.deallocate() }
    for name in folder.rolled(files) {
      // A file that has gone since is none that was published.
      guard let found = folder.identity(of: name) else { break }
      let file = try InputFile("\(folder.path)/\(name)", in: folder)
      let label = files == .pieces ? PictureRoll.head(name.utf8.count) + Array(name.utf8) : []
      let head = label + PictureRoll.head(Int(found.byteCount))
      unsafe head.withUnsafeBytes { unsafe hash.update($0) }
      count += Int64(head.count)
      while case let read = try unsafe file.read(into: piece), read > 0 {
        unsafe hash.update(UnsafeRawBufferPointer(rebasing: piece[..<read]))
        count += Int64(read)
      }
      progress(count)
    }
    self.init(byteCount: count, hash: hash.finish())
  }

  private init(of file: InputFile, _ progress: (Int64) -> Void) throws(MediaError) {
    let hash = try FileHash()
    var count: Int64 = 0
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { unsafe piece.deallocate() }
    while case let read = try unsafe file.read(into: piece), read > 0 {
      unsafe hash.update(UnsafeRawBufferPointer(rebasing: piece[..<read]))
      count += Int64(read)
      progress(count)
    }
    self.init(byteCount: count, hash: hash.finish())
  }
}
