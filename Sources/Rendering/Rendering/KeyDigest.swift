internal import Media
internal import Scenes

/// The digest of a sequence of texts and values, each with its length before it, so that no two sequences look alike.
struct KeyDigest: ~Copyable {
  private let hasher: ContentHasher

  /// - Parameter kind: the kind of thing that is digested, with the version of the way in which that is done.
  init(_ kind: String) throws(MediaError) {
    hasher = try ContentHasher()
    add(kind)
  }

  /// Begins with what the content of every segment depends on.
  ///
  /// - Parameter submitter: whoever finds it again.
  init(_ kind: String, _ submitter: String) throws(MediaError) {
    let program = try RunningProgram.digest()
    try self.init(kind)
    add("\(program)")
    add(submitter)
  }

  var text: String { "\(hasher.digest)" }

  mutating func add(_ text: String) { add(bytes: Array(text.utf8)) }

  mutating func add(value: some Encodable) throws { add(bytes: try ValueWriter.bytes(of: value)) }

  /// - Parameter shares: the bytes of what the scene before had in common with this one.
  /// - Returns: false where nothing tells all of what the scene shows.
  mutating func add(_ scene: Scene, sharing shares: WrittenShares) throws -> Bool {
    guard let bytes = try scene.rendition(sharing: shares) else { return false }
    add(bytes: bytes)
    return true
  }

  private mutating func add(bytes: [UInt8]) {
    unsafe withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { unsafe hasher.update($0) }
    unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
  }
}
