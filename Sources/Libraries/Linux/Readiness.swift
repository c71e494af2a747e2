internal import Glibc

/// The things that can be done with a descriptor without waiting (poll(2)).
package struct Readiness: OptionSet, Hashable, Sendable {
  package let rawValue: Int16

  package init(rawValue: Int16) { self.rawValue = rawValue }

  /// Bytes, the end or an error can be read.
  package static let readable = Readiness(rawValue: Int16(POLLIN))
  package static let writable = Readiness(rawValue: Int16(POLLOUT))

  /// Waits until one of the descriptors is ready, or until `limit` has passed. Signals do not end the wait.
  ///
  /// - Parameters:
  ///   - wanted: the descriptors, each with what it is waited for. Negative ones are passed over.
  ///   - limit: the longest wait, rounded up to whole milliseconds; nil where it has no end, zero to look only.
  /// - Returns: for each descriptor what it is ready for; nil when the wait fails, and `errno` then says why.
  package static func wait(
    for wanted: [(descriptor: Int32, readiness: Readiness)], within limit: Duration?
  ) -> [Readiness]? {
    var entries = wanted.map { pollfd(fd: $0.descriptor, events: $0.readiness.rawValue, revents: 0) }
    let count = SystemCall.uninterrupted(within: limit) { unsafe poll(&entries, nfds_t(entries.count), $0) }
    guard count >= 0 else { return nil }
    // An error or a hangup is found by reading.
    return entries.map { entry in
      let writable: Readiness = entry.revents & Int16(POLLOUT) == 0 ? [] : .writable
      return entry.revents & ~Int16(POLLOUT) == 0 ? writable : writable.union(.readable)
    }
  }

  /// Waits until one of the descriptors can be read.
  ///
  /// - Returns: for each descriptor whether it can be read; nil when the wait fails, and `errno` then says why.
  @discardableResult
  package static func waitToRead(_ descriptors: [Int32], within limit: Duration?) -> [Bool]? {
    wait(for: descriptors.map { ($0, .readable) }, within: limit)?.map { $0.contains(.readable) }
  }

  /// Whether the descriptor can be read, now or within `limit`. It is false, too, when that cannot be found out.
  package static func canRead(_ descriptor: Int32, within limit: Duration = .zero) -> Bool {
    waitToRead([descriptor], within: limit)?.first ?? false
  }
}
