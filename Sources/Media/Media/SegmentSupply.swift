internal import Linux

/// Opens the segment files of a movie, one after the other for each track, and checks the digest of each before FFmpeg sees a byte of it, since
/// its demuxer may read damaged bytes for hours (decision 0239).
///
/// A segment of at most `longestHeld` bytes is read once, into memory, and what FFmpeg reads there is what was checked. Meanwhile a thread of its
/// own reads the segment after it. A longer one is read for its digest, and read again. One owner, one thread.
final class SegmentSupply {
  /// The most bytes of a segment that is read into memory. Each track may have two of them there.
  private static let longestHeld: Int64 = 64 << 20
  /// The most segments that are read ahead: one for each track of nearly all movies.
  private static let mostAhead = 8

  /// The bytes that were read for their digests.
  private(set) var provedByteCount: Int64 = 0
  private let proves: Bool
  private let progress: (Int64) throws -> Void
  /// The segments that are being read, by their paths.
  private var ahead: [String: Reading] = [:]
  private let memory = HeldMemory()

  /// - Parameter progress: called now and then with the bytes that were read for their digests so far. What it throws ends the work.
  init(progress: @escaping (_ byteCount: Int64) throws -> Void) {
    (proves, self.progress) = (true, progress)
  }

  private init() { (proves, progress) = (false, { _ in }) }

  /// Opens files that were checked before. They are checked again while they are read.
  static var checked: SegmentSupply { SegmentSupply() }

  /// - Throws: `MediaError` naming the segment file: `unreadable`, `corrupt` when it is not what its facts say, `outOfMemory`; what `progress`
  ///   throws.
  func open(_ segment: SegmentInput) throws -> HashedInput {
    guard proves else { return try HashedInput(segment.path) }
    let start = provedByteCount
    if Self.isHeld(segment) {
      let reading = ahead.removeValue(forKey: segment.path)
      let held = try reading.map { try $0.finish() } ?? HeldFile(segment, in: memory)
      try segment.require(held.digest)
      provedByteCount = start + held.digest.byteCount
      try progress(provedByteCount)
      return try HashedInput(segment.path, holding: held)
    }
    var stop: (any Error)?
    let found = try FileDigest(of: segment.path) { count in
      provedByteCount = start + count
      guard stop == nil else { return }
      do { try progress(provedByteCount) } catch { stop = error }
    }
    if let stop { throw stop }
    try segment.require(found)
    return try HashedInput(segment.path)
  }

  /// Begins to read a segment that will be opened next of its track. What fails is told when it is opened.
  func expect(_ segment: SegmentInput) {
    guard proves, Self.isHeld(segment), ahead.count < Self.mostAhead, ahead[segment.path] == nil else { return }
    ahead[segment.path] = Reading(segment, memory)
  }

  private static func isHeld(_ segment: SegmentInput) -> Bool { segment.facts.digest.byteCount <= longestHeld }

  /// A segment that a thread reads. One owner, one thread.
  private final class Reading {
    private var thread: JoinableThread<Result<HeldFile, MediaError>>?

    init(_ segment: SegmentInput, _ memory: HeldMemory) {
      withoutSignals { thread = JoinableThread { Result { () throws(MediaError) in try HeldFile(segment, in: memory) } } }
    }

    func finish() throws(MediaError) -> HeldFile {
      guard let thread = thread.take() else { preconditionFailure("a segment that was read ahead is opened once") }
      return try thread.join().get()
    }
  }
}
