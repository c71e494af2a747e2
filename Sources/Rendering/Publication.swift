internal import Glibc
internal import Media
internal import Messages

/// Gives a muxed movie its final name. May be done again after a crash at any place: the second time finds what was done.
struct Publication {
  /// The hidden file that the mux attempt wrote.
  let part: String
  let muxed: Winner
  let output: String
  let overwrites: Bool

  /// - Parameter progress: called with bytes read, where the movie must be read to know that it is ours.
  /// - Throws: `Failure` that names the mux attempt as damaged when its file is gone or not what it proved, so that it is made
  ///   again; `StoreError`, with EEXIST when the name is taken and is to be kept.
  func publish(progress: (Int64) -> Void) throws {
    guard let found = FileIdentity(of: part) else {
      guard try isPublished(progress) else { throw damaged("is gone") }
      // Who renamed it may have died before this.
      return try syncFolder()
    }
    guard found.byteCount == muxed.proof.byteCount else {
      throw damaged("has \(found.byteCount) bytes of \(muxed.proof.byteCount)")
    }
    if overwrites {
      guard unsafe rename(part, output) == 0 else { throw StoreError(path: output, action: "take this name", code: errno) }
    } else {
      // link(2) fails when the name is taken, rename(2) would replace it.
      if unsafe link(part, output) != 0 {
        let code = errno
        // An earlier attempt took the name, and died before it could give up the other one.
        guard code == EEXIST, FileIdentity(of: output) == found else {
          throw StoreError(path: output, action: "take this name", code: code)
        }
      }
      _ = unsafe unlink(part)
    }
    try syncFolder()
  }

  /// Whether an earlier attempt renamed it and died before it could say so. Any file may have the movie's size.
  private func isPublished(_ progress: (Int64) -> Void) throws(MediaError) -> Bool {
    guard FileIdentity(of: output)?.byteCount == muxed.proof.byteCount else { return false }
    return try FileDigest(of: output, progress: progress).hash == muxed.proof.byteDigest
  }

  private func damaged(_ what: String) -> Failure {
    Failure(.worker, at: part, "the joined movie \(what): it is joined again", damaged: [muxed.key])
  }

  /// Makes the rename itself durable.
  private func syncFolder() throws(StoreError) {
    let folder = SegmentStore.folder(of: output)
    let descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(path: folder, action: "open it", code: errno) }
    defer { close(descriptor) }
    // Some network file systems cannot sync a folder (EINVAL); the rename has happened all the same.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw StoreError(path: folder, action: "sync it", code: errno) }
  }
}

/// Which file has a name, and its size.
private struct FileIdentity: Equatable {
  let device: UInt
  let inode: UInt
  let byteCount: Int64

  /// Nil when there is none of this name.
  init?(of path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    (device, inode, byteCount) = (UInt(status.st_dev), UInt(status.st_ino), Int64(status.st_size))
  }
}
