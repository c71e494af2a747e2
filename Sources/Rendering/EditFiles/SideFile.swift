internal import Glibc
internal import Linux
internal import Media

/// A caption file or a Lottie file that cannot be read.
package struct SideFileFault: Error, Sendable, CustomStringConvertible {
  /// The place in the document.
  package let place: String
  package let reason: String
  /// Whether the file is missing, may not be read or lies outside of the media roots. Otherwise its content is at fault.
  package let isMissing: Bool

  package var description: String { "\(place): \(reason)" }
}

/// A file beside a document, of which the content travels with the edit.
enum SideFile {
  /// The first bytes of a file: at most one more than it may have.
  ///
  /// - Parameter policy: says which files may be read.
  static func bytes(at path: String, atMost limit: Int, _ policy: SourcePolicy) throws(MediaError) -> [UInt8] {
    let path = try policy.resolve(path)
    // The path has no link left. A link that came meanwhile is not followed.
    let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
    guard descriptor >= 0 else { throw MediaError(.unreadable, at: path, SystemWords.of(errno)) }
    defer { close(descriptor) }
    var bytes: [UInt8] = []
    var block = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count <= limit {
      let count = SystemCall.uninterrupted { unsafe Glibc.read(descriptor, &block, block.count) }
      guard count >= 0 else { throw MediaError(.unreadable, at: path, SystemWords.of(errno)) }
      guard count > 0 else { return bytes }
      bytes += block[..<count]
    }
    return bytes
  }
}
