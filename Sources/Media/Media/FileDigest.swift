package import Formats
internal import Glibc

/// The size and digest of a file, as a proof states them.
package struct FileDigest: Hashable, Sendable {
  package let byteCount: Int64
  /// The XXH3-128 as 32 lower-case hexadecimal digits; of a movie, that of its blocks' (`init(ofMovie:in:progress:)`).
  package let hash: String

  package init(byteCount: Int64, hash: String) {
    (self.byteCount, self.hash) = (byteCount, hash)
  }

  /// Reads a file from end to end, a mebibyte at a time.
  ///
  /// - Parameter progress: called after each mebibyte with the number of bytes read so far.
  /// - Throws: `MediaError` of kind `unreadable` naming the file and the system's reason.
  package init(of path: String, progress: (Int64) -> Void = { _ in }) throws(MediaError) {
    let hash = try FileHash()
    let count = try unsafe InputFile(path).read { bytes, end in
      unsafe hash.update(bytes)
      progress(end)
    }
    self.init(byteCount: count, hash: hash.finish())
  }

  /// Reads a movie from end to end. Its digest is the XXH3-128 of the XXH3-128s of its blocks of 16 MiB, in their order and canonical
  /// form: it can be computed while the movie is written (decision 0210).
  ///
  /// - Parameters:
  ///   - folder: the movie's folder, where it is held open. A symbolic link is refused there.
  ///   - progress: called after each mebibyte with the number of bytes read so far.
  /// - Throws: `MediaError` of kind `unreadable` naming the movie and the system's reason.
  package init(
    ofMovie path: String, in folder: OutputFolder? = nil, progress: (Int64) -> Void = { _ in }
  ) throws(MediaError) {
    let hash = try BlockHash()
    let file = if let folder { try InputFile(path, in: folder) } else { try InputFile(path) }
    let count = try unsafe file.read { bytes, end in
      unsafe hash.write(bytes, at: end - Int64(bytes.count))
      progress(end)
    }
    self = try hash.finish(byteCount: count)
  }

  /// Reads the pictures of a folder, as the roll of them would be read.
  ///
  /// - Parameter folder: the folder of the pictures. Symbolic links in it are refused.
  package init(
    ofFilesIn folder: OutputFolder, _ files: FolderFiles, progress: (Int64) -> Void = { _ in }
  ) throws(MediaError) {
    let hash = try BlockHash()
    var count: Int64 = 0
    for name in folder.rolled(files) {
      // A file that has gone since is none that was published.
      guard let found = folder.identity(of: name) else { break }
      let file = try InputFile("\(folder.path)/\(name)", in: folder)
      let label = files == .pieces ? PictureRoll.head(name.utf8.count) + Array(name.utf8) : []
      let head = label + PictureRoll.head(Int(found.byteCount))
      unsafe head.withUnsafeBytes { unsafe hash.write($0, at: count) }
      let start = count + Int64(head.count)
      count = start + (try unsafe file.read { bytes, end in unsafe hash.write(bytes, at: start + end - Int64(bytes.count)) })
      progress(count)
    }
    self = try hash.finish(byteCount: count)
  }
}

extension InputFile {
  /// Reads the rest of the file, a mebibyte at a time.
  ///
  /// - Parameter take: is given the bytes, and the number of all that were read so far.
  /// - Returns: the number of all bytes.
  fileprivate func read(_ take: (UnsafeRawBufferPointer, Int64) -> Void) throws(MediaError) -> Int64 {
    var count: Int64 = 0
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { unsafe piece.deallocate() }
    while case let read = try unsafe read(into: piece), read > 0 {
      count += Int64(read)
      unsafe take(UnsafeRawBufferPointer(rebasing: piece[..<read]), count)
    }
    return count
  }
}
