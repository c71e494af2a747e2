internal import CMicroHTTPD
internal import Glibc
internal import Linux
internal import Synchronization

/// The open connections of a server, each with the moment at which it is ended. libmicrohttpd ends a connection that is silent. One
/// that sends a byte now and then is never silent, so it has a deadline as a whole. While the server is crowded, slow ones are ended
/// before their deadline.
final class Connections: Sendable {
  /// The part of its life that a connection is in.
  enum Stage {
    /// The client sends its request.
    case asking
    /// The server makes the answer. However long that takes, the client is not slow.
    case answering
    /// The client takes the answer.
    case taking
    /// The client takes events, of which there may be none for any time.
    case streaming
  }

  private struct Entry {
    let socket: Int32
    /// The moment in milliseconds of the monotonic clock; nil for a stream of events, which may last.
    var deadline: Int64?
    var stage = Stage.asking
    /// The bytes that the client had sent and taken at the last look.
    var moved: UInt64 = 0
    /// The moment of the last look.
    var lookedAt: Int64
    /// The moment since which the client is slow; nil while it is not.
    var slowSince: Int64?

    /// Compares what the client has moved with what it had moved at the last look.
    mutating func look(at now: Int64, usualRate: Int64) {
      // Looks that follow each other closely say nothing about a rate.
      guard now - lookedAt >= 20 else { return }
      let moved = spool_socket_moved(socket)
      let gained = Int64(clamping: moved &- self.moved)
      let isSlow =
        switch stage {
        case .answering: false
        case .asking, .taking: gained * 1000 < usualRate * (now - lookedAt)
        case .streaming: gained == 0 && spool_socket_untaken(socket) > 0
        }
      if !isSlow { slowSince = nil } else if slowSince == nil { slowSince = lookedAt }
      (self.moved, lookedAt) = (moved, now)
    }
  }

  private let entries = Mutex<[UInt: Entry]>([:])

  /// The bytes a second that a client moves at least, unless it is slow. A slow link of a telephone has several times as many.
  private static let usualRate: Int64 = 16 << 10

  func opened(_ id: UInt, socket: Int32, for patience: Duration) {
    let now = MonotonicClock.milliseconds
    entries.withLock { $0[id] = Entry(socket: socket, deadline: Self.moment(after: patience), lookedAt: now, slowSince: now) }
  }

  /// Forgets a connection. It is called before the socket is closed, so the socket's number is not another one's yet.
  func closed(_ id: UInt) { entries.withLock { _ = $0.removeValue(forKey: id) } }

  /// Moves a connection on, and gives it more time; nil means any time.
  func move(_ id: UInt, to stage: Stage, for patience: Duration?) {
    entries.withLock { entries in
      guard var entry = entries[id] else { return }
      (entry.stage, entry.deadline) = (stage, patience.map(Self.moment))
      (entry.lookedAt, entry.slowSince) = (MonotonicClock.milliseconds, nil)
      entries[id] = entry
    }
  }

  /// Ends the connections whose time is over.
  func reap() { endConnections { $0 < MonotonicClock.milliseconds } }

  func endAll() { endConnections { _ in true } }

  /// Looks which clients are slow, and ends those that were so for longest until no more connections than `room` are left. Those that
  /// have been slow for less than the patience stay.
  func relieve(to room: Int, after patience: Duration) {
    let now = MonotonicClock.milliseconds
    let limit = now - Int64(patience / .milliseconds(1))
    entries.withLock { entries in
      for id in entries.keys { entries[id]?.look(at: now, usualRate: Self.usualRate) }
      guard entries.count > room else { return }
      let slow = entries.values.filter { $0.slowSince.map { $0 <= limit } ?? false }
      let longest = slow.sorted { ($0.slowSince ?? now) < ($1.slowSince ?? now) }
      for entry in longest.prefix(entries.count - room) { shutdown(entry.socket, Int32(SHUT_RDWR)) }
    }
  }

  private func endConnections(where isOver: (_ deadline: Int64) -> Bool) {
    entries.withLock { entries in
      for entry in entries.values where isOver(entry.deadline ?? .max) { shutdown(entry.socket, Int32(SHUT_RDWR)) }
    }
  }

  private static func moment(after patience: Duration) -> Int64 {
    MonotonicClock.milliseconds + Int64(patience / .milliseconds(1))
  }
}
