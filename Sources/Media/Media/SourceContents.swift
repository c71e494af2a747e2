internal import Formats
internal import Glibc

/// All bytes of a source that is small enough to be kept in memory.
package struct SourceContents {
  package let bytes: [UInt8]
  /// The XXH3-128 digest of the bytes: 32 lower-case hexadecimal digits.
  package let digest: String
  /// The server's name for this version of the content; nil for a file.
  package let version: String?

  /// Reads the source as media are read: what a URL names or holds, a file that was handed over, or a file below a root.
  ///
  /// - Parameters:
  ///   - path: a path, or a URL.
  ///   - limit: the most bytes. A larger source is refused and not read.
  /// - Throws: `MediaError` when the policy refuses the source, it cannot be read, or is larger than that.
  package init(of path: String, policy: SourcePolicy, atMost limit: Int) throws(MediaError) {
    switch SourceName(path) {
    case .remote(let url):
      let file = try policy.open(url)
      try self.init(file, at: url.description, atMost: limit, version: file.version.tag)
    case .embedded(let data): try self.init(RemoteFile(data.bytes), at: data.description, atMost: limit, version: nil)
    case .file(let path):
      if let file = policy.handed[path] {
        try self.init(file.source(path), at: path, atMost: limit, version: nil)
      } else {
        let descriptor = try policy.descriptor(of: path)
        defer { close(descriptor) }
        try self.init(HandedFile(descriptor, at: path).source(path), at: path, atMost: limit, version: nil)
      }
    }
  }

  private init(_ file: RemoteFile, at place: String, atMost limit: Int, version: String?) throws(MediaError) {
    let count = file.version.byteCount
    guard count <= limit else {
      throw MediaError(.unsupported, at: place, "has \(count) bytes; at most \(limit >> 20) MiB are read")
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(count))
    while bytes.count < count { bytes += try file.block(Int64(bytes.count / RemoteMedia.blockSize)) }
    let hash = try FileHash()
    unsafe bytes.withUnsafeBytes { unsafe hash.update($0) }
    (self.bytes, self.version, digest) = (bytes, version, hash.finish())
  }
}
