internal import CLinux

/// The code that runs: this program and all libraries that it has loaded.
package enum RunningProgram {
  /// A digest of all that code. Another version of the program, of FFmpeg, x264, Cairo or any other library has another one.
  ///
  /// A library is named by the build id that its linker gave it. Code without one is named by the digest of its file. What a process
  /// loads after it first asked, such as the C library's tables of an encoding, does not count: the digest stays the same as long
  /// as the process lives.
  ///
  /// - Throws: `MediaError` `unreadable` where such a file cannot be read, `outOfMemory`.
  package static func digest() throws(MediaError) -> ContentDigest { try own.get() }

  private static let own = Result { () throws(MediaError) in try made() }

  private static func made() throws(MediaError) -> ContentDigest {
    let hasher = try ContentHasher()
    for code in loadedCode() {
      let words = if let id = code.buildID { "id \(id)" } else { "file \(try FileDigest(of: code.path).hash)" }
      let text = Array("\(words.utf8.count) \(words)".utf8)
      unsafe text.withUnsafeBytes { unsafe hasher.update($0) }
    }
    return hasher.digest
  }

  /// An object that the loader has put into memory.
  private struct LoadedCode {
    let path: String
    /// The bytes of the build id in words; nil where it has none.
    let buildID: String?
  }

  /// The code in the order in which it was loaded, which is the same in each process of a program.
  private static func loadedCode() -> [LoadedCode] {
    var found: [LoadedCode] = []
    unsafe withUnsafeMutablePointer(to: &found) { found in
      unsafe spool_loaded_code(
        { path, id, count, context in
          guard let path = unsafe path, let context = unsafe context else { return }
          let id = unsafe id.map { unsafe "\(Array(UnsafeBufferPointer(start: $0, count: count)))" }
          let code = unsafe LoadedCode(path: String(cString: path), buildID: id)
          unsafe context.assumingMemoryBound(to: [LoadedCode].self).pointee.append(code)
        }, found)
    }
    return found
  }
}
