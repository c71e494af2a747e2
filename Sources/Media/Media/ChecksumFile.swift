internal import CFFmpeg
package import Formats
internal import Linux

/// The file beside a movie by which `sha256sum --check` or `md5sum --check` finds damage. It has a line for the movie, or for each file
/// of the folder that the movie is, and one for each other file beside it. The lines are those of GNU coreutils.
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
  ///   - others: the other files that come beside the movie.
  /// - Throws: `MediaError`, when something cannot be read.
  package func text(
    reading place: String, in folder: OutputFolder, _ files: FolderFiles? = nil, others: [CompanionFile] = []
  ) throws(MediaError) -> [UInt8] {
    var text: [UInt8] = []
    if let files {
      let inner = try folder.folder(place)
      for name in inner.rolled(files) {
        text += Self.line(try digest(ofFile: "\(inner.path)/\(name)", in: inner), "\(movie)/\(name)")
      }
    } else {
      text = Self.line(try digest(ofFile: "\(folder.path)/\(place)", in: folder), movie)
    }
    return text + (try lines(of: others))
  }

  /// Computes what the file says of a movie that is a folder, whose files are still in their roll.
  ///
  /// - Throws: `MediaError`, when the roll cannot be read.
  package func text(of roll: PictureRoll, _ files: FolderFiles, others: [CompanionFile] = []) throws(MediaError) -> [UInt8] {
    var text: [UInt8] = []
    for (name, index) in try roll.names(files) {
      text += Self.line(try digest(of: CompanionFile(name, roll.picture(index))), "\(movie)/\(name)")
    }
    return text + (try lines(of: others))
  }

  private func lines(of others: [CompanionFile]) throws(MediaError) -> [UInt8] {
    var text: [UInt8] = []
    for other in others { text += Self.line(try digest(of: other), other.name) }
    return text
  }

  private static func line(_ digest: String, _ name: String) -> [UInt8] {
    // coreutils mark a name with a backslash or a line break in it by a backslash before the line.
    let written = name.replacing("\\", with: "\\\\").replacing("\n", with: "\\n").replacing("\r", with: "\\r")
    return Array("\(written == name ? "" : "\\")\(digest)  \(written)\n".utf8)
  }

  private func digest(ofFile path: String, in folder: OutputFolder) throws(MediaError) -> String {
    let file = try InputFile(path, in: folder)
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 64)
    defer { unsafe piece.deallocate() }
    return try unsafe digest(at: path) { update throws(MediaError) in
      while case let count = try unsafe file.read(into: piece), count > 0 { unsafe update(.init(rebasing: piece[..<count])) }
    }
  }

  private func digest(of file: CompanionFile) throws(MediaError) -> String {
    try unsafe digest(at: file.name) { update throws(MediaError) in unsafe file.bytes.withUnsafeBytes { unsafe update($0) } }
  }

  /// The digest in lower-case hexadecimal digits of all that `feed` gives.
  private func digest(
    at place: String, _ feed: ((UnsafeRawBufferPointer) -> Void) throws(MediaError) -> Void
  ) throws(MediaError) -> String {
    var hash: OpaquePointer?
    let code = unsafe av_hash_alloc(&hash, method == .sha256 ? "SHA256" : "MD5")
    guard code >= 0, let context = unsafe hash else { throw MediaError(code, from: "av_hash_alloc", at: place) }
    defer { unsafe av_hash_freep(&hash) }
    unsafe av_hash_init(context)
    try unsafe feed { unsafe av_hash_update(context, $0.baseAddress?.assumingMemoryBound(to: UInt8.self), $0.count) }
    var digits = [UInt8](repeating: 0, count: 2 * Int(AV_HASH_MAX_SIZE) + 1)
    unsafe av_hash_final_hex(context, &digits, Int32(digits.count))
    return String(decoding: digits.prefix { $0 != 0 }, as: UTF8.self)
  }
}
