internal import Glibc
internal import Linux
internal import Synchronization

/// The open connections of a server, each with the moment at which it is ended. libmicrohttpd ends a connection that is silent. One
/// that sends a byte now and then is never silent, so it has a deadline as a whole.
final class Connections: Sendable {
  private struct Entry {
    let socket: Int32
    /// The moment in milliseconds of the monotonic clock; nil for a stream of events, which may last.
    var deadline: Int64?
  }

  private let entries = Mutex<[UInt: Entry]>([:])

  func opened(_ id: UInt, socket: Int32, for patience: Duration) {
    entries.withLock { $0[id] = Entry(socket: socket, deadline: Self.moment(after: patience)) }
  }

  /// Forgets a connection. It is called before the socket is closed, so the socket's number is not another one's yet.
  func closed(_ id: UInt) { entries.withLock { _ = $0.removeValue(forKey: id) } }

  /// Gives a connection more time; nil means any time.
  func extend(_ id: UInt, to patience: Duration?) {
    entries.withLock { $0[id]?.deadline = patience.map(Self.moment) }
  }

  /// Ends the connections whose time is over.
  func reap() { endConnections { $0 < MonotonicClock.milliseconds } }

  func endAll() { endConnections { _ in true } }

  private func endConnections(where isOver: (_ deadline: Int64) -> Bool) {
    entries.withLock { entries in
      for entry in entries.values where isOver(entry.deadline ?? .max) { shutdown(entry.socket, Int32(SHUT_RDWR)) }
    }
  }

  private static func moment(after patience: Duration) -> Int64 {
    MonotonicClock.milliseconds + Int64(patience / .milliseconds(1))
  }
}
