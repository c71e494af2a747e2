package import Timeline

/// How sources that are not on this machine are read: by whoever knows the network, which Media does not.
package struct RemoteMedia: Sendable {
  /// Bytes of all blocks of a source but its last: about a second of high-rate footage, and many round trips' worth.
  package static let blockSize = 1 << 20

  /// Opens what a URL names: the version that is known, or else the present one.
  ///
  /// - Throws: `MediaError` `unreachable`, `missing`, `changed`, `unreadable` where it is not allowed.
  package var open: @Sendable (_ url: MediaURL, _ known: RemoteVersion?) throws(MediaError) -> RemoteFile

  package init(open: @escaping @Sendable (_ url: MediaURL, _ known: RemoteVersion?) throws(MediaError) -> RemoteFile) {
    self.open = open
  }
}

/// What names the content behind a URL: when the content changes, so does this.
package struct RemoteVersion: Hashable, Sendable {
  /// Positive.
  package var byteCount: Int64
  /// The server's word for it: an entity tag, or the time of its last change.
  package var tag: String

  package init(byteCount: Int64, tag: String) { (self.byteCount, self.tag) = (byteCount, tag) }

  /// How many bytes a block has.
  package func byteCount(ofBlock number: Int64) -> Int {
    let start = number * Int64(RemoteMedia.blockSize)
    return Int(max(0, min(Int64(RemoteMedia.blockSize), byteCount - start)))
  }
}

/// An open source that is not on this machine. One thread at a time.
package struct RemoteFile {
  package var version: RemoteVersion
  /// A block of that version, all of it.
  package var block: (_ number: Int64) throws(MediaError) -> [UInt8]

  package init(version: RemoteVersion, block: @escaping (_ number: Int64) throws(MediaError) -> [UInt8]) {
    (self.version, self.block) = (version, block)
  }
}
