internal import CFFmpeg
package import Formats
internal import Linux

/// The file beside a movie by which `sha256sum --check` or `md5sum --check` finds damage. It has a line for the movie, or for each file
/// of the folder that the movie is. The lines are those of GNU coreutils.
package struct ChecksumFile {
  package let method: ChecksumMethod
  /// The name of the movie, or of its folder, without the way to it.
  package let movie: String

  package init(_ method: ChecksumMethod, of movie: String) { (self.method, self.movie) = (method, movie) }

  package var name: String { method.fileName(of: movie) }

  /// Reads the movie, and computes what the file says.
  ///
  /// - Parameters:
  ///   - place: the name that the movie, or its folder, has now.
  ///   - files: the files of the folder; nil where the movie is a file.
  /// - Throws: `MediaError`, when something cannot be read.
  package func text(
    reading place: String, in folder: OutputFolder, _ files: FolderFiles? = nil
  ) throws(MediaError) -> [UInt8] {
    guard let files else { return try line(of: "\(folder.path)/\(place)", in: folder, as: movie) }
    let inner = try folder.folder(place)
    var text: [UInt8] = []
    for name in inner.rolled(files) { text += try line(of: "\(inner.path)/\(name)", in: inner, as: "\(movie)/\(name)") }
    return text
  }

  /// Writes the file under a hidden name, and waits until it is on the disk.
  package func write(_ text: [UInt8], to hidden: String, in folder: OutputFolder) throws(MediaError) {
    let file = try OutputFile("\(folder.path)/\(hidden)", .seeking, in: folder)
    try file.append(text)
    try file.finish()
  }

  /// Gives the file its name.
  ///
  /// - Returns: 0, or `errno`: EEXIST where the name is taken and must be kept, unless by a file that says the same.
  package func place(_ hidden: String, _ text: [UInt8], in folder: OutputFolder, overwrites: Bool) -> Int32 {
    guard !overwrites else { return folder.rename(hidden, to: name) }
    let code = folder.link(hidden, as: name)
    folder.remove(hidden)
    return code == EEXIST && isThere(text, in: folder) ? 0 : code
  }

  /// Whether the file is there and says this. One that cannot be read says something else.
  package func isThere(_ text: [UInt8], in folder: OutputFolder) -> Bool {
    guard folder.identity(of: name)?.byteCount == Int64(text.count) else { return false }
    var found = [UInt8](repeating: 0, count: text.count)
    do {
      let file = try InputFile("\(folder.path)/\(name)", in: folder)
      let count = try unsafe found.withUnsafeMutableBytes { try unsafe file.read(into: $0) }
      return count == text.count && found == text
    } catch { return false }
  }

  private func line(of path: String, in folder: OutputFolder, as name: String) throws(MediaError) -> [UInt8] {
    let file = try InputFile(path, in: folder)
    // coreutils mark a name with a backslash or a line break in it by a backslash before the line.
    let written = name.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\r", with: "\\r")
    return Array("\(written == name ? "" : "\\")\(try digest(of: file))  \(written)\n".utf8)
  }

  /// The digest of a file in lower-case hexadecimal digits.
  private func digest(of file: InputFile) throws(MediaError) -> String {
    var hash: OpaquePointer?
    let code = unsafe av_hash_alloc(&hash, method == .sha256 ? "SHA256" : "MD5")
    guard code >= 0, let context = unsafe hash else { throw MediaError(code, from: "av_hash_alloc", at: file.path) }
    defer { unsafe av_hash_freep(&hash) }
    unsafe av_hash_init(context)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { unsafe piece.deallocate() }
    while case let read = try unsafe file.read(into: piece), read > 0 {
      unsafe av_hash_update(context, piece.baseAddress?.assumingMemoryBound(to: UInt8.self), read)
    }
    var digits = [UInt8](repeating: 0, count: 2 * Int(AV_HASH_MAX_SIZE) + 1)
    unsafe av_hash_final_hex(context, &digits, Int32(digits.count))
    return String(decoding: digits.prefix { $0 != 0 }, as: UTF8.self)
  }
}
