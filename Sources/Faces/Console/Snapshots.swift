internal import Linux
package import Operations
internal import Synchronization
package import WebServer

/// Answers that many readers share, so that the database is asked once for all of them.
package final class Snapshots: Sendable {
  private struct Entry {
    let response: WebResponse
    /// The moment until which it is given to others, in milliseconds of the monotonic clock.
    let goodUntil: Int64
  }

  private let entries = Mutex<[String: Entry]>([:])
  /// The locks of the answers that are being made, by name, and how many hold or wait for each.
  private let makers = Mutex<[String: (maker: Maker, count: Int)]>([:])

  /// The lock of an answer's name.
  private final class Maker: Sendable { let lock = Mutex<Void>(()) }

  /// The most answers that are kept, and the most bytes of all of them together. The tasks of a large job are ten MiB.
  private static let (limit, mostBytes) = (64, 128 << 20)
  /// The milliseconds for which an answer is shared.
  private static let lifetime: Int64 = 1000
  /// An answer that took long to make is shared for so many times that long, so that making it takes a small part of the time.
  private static let slowness: Int64 = 10

  package init() {}

  /// The bytes of the answers that are kept.
  package var byteCount: Int { entries.withLock { Self.byteCount(of: $0) } }

  private static func byteCount(of entries: [String: Entry]) -> Int { entries.values.reduce(0) { $0 + $1.response.bytes.count } }

  /// The answer of that name: a shared one, or a new one. One thread at a time makes it, so that many who ask at once are one question
  /// for the database. Answers of other names are made meanwhile.
  package func response(_ name: String, _ make: () throws(Complaint) -> WebResponse) throws(Complaint) -> WebResponse {
    if let known = known(name) { return known }
    let maker = makers.withLock { makers in
      let (maker, count) = makers[name] ?? (Maker(), 0)
      makers[name] = (maker, count + 1)
      return maker
    }
    defer {
      makers.withLock { makers in
        if let (maker, count) = makers[name] { makers[name] = count > 1 ? (maker, count - 1) : nil }
      }
    }
    return try maker.lock.withLock { _ throws(Complaint) in
      if let known = known(name) { return known }
      let begin = MonotonicClock.milliseconds
      let response = Self.tagged(try make())
      let end = MonotonicClock.milliseconds
      keep(name, Entry(response: response, goodUntil: end + max(Self.lifetime, (end - begin) * Self.slowness)))
      return response
    }
  }

  private func known(_ name: String) -> WebResponse? {
    let entry = entries.withLock { $0[name] }
    return entry.flatMap { $0.goodUntil > MonotonicClock.milliseconds ? $0.response : nil }
  }

  private func keep(_ name: String, _ entry: Entry) {
    func isFull(_ entries: [String: Entry]) -> Bool {
      entries.count >= Self.limit || Self.byteCount(of: entries) + entry.response.bytes.count > Self.mostBytes
    }
    entries.withLock { entries in
      entries[name] = nil
      if isFull(entries) {
        let now = MonotonicClock.milliseconds
        entries = entries.filter { $0.value.goodUntil > now }
        if isFull(entries) { entries = [:] }
      }
      entries[name] = entry
    }
  }

  /// The answer with the digest of its bytes as its tag, by which a client knows what it has already.
  private static func tagged(_ response: WebResponse) -> WebResponse {
    var hash = Hasher()
    hash.combine(response.bytes)
    return response.with("ETag", "\"\(String(UInt(bitPattern: hash.finalize()), radix: 36))\"")
  }
}
