internal import Glibc
internal import Linux
internal import Synchronization

/// A file that was read into memory whole, with its digest. Nobody changes it.
@safe final class HeldFile: @unchecked Sendable {
  private let memory: HeldMemory
  /// Taken from `memory`, and given back in `deinit`.
  private let buffer: HeldMemory.Buffer
  private let count: Int
  let digest: FileDigest

  /// Reads the file of a segment.
  ///
  /// - Throws: `MediaError` naming the file: `unreadable`, `outOfMemory`; `corrupt` where it has more bytes than its facts say.
  init(_ segment: SegmentInput, in memory: HeldMemory) throws(MediaError) {
    let file = try InputFile(segment.path)
    let expected = Int(segment.facts.digest.byteCount)
    // One byte more shows a file that is too long.
    guard let buffer = memory.take(expected + 1) else {
      throw MediaError(-ENOMEM, from: "aligned_alloc(\(expected + 1))", at: segment.path)
    }
    do throws(MediaError) {
      var count = 0
      while count <= expected, case let room = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer.bytes[count...expected]),
        case let read = try unsafe file.read(into: room), read > 0
      {
        count += read
      }
      guard count <= expected else {
        throw MediaError(
          .corrupt, at: segment.path, "\(file.identity?.byteCount ?? Int64(count)) bytes, \(expected) proved")
      }
      let hash = try FileHash()
      unsafe hash.update(UnsafeRawBufferPointer(rebasing: buffer.bytes[..<count]))
      (self.count, digest, self.memory) = (count, FileDigest(byteCount: Int64(count), hash: hash.finish()), memory)
      self.buffer = buffer
    } catch {
      memory.give(buffer)
      throw error
    }
  }

  deinit { memory.give(buffer) }

  /// Copies bytes from a place in the file.
  ///
  /// - Returns: their number; 0 at the end.
  func copy(from place: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
    let taken = min(target.count, count - place)
    if taken > 0 { unsafe target.baseAddress!.copyMemory(from: buffer.bytes.baseAddress! + place, byteCount: taken) }
    return taken
  }
}

/// The memory of files that are held, which is used again: the system clears each page that it gives. Any thread.
final class HeldMemory: Sendable {
  /// The most buffers that are kept: two for each track of nearly all movies.
  private static let mostKept = 4

  /// Some memory. One owner at a time.
  @safe final class Buffer: @unchecked Sendable {
    /// A large page of the processor, at whose multiples buffers begin.
    private static let alignment = 2 << 20

    /// Owned.
    let bytes: UnsafeMutableRawBufferPointer

    /// - Returns: nil without memory.
    init?(_ count: Int) {
      let size = (count + Self.alignment - 1) / Self.alignment * Self.alignment
      guard let memory = unsafe aligned_alloc(Self.alignment, size) else { return nil }
      // Advice alone: without it pages are small.
      _ = unsafe madvise(memory, size, MADV_HUGEPAGE)
      unsafe bytes = UnsafeMutableRawBufferPointer(start: memory, count: size)
    }

    deinit { unsafe free(bytes.baseAddress) }

    var count: Int { unsafe bytes.count }
  }

  private let kept = Mutex<[Buffer]>([])

  /// A buffer of at least so many bytes; nil without memory.
  func take(_ count: Int) -> Buffer? {
    let found = kept.withLock { kept in kept.firstIndex { $0.count >= count }.map { kept.remove(at: $0) } }
    // Segments of a movie are of similar sizes. One that is a little larger than those before fits, too.
    return found ?? Buffer(count + count / 4)
  }

  func give(_ buffer: Buffer) {
    kept.withLock { kept in
      kept.append(buffer)
      // The smallest fits least often.
      guard kept.count > Self.mostKept, let smallest = kept.indices.min(by: { kept[$0].count < kept[$1].count })
      else { return }
      kept.remove(at: smallest)
    }
  }
}
