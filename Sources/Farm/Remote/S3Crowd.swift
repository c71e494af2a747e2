internal import Linux
internal import Synchronization
internal import Transfer

/// Several connections to a movie's place, over which small objects are put and removed at once: a request takes tens of milliseconds, however few
/// bytes it has. It is used by one thread, which says meanwhile that work goes on.
final class S3Crowd {
  /// The number of connections.
  static let size = 16
  /// The most objects, and bytes, that are handed out together. All of them are in memory.
  private static let mostTogether = (count: 128, bytes: Int64(64 << 20))

  /// A connection, and its share of the work.
  ///
  /// @unchecked: one thread at a time uses it, and the crowd waits for that thread.
  private final class Lane<Element: Sendable>: @unchecked Sendable {
    let movie: S3Movie
    let elements: [Element]

    init(_ movie: S3Movie, _ elements: [Element]) { (self.movie, self.elements) = (movie, elements) }
  }

  private let movie: S3Movie
  private var others: [S3Movie] = []

  /// - Parameter movie: this thread's connection. What is called while it waits is called while the others work, too.
  init(_ movie: S3Movie) { self.movie = movie }

  /// Runs of elements that are handed out together.
  ///
  /// - Parameter byteCount: the bytes of an element.
  static func runs<Element>(of elements: [Element], _ byteCount: (Element) -> Int64) -> [ArraySlice<Element>] {
    var (runs, start, bytes) = ([ArraySlice<Element>](), 0, Int64(0))
    for index in elements.indices {
      let next = byteCount(elements[index])
      if index > start, index - start == mostTogether.count || bytes + next > mostTogether.bytes {
        runs.append(elements[start..<index])
        (start, bytes) = (index, 0)
      }
      bytes += next
    }
    return elements.isEmpty ? [] : runs + [elements[start...]]
  }

  /// Does `work` for each element. Those of one run are done in any order.
  ///
  /// - Throws: an error of one of them. The others of the run may have been done or not.
  func each<Element: Sendable, Failure: Error>(
    _ elements: some Collection<Element>, _ work: @escaping @Sendable (S3Movie, Element) throws(Failure) -> Void
  ) throws(Failure) {
    let all = Array(elements)
    while all.count > 1, others.count < min(Self.size, all.count) {
      // With fewer connections it takes longer, and nothing else.
      guard let another = try? movie.another() else { break }
      others.append(another)
    }
    let count = min(others.count, all.count)
    guard count > 1 else {
      for element in all { try work(movie, element) }
      return
    }
    let lanes = (0..<count).map { place in
      Lane(others[place], stride(from: place, to: all.count, by: count).map { all[$0] })
    }
    let hasEnded = Ending()
    let thread = JoinableThread {
      defer { hasEnded.come() }
      return Result { () throws(Failure) in
        _ = try concurrently(lanes[...], threads: count) { (lane) throws(Failure) in
          for element in lane.elements { try work(lane.movie, element) }
        }
      }
    }
    var asked = ContinuousClock.now
    while !hasEnded.hasCome {
      Retries.sleep(2)
      guard asked.duration(to: .now) > .milliseconds(500) else { continue }
      asked = .now
      movie.bucket.waiting()
    }
    try thread.join().get()
  }

  /// Tells one thread that another has ended its work.
  private final class Ending: Sendable {
    private let flag = Mutex(false)
    var hasCome: Bool { flag.withLock { $0 } }
    func come() { flag.withLock { $0 = true } }
  }
}
