internal import Linux

/// How long a caller waits for a farm's database. A start takes a second or, on a busy machine, minutes.
package struct StartPatience: Sendable {
  /// A descriptor that polls readable once nobody waits any more; nil when the wait never ends early. It must stay open.
  private let interruption: Int32?
  /// Called with a line that tells what takes so long.
  let notice: @Sendable (String) -> Void

  /// The time after which `notice` is called. Whatever takes no longer is not mentioned.
  static let silence = Duration.seconds(2)

  package init(interruption: Int32? = nil, notice: @escaping @Sendable (String) -> Void = { _ in }) {
    (self.interruption, self.notice) = (interruption, notice)
  }

  var isOver: Bool {
    guard let interruption else { return false }
    return Readiness.canRead(interruption)
  }
}
