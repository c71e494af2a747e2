internal import Glibc

/// Gives a muxed movie its final name. May be done again after a crash: the second time finds the movie in place.
struct Publication {
  /// The hidden file that the mux attempt wrote.
  let part: String
  let byteCount: Int64
  let output: String
  let overwrites: Bool

  func publish() throws(StoreError) {
    guard unsafe access(part, F_OK) == 0 else {
      // An earlier attempt renamed it and died before it could say so.
      guard size(of: output) == byteCount else {
        throw StoreError(path: part, action: "publish it", code: ENOENT)
      }
      return
    }
    if overwrites {
      guard unsafe rename(part, output) == 0 else { throw StoreError(path: output, action: "take this name", code: errno) }
    } else {
      // link(2) fails when the name is taken, rename(2) would replace it.
      guard unsafe link(part, output) == 0 else { throw StoreError(path: output, action: "take this name", code: errno) }
      _ = unsafe unlink(part)
    }
    try syncFolder()
  }

  /// Makes the rename itself durable.
  private func syncFolder() throws(StoreError) {
    let folder = output.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(output[..<$0]) } ?? "."
    let descriptor = unsafe open(folder.isEmpty ? "/" : folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard descriptor >= 0 else { throw StoreError(path: folder, action: "open it", code: errno) }
    defer { close(descriptor) }
    // Some network file systems cannot sync a folder (EINVAL); the rename has happened all the same.
    guard fsync(descriptor) == 0 || errno == EINVAL else { throw StoreError(path: folder, action: "sync it", code: errno) }
  }

  private func size(of path: String) -> Int64? {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    return Int64(status.st_size)
  }
}
