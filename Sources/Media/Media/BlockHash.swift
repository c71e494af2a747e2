/// Computes the digest of a movie while it is written, though its writer goes back to fill in sizes and indices (decision 0210).
///
/// It is the XXH3-128 of the XXH3-128s of the file's blocks of 16 MiB, in their order and canonical form. Blocks of which bytes were
/// written over are read again at the end, and no others. Where bytes were inserted in front of the others (`FastStart`), the blocks of the others are
/// counted from there, and those of the inserted ones come first. One owner, one thread.
final class BlockHash {
  /// The bytes of each block but the last. To read one again takes some milliseconds, and a movie of a terabyte has 65,536.
  static let blockLength: Int64 = 16 << 20

  /// The digests of the blocks; nil for one that has to be read.
  private var blocks: [ContentDigest?] = []
  /// The bytes that were inserted in front of those blocks.
  private var inserted: Int64 = 0
  /// The bytes of one block so far.
  private let hasher: ContentHasher
  /// The place in the file at which that block goes on; nil where no block has begun.
  private var next: Int64?

  /// - Throws: `MediaError` `outOfMemory`.
  init() throws(MediaError) { hasher = try ContentHasher() }

  /// Takes note of bytes that are written.
  ///
  /// - Parameter start: their place in the file.
  func write(_ bytes: UnsafeRawBufferPointer, at start: Int64) {
    let end = start + Int64(bytes.count) - inserted
    // What was inserted is read at the end.
    var position = max(0, start - inserted)
    let start = start - inserted
    while position < end {
      let index = position / Self.blockLength
      let pieceEnd = min(end, (index + 1) * Self.blockLength)
      let piece = unsafe UnsafeRawBufferPointer(rebasing: bytes[Int(position - start)..<Int(pieceEnd - start)])
      unsafe write(piece, at: position, inBlock: Int(index))
      position = pieceEnd
    }
  }

  private func write(_ bytes: UnsafeRawBufferPointer, at position: Int64, inBlock index: Int) {
    while blocks.count <= index { blocks.append(nil) }
    blocks[index] = nil
    let start = Int64(index) * Self.blockLength
    if position == start {
      hasher.reset()
      next = start
    }
    guard next == position else {
      // Bytes of the block that is going on were written over.
      if let next, next > start, next < start + Self.blockLength { self.next = nil }
      return
    }
    unsafe hasher.update(bytes)
    let end = position + Int64(bytes.count)
    next = end
    guard end == start + Self.blockLength else { return }
    blocks[index] = hasher.digest
    next = nil
  }

  /// Takes note that bytes were inserted in front of all others, and the others cut off. The inserted bytes are read at the end.
  ///
  /// - Parameter end: the place, among the others, at which they were cut off.
  func insert(_ count: Int64, before end: Int64) {
    (inserted, next) = (count, nil)
    // The block that was cut is read, too.
    let whole = Int(end / Self.blockLength)
    if blocks.count > whole { blocks.removeSubrange(whole...) }
  }

  /// The blocks of a file.
  ///
  /// - Parameter inserted: the bytes that were inserted in front of the others.
  static func ranges(_ byteCount: Int64, inserted: Int64) -> [Range<Int64>] {
    func blocks(_ range: Range<Int64>) -> [Range<Int64>] {
      stride(from: range.lowerBound, to: range.upperBound, by: Int(blockLength)).map {
        $0..<min($0 + blockLength, range.upperBound)
      }
    }
    let border = min(inserted, byteCount)
    return blocks(0..<border) + blocks(border..<byteCount)
  }

  /// The size and digest of the file.
  ///
  /// - Parameters:
  ///   - byteCount: its size.
  ///   - file: the file, open for reading; nil where it was written from front to back.
  /// - Throws: `MediaError` `unreadable`, `outOfMemory`; `changed` where the file is shorter.
  func finish(byteCount: Int64, _ file: InputFile? = nil) throws(MediaError) -> FileDigest {
    if let next, next + inserted == byteCount { blocks[Int(next / Self.blockLength)] = hasher.digest }
    next = nil
    let whole = try ContentHasher()
    for range in Self.ranges(byteCount, inserted: inserted) {
      let index = Int((range.lowerBound - inserted) / Self.blockLength)
      if range.lowerBound >= inserted, index < blocks.count, let known = blocks[index] {
        whole.update(known)
      } else {
        guard let file else { preconditionFailure("all blocks of what was written from front to back are known") }
        whole.update(try digest(of: range, in: file))
      }
    }
    return FileDigest(byteCount: byteCount, hash: whole.digest.description)
  }

  private func digest(of block: Range<Int64>, in file: InputFile) throws(MediaError) -> ContentDigest {
    hasher.reset()
    var position = block.lowerBound
    while position < block.upperBound {
      let bytes = try file.bytes(position..<min(position + (1 << 20), block.upperBound))
      guard !bytes.isEmpty else { throw MediaError(.changed, at: file.path, "became shorter while it was written") }
      unsafe bytes.withUnsafeBytes { unsafe hasher.update($0) }
      position += Int64(bytes.count)
    }
    return hasher.digest
  }
}
