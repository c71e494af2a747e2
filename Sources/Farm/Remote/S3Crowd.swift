internal import Linux
internal import Transfer

/// Several connections to a movie's place, over which small objects are put and removed at once: a request takes tens of milliseconds, however few
/// bytes it has. It is used by one thread, which takes part in the work.
final class S3Crowd {
  /// The number of connections. What a server takes in a second grows with it, up to some hundred on most.
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

  private var movies: [S3Movie]

  /// - Parameter movie: the first connection, which is this thread's.
  init(_ movie: S3Movie) { movies = [movie] }

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
    while movies.count < min(Self.size, all.count) {
      // With fewer connections it takes longer, and nothing else.
      guard let another = try? movies[0].another() else { break }
      movies.append(another)
    }
    let count = min(movies.count, all.count)
    let lanes = (0..<count).map { place in
      Lane(movies[place], stride(from: place, to: all.count, by: count).map { all[$0] })
    }
    _ = try concurrently(lanes[...], threads: count) { (lane) throws(Failure) in
      for element in lane.elements { try work(lane.movie, element) }
    }
  }
}
