internal import Formats

/// The files of a movie's still pictures, one after the other in one file, each behind its length (`PictureRoll`). A mux writes it beside the
/// movie, and a publication makes files of it.
package enum StillRoll {
  /// The most bytes of a roll: far more than JPEG makes of all pixels that stills may have.
  package static let longest: Int64 = 1 << 30

  /// The size and the digest of the roll of these files.
  ///
  /// - Throws: `MediaError` `outOfMemory`.
  package static func digest(of files: [[UInt8]]) throws(MediaError) -> FileDigest {
    let hash = try FileHash()
    var byteCount: Int64 = 0
    for piece in pieces(files) {
      unsafe piece.withUnsafeBytes { unsafe hash.update($0) }
      byteCount += Int64(piece.count)
    }
    return FileDigest(byteCount: byteCount, hash: hash.finish())
  }

  /// Writes a roll, and waits until it is on the disk.
  ///
  /// - Throws: `MediaError`. No file is left then.
  package static func write(_ files: [[UInt8]], to path: String, in folder: OutputFolder) throws(MediaError) {
    let file = try OutputFile(path, .seeking, in: folder)
    for piece in pieces(files) { try file.append(piece) }
    try file.finish()
  }

  /// Reads a roll.
  ///
  /// - Throws: `MediaError`; `corrupt` for what is no roll.
  package static func files(_ name: String, in folder: OutputFolder) throws(MediaError) -> [[UInt8]] {
    let path = "\(folder.path)/\(name)"
    guard folder.identity(of: name)?.byteCount ?? 0 <= longest else {
      throw MediaError(.corrupt, at: path, "is too large for still pictures")
    }
    let roll = try PictureRoll(path, in: folder)
    var files: [[UInt8]] = []
    for index in 0..<roll.count { files.append(try roll.picture(index)) }
    return files
  }

  private static func pieces(_ files: [[UInt8]]) -> [[UInt8]] { files.flatMap { [PictureRoll.head($0.count), $0] } }
}
