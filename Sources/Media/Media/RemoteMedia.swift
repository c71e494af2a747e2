package import Formats

/// Opens sources that are not on this machine. It is given from outside, since this module knows no network.
package struct RemoteMedia: Sendable {
  /// The size of all blocks of a source but the last, in bytes. A block is about a second of high-rate footage, and saves many
  /// round trips.
  package static let blockSize = 1 << 20

  /// Opens the source that a URL names: the version `known`, or the present one where that is nil.
  ///
  /// - Throws: `MediaError`: `unreachable`, `missing`, `changed`; `unreadable` where it is not allowed.
  package var open: @Sendable (_ url: MediaURL, _ known: RemoteVersion?) throws(MediaError) -> RemoteFile

  package init(open: @escaping @Sendable (_ url: MediaURL, _ known: RemoteVersion?) throws(MediaError) -> RemoteFile) {
    self.open = open
  }
}

/// The version of the content behind a URL. It changes when the content changes.
package struct RemoteVersion: Hashable, Sendable {
  /// The size in bytes; positive.
  package var byteCount: Int64
  /// The server's name for this version: an entity tag, or the time of the last change. It is empty for files on this machine.
  package var tag: String

  package init(byteCount: Int64, tag: String) { (self.byteCount, self.tag) = (byteCount, tag) }

  /// The number of bytes in block `number`: `RemoteMedia.blockSize` except at the end.
  package func byteCount(ofBlock number: Int64) -> Int {
    let start = number * Int64(RemoteMedia.blockSize)
    return Int(max(0, min(Int64(RemoteMedia.blockSize), byteCount - start)))
  }
}

/// An open source that is read in blocks. One thread at a time.
@safe package struct RemoteFile {
  package var version: RemoteVersion
  /// Reads a whole block of that version.
  package var block: (_ number: Int64) throws(MediaError) -> [UInt8]
  /// Reads as many bytes as there is room for, from a place on. They lie before the end. Nil where only whole blocks are read.
  var bytes: ((_ place: Int64, _ room: UnsafeMutableRawBufferPointer) throws(MediaError) -> Void)?

  package init(version: RemoteVersion, block: @escaping (_ number: Int64) throws(MediaError) -> [UInt8]) {
    (self.version, self.block) = (version, block)
  }

  /// A source in memory.
  init(_ bytes: [UInt8]) {
    self.init(version: RemoteVersion(byteCount: Int64(bytes.count), tag: "")) { number in
      Array(bytes.dropFirst(Int(number) * RemoteMedia.blockSize).prefix(RemoteMedia.blockSize))
    }
  }
}
