internal import Glibc
internal import Linux

/// A small file that comes beside a movie, such as its checksums or its captions. It is written under a hidden name, and gets its own one
/// once the movie has its own.
package struct CompanionFile: Sendable {
  /// The name of the file, without the way to it.
  package let name: String
  package let bytes: [UInt8]

  package init(_ name: String, _ bytes: [UInt8]) { (self.name, self.bytes) = (name, bytes) }

  /// The XXH3-128 of the bytes, as 32 lower-case hexadecimal digits.
  package var digest: String {
    get throws(MediaError) {
      let hash = try FileHash()
      unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
      return hash.finish()
    }
  }

  /// Writes the file under a hidden name, and waits until it is on the disk.
  package func write(to hidden: String, in folder: OutputFolder) throws(MediaError) {
    let file = try OutputFile("\(folder.path)/\(hidden)", .seeking, in: folder)
    try file.append(bytes)
    try file.finish()
  }

  /// Gives the file its name.
  ///
  /// - Returns: 0, or `errno`: EEXIST where the name is taken and must be kept, unless by a file that says the same.
  package func place(_ hidden: String, in folder: OutputFolder, overwrites: Bool) -> Int32 {
    guard !overwrites else { return folder.rename(hidden, to: name) }
    let code = folder.link(hidden, as: name)
    folder.remove(hidden)
    return code == EEXIST && isThere(in: folder) ? 0 : code
  }

  /// Whether the file is there and says this. One that cannot be read says something else.
  package func isThere(in folder: OutputFolder) -> Bool {
    guard folder.identity(of: name)?.byteCount == Int64(bytes.count) else { return false }
    var found = [UInt8](repeating: 0, count: bytes.count)
    do {
      let file = try InputFile("\(folder.path)/\(name)", in: folder)
      var count = 0
      while count < found.count {
        let more = try unsafe found.withUnsafeMutableBytes { try unsafe file.read(into: .init(rebasing: $0[count...])) }
        guard more > 0 else { return false }
        count += more
      }
      return found == bytes
    } catch { return false }
  }
}
