internal import CLinux
internal import Glibc
internal import Linux

/// Writes a file around the system's cache (direct I/O, `O_DIRECT`), from front to back for the most part (decision 0239).
///
/// A movie is written once and seldom read soon, and has more bytes than all else. Through the cache each of them is copied into memory that
/// the system has to find first. Bytes are collected here in blocks that begin and end at multiples of `alignment`, which go straight to the
/// disk, and into the movie's digest, while the next ones are collected. What is left over at the ends of a run of bytes goes through the cache; the
/// system keeps both ways in step. One owner, one thread; the threads that write and hash blocks are this object's own.
@safe final class DirectOutput {
  /// The bytes at whose multiples direct writes begin and end: a page, and the largest sector of a disk.
  private static let alignment = 4096
  /// The bytes of a block.
  private static let blockLength = 4 << 20
  /// One block is filled while two are written: a disk is faster where the next write waits already.
  private static let blockCount = 3

  /// Some memory, and the thread that writes what was collected there; its result is 0 or `errno`.
  private final class Block {
    let memory: HeldMemory.Buffer
    var writing: JoinableThread<Int32>?

    init(_ memory: HeldMemory.Buffer) { self.memory = memory }

    func wait() -> Int32 { writing.take()?.join() ?? 0 }
  }

  /// The file, open for direct writes. Owned.
  private let direct: Int32
  /// The file, open as usual. The caller's, who closes it later.
  private let cached: Int32
  private let hash: BlockHash
  private let blocks: [Block]
  /// The place of the block that is filled.
  private var filled = 0
  /// The place in the file of that block's first byte, a multiple of `alignment`.
  private var start: Int64 = 0
  /// The bytes in that block.
  private var count = 0
  /// The thread that hashes the block before it.
  private var hashing: JoinableThread<Void>?

  /// - Parameters:
  ///   - descriptor: an empty file, open for writing.
  ///   - hash: is given all bytes that are written. Only this object uses it until the next `flush` has returned.
  /// - Returns: nil where the file's system is not known to write so well, and where there is no memory.
  init?(_ descriptor: Int32, _ hash: BlockHash) {
    let direct = spool_open_directly(descriptor)
    guard direct >= 0 else { return nil }
    blocks = (0..<Self.blockCount).compactMap { _ in HeldMemory.Buffer(Self.blockLength).map(Block.init) }
    (self.direct, cached, self.hash) = (direct, descriptor, hash)
    // From here on `deinit` closes the file.
    guard blocks.count == Self.blockCount else { return nil }
  }

  deinit {
    _ = wait()
    close(direct)
  }

  /// Takes bytes, which are copied. They may be written later, at the latest by `flush`.
  ///
  /// - Parameter position: their place in the file.
  /// - Returns: 0, or the `errno` of a write that failed, of these bytes or of earlier ones.
  func write(_ bytes: UnsafeRawBufferPointer, at position: Int64) -> Int32 {
    var rest = unsafe bytes
    var position = position
    while unsafe !rest.isEmpty {
      if count > 0, position != start + Int64(count) {
        let code = flush()
        guard code == 0 else { return code }
      }
      let beyond = Int(position % Int64(Self.alignment))
      var (taken, code) = (0, Int32(0))
      if count == 0, beyond > 0 {
        taken = min(rest.count, Self.alignment - beyond)
        let some = unsafe UnsafeRawBufferPointer(rebasing: rest[..<taken])
        code = unsafe Self.write(some, to: cached, at: position)
        waitForHash()
        unsafe hash.write(some, at: position)
      } else {
        if count == 0 { start = position }
        taken = min(rest.count, Self.blockLength - count)
        unsafe (blocks[filled].memory.bytes.baseAddress! + count).copyMemory(from: rest.baseAddress!, byteCount: taken)
        count += taken
        if count == Self.blockLength { code = handOver() }
      }
      guard code == 0 else { return code }
      position += Int64(taken)
      unsafe rest = UnsafeRawBufferPointer(rebasing: rest[taken...])
    }
    return 0
  }

  /// Writes all bytes that were taken, so that whoever reads the file sees them.
  ///
  /// - Returns: 0, or the `errno` of a write that failed.
  func flush() -> Int32 {
    let earlier = wait()
    guard earlier == 0 else { return earlier }
    defer { count = 0 }
    let all = unsafe UnsafeRawBufferPointer(rebasing: blocks[filled].memory.bytes[..<count])
    let even = count - count % Self.alignment
    let code = unsafe Self.write(UnsafeRawBufferPointer(rebasing: all[..<even]), to: direct, or: cached, at: start)
    guard code == 0 else { return code }
    unsafe hash.write(all, at: start)
    return unsafe Self.write(UnsafeRawBufferPointer(rebasing: all[even...]), to: cached, at: start + Int64(even))
  }

  /// Begins to write and to hash the full block, and goes on to the next one once that is written.
  private func handOver() -> Int32 {
    let full = unsafe Full(
      bytes: UnsafeRawBufferPointer(rebasing: blocks[filled].memory.bytes[..<count]), start: start, hash: hash)
    let (direct, cached) = (direct, cached)
    waitForHash()
    withoutSignals {
      blocks[filled].writing = JoinableThread { unsafe Self.write(full.bytes, to: direct, or: cached, at: full.start) }
      hashing = JoinableThread { unsafe full.hash.write(full.bytes, at: full.start) }
    }
    (filled, count) = ((filled + 1) % Self.blockCount, 0)
    return blocks[filled].wait()
  }

  /// A full block for the threads that read it. Nobody changes it, or uses the hash, before they were joined.
  @safe private struct Full: @unchecked Sendable {
    let bytes: UnsafeRawBufferPointer
    let start: Int64
    let hash: BlockHash
  }

  private func waitForHash() { hashing.take()?.join() }

  /// Waits for all threads.
  ///
  /// - Returns: 0, or the `errno` of a write that failed.
  private func wait() -> Int32 {
    waitForHash()
    return blocks.reduce(0) { code, block in
      let own = block.wait()
      return code == 0 ? own : code
    }
  }

  /// Writes bytes around the cache; through it where the file takes no direct writes in spite of its system.
  private static func write(_ bytes: UnsafeRawBufferPointer, to direct: Int32, or cached: Int32, at place: Int64) -> Int32 {
    let code = unsafe write(bytes, to: direct, at: place)
    return code == EINVAL ? unsafe write(bytes, to: cached, at: place) : code
  }

  private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at place: Int64) -> Int32 {
    SystemCall.write(bytes.count) {
      unsafe pwrite(descriptor, bytes.baseAddress! + $0, bytes.count - $0, off_t(place) + off_t($0))
    }
  }
}
