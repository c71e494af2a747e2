import FarmTesting
import FoundationEssentials
import Glibc
import Linux
import Media
import Messages
import Rendering
import Synchronization
import Testing

/// Farms that share a store, and so what is kept of their segments, while somebody damages and removes it.
@Suite struct `Segments of several farms in one store` {
  /// An edit of half a second whose layer has one of eight greys.
  private static func document(_ grey: Int, _ clip: String) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "\(clip)"}},
     "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"duration": "0.48"}}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
     "layers": [{"shape": "rectangle", "frame": [4, 4, 40, 40], "fillColor": "#\(String(repeating: "\(grey + 1)", count: 6))"}],
     "export": {"fileType": "mp4"}}
    """
  }

  private static let kinds = 8
  private static let frames = FrameRange(first: 0, count: 12)

  /// A movie that a farm made: which edit it is of, its digest, and whether its segment was found; nil where the mux reported that it was damaged meanwhile.
  private struct Taken: Sendable {
    let grey: Int
    let digest: String
    let isFound: Bool
  }

  /// Renders edits in any order, as a farm does that finds what others have made.
  private static func takings(of farm: Int, _ clip: String, in store: String) throws -> [Taken?] {
    let workshop = Workshop(roots: [FilePath.folder(of: clip)], store: store, job: "farm\(farm)")
    workshop.cache = SegmentCache(of: workshop.store, .all)
    var random = SeededRandom(seed: UInt64(farm))
    return try (0..<60).map { turn in
      let grey = Int.random(in: 0..<kinds, using: &random)
      let edit = try workshop.edit(document(grey, clip))
      let picture = try workshop.run(.picture(frames), task: Int64(2 * turn), of: edit, output: "\(turn).mp4")
      guard case .picture(let proof) = picture.proof else { return nil }
      do {
        // The process that muxes keeps the segments that it reads.
        let muxed = try workshop.run(.mux(of: [picture]), task: Int64(2 * turn + 1), of: edit, output: "\(turn).mp4")
        return Taken(grey: grey, digest: muxed.proof.file.byteDigest, isFound: proof.isFound)
      } catch let failure as Failure where !failure.damaged.isEmpty { return nil }
    }
  }

  /// The names in a folder, which may be gone.
  private static func names(in folder: String) -> [String] {
    // What is gone has none.
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// Damages, cuts and removes what is kept, also one half of it, and sweeps it, until the farms have ended.
  ///
  /// - Returns: how often each was done.
  private static func disturb(_ store: String, until hasEnded: () -> Bool) -> [Int] {
    var (random, counts) = (SeededRandom(seed: 99), [Int](repeating: 0, count: 5))
    let cache = "\(store)/_cache"
    while !hasEnded() {
      usleep(3_000)
      let files = names(in: cache).filter { $0.utf8.count == 2 }
        .flatMap { folder in names(in: "\(cache)/\(folder)").map { "\(folder)/\($0)" } }
        .filter { $0.hasSuffix(".json") || $0.hasSuffix(".nut") }
      guard let name = files.randomElement(using: &random) else { continue }
      let path = "\(cache)/\(name)"
      let deed = Int.random(in: 0..<5, using: &random)
      switch deed {
      case 0: unsafe unlink(path)
      case 1: unsafe truncate(path, 100)
      case 2:
        // Other bytes of the same length, in a file of its own: a job's segment is the same file as the one that is kept.
        guard var bytes = try? [UInt8](contentsOf: path), !bytes.isEmpty else { continue }
        bytes[bytes.count / 2] ^= 0x10
        guard (try? bytes.write(toFile: path + ".x")) != nil else { continue }
        unsafe rename(path + ".x", path)
      case 3:
        // The entry of one key with the segment of another.
        guard let other = files.filter({ $0.hasSuffix(".nut") }).randomElement(using: &random), name.hasSuffix(".nut") else {
          continue
        }
        unsafe link("\(cache)/\(other)", path + ".y")
        unsafe rename(path + ".y", path)
      default: SegmentCache(of: SegmentStore(root: store), .all).sweep(to: 4_000, now: time(nil) + 7_200 * (counts[4] + 1))
      }
      counts[deed] += 1
    }
    return counts
  }

  @Test func `are never those of another edit, whatever happens to what is kept`() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 20)
    let clip = workshop.file("a.mp4")
    let right = try (0..<Self.kinds).map { grey in
      let edit = try workshop.edit(Self.document(grey, clip))
      let picture = try workshop.run(.picture(Self.frames), task: Int64(grey), of: edit, output: "m.mp4")
      return try workshop.run(.mux(of: [picture]), task: Int64(100 + grey), of: edit, output: "m.mp4").proof.file.byteDigest
    }
    #expect(Set(right).count == Self.kinds)
    let store = workshop.file("shared")
    let running = Counter(3)
    let disturbing = JoinableThread { Self.disturb(store) { running.value == 0 } }
    let all = try concurrently([1, 2, 3], threads: 3) { (farm) throws in
      defer { running.decrement() }
      return try Self.takings(of: farm, clip, in: store)
    }.flatMap(\.self)
    let counts = disturbing.join()
    let taken = all.compactMap(\.self)
    #expect(taken.filter { $0.digest != right[$0.grey] }.isEmpty)
    #expect(taken.contains(where: \.isFound) && taken.contains { !$0.isFound } && taken.count > all.count / 2)
    #expect(!counts.contains(0), "\(counts)")
  }
}

/// A number that several threads count down.
private final class Counter: Sendable {
  private let number: Mutex<Int>
  init(_ value: Int) { number = Mutex(value) }
  var value: Int { number.withLock { $0 } }
  func decrement() { number.withLock { $0 -= 1 } }
}
