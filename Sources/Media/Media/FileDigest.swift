package import Formats
internal import Glibc
internal import Linux

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

  /// The most threads that read a movie for its digest.
  private static let mostThreads = 4

  /// Reads a movie from end to end, by several threads where the machine has several cores. Its digest is the XXH3-128 of the XXH3-128s of its
  /// blocks of 16 MiB, in their order and canonical form: it can be computed while the movie is written (decision 0210).
  ///
  /// - Parameters:
  ///   - folder: the movie's folder, where it is held open. A symbolic link is refused there.
  ///   - progress: called on this thread, now and then, with the number of bytes read so far. What it throws ends the reading.
  /// - Throws: `MediaError` of kind `unreadable` naming the movie and the system's reason; `changed` where it becomes shorter meanwhile.
  package init(
    ofMovie path: String, in folder: OutputFolder? = nil, progress: (Int64) throws(MediaError) -> Void = { _ in }
  ) throws(MediaError) {
    let file = if let folder { try InputFile(path, in: folder) } else { try InputFile(path) }
    var facts = stat()
    guard unsafe fstat(file.descriptor, &facts) == 0 else { throw MediaError(-errno, from: "fstat", at: path) }
    let (descriptor, count) = (file.descriptor, Int64(facts.st_size))
    let inserted = try FastStart.insertedByteCount { start, count throws(MediaError) in
      try Self.bytes(start, count, in: descriptor, at: path)
    }
    let blocks = BlockHash.ranges(count, inserted: inserted)
    let threads = max(1, min(Self.mostThreads, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
    let whole = try ContentHasher()
    // A disk may be slow, and whoever waits is told after each round: a block for each thread.
    for first in stride(from: 0, to: blocks.count, by: threads) {
      let some = blocks[first..<min(first + threads, blocks.count)]
      let digests = try concurrently(some, threads: threads) { block throws(MediaError) in
        try Self.digest(of: block, in: descriptor, at: path)
      }
      for digest in digests { whole.update(digest) }
      try progress(some.last?.upperBound ?? count)
    }
    // The threads know the number of the open file alone.
    withExtendedLifetime(file) {}
    self.init(byteCount: count, hash: whole.digest.description)
  }

  private static func bytes(_ start: Int64, _ count: Int, in file: Int32, at path: String) throws(MediaError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe bytes.withUnsafeMutableBytes { bytes in
      SystemCall.read(count) { unsafe pread(file, bytes.baseAddress! + $0, count - $0, off_t(start) + off_t($0)) }
    }
    guard read.code == 0 else { throw MediaError(-read.code, from: "pread", at: path) }
    return Array(bytes.prefix(read.count))
  }

  private static func digest(of block: Range<Int64>, in file: Int32, at path: String) throws(MediaError) -> ContentDigest {
    let hasher = try ContentHasher()
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { unsafe piece.deallocate() }
    var position = block.lowerBound
    while position < block.upperBound {
      let wanted = min(piece.count, Int(block.upperBound - position))
      let count = SystemCall.uninterrupted { unsafe pread(file, piece.baseAddress, wanted, off_t(position)) }
      guard count >= 0 else { throw MediaError(-errno, from: "pread", at: path) }
      guard count > 0 else { throw MediaError(.changed, at: path, "became shorter while it was read") }
      unsafe hasher.update(UnsafeRawBufferPointer(rebasing: piece[..<count]))
      position += Int64(count)
    }
    return hasher.digest
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
