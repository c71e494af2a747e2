internal import Synchronization

/// The requests that the server answered since it started, by route. There are as many routes as the program has, so its size is
/// bounded.
final class RequestTally: Sendable {
  private struct Key: Hashable, Comparable {
    let route: String
    let method: String

    var labels: [(name: String, value: String)] { [("route", route), ("method", method)] }

    static func < (a: Key, b: Key) -> Bool { (a.route, a.method) < (b.route, b.method) }
  }

  private struct Tally {
    /// The answers by their status.
    var answers: [Int: Int] = [:]
    /// The answers that took no longer than each of the bounds, and no bound before it; those that took longer are last.
    var durations = [Int](repeating: 0, count: RequestTally.bounds.count + 1)
    var seconds = 0.0
  }

  /// The upper bounds of the histogram, in seconds.
  static let bounds = [0.005, 0.025, 0.1, 0.5, 2.5, 10]

  private let tallies = Mutex<[Key: Tally]>([:])

  /// Counts an answer.
  ///
  /// - Parameters:
  ///   - route: the route's template, or a fixed word for what has none.
  ///   - seconds: the time from the whole request to the answer. Of a stream, it is the time to its first byte.
  func count(route: String, method: String, status: Int, seconds: Double) {
    // A method is the client's own word, so only the known ones are kept apart.
    let method = ["GET", "HEAD", "POST", "OPTIONS"].contains(method) ? method : "other"
    tallies.withLock { tallies in
      var tally = tallies[Key(route: route, method: method)] ?? Tally()
      tally.answers[status, default: 0] += 1
      tally.durations[Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count] += 1
      tally.seconds += seconds
      tallies[Key(route: route, method: method)] = tally
    }
  }

  func expose(to exposition: inout Exposition) {
    let tallies = tallies.withLock { $0 }.sorted { $0.key < $1.key }
    exposition.add(
      "spool_http_requests_total", .counter, help: "Answers of this console.",
      tallies.flatMap { key, tally in
        tally.answers.sorted { $0.key < $1.key }.map { status, count in
          Exposition.Sample(labels: key.labels + [("status", "\(status)")], value: Double(count))
        }
      })
    exposition.add(
      "spool_http_request_duration_seconds", .histogram, help: "The time that this console took to answer.",
      tallies.flatMap { key, tally in
        var (count, samples): (Int, [Exposition.Sample]) = (0, [])
        for (place, bound) in (Self.bounds + [.infinity]).enumerated() {
          count += tally.durations[place]
          samples.append(
            Exposition.Sample(
              suffix: "_bucket", labels: key.labels + [("le", Exposition.number(bound))], value: Double(count)))
        }
        samples.append(Exposition.Sample(suffix: "_sum", labels: key.labels, value: tally.seconds))
        samples.append(Exposition.Sample(suffix: "_count", labels: key.labels, value: Double(count)))
        return samples
      })
  }
}
