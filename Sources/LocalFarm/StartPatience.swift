internal import Glibc

/// How long somebody waits for a farm's database, which takes a second or, on a machine that is busy, minutes.
package struct StartPatience: Sendable {
  /// Polls readable once nobody waits any more; nil: always somebody does. It must stay open.
  private let interruption: Int32?
  /// Told in a line what takes so long.
  let notice: @Sendable (String) -> Void

  /// What takes no longer is not told.
  static let silence = Duration.seconds(2)

  package init(interruption: Int32? = nil, notice: @escaping @Sendable (String) -> Void = { _ in }) {
    (self.interruption, self.notice) = (interruption, notice)
  }

  var isOver: Bool {
    guard let interruption else { return false }
    var entry = pollfd(fd: interruption, events: Int16(POLLIN), revents: 0)
    return unsafe poll(&entry, 1, 0) == 1
  }
}
