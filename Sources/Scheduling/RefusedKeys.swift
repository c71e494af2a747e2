/// What the log says of keys that are refused: each once, with the address that it came from; then their number, once a minute. Pure.
///
/// Whoever reaches the port may try as many keys as often as they like: the log grows by a few lines a minute at most.
package struct RefusedKeys: Sendable {
  /// Between two lines that count.
  private static let pause = Duration.seconds(60)
  /// Keys that are named in a minute, and keys that are remembered. What exceeds either is only counted.
  private static let mostNamed = 10
  private static let mostKnown = 1000

  private var known: Set<String> = []
  private var named = 0
  private var counted = 0
  private var lastAddress = ""
  /// When the minute began.
  private var begun = Duration.zero

  package init() {}

  /// - Parameters:
  ///   - key: as it is listed; nil where none came.
  ///   - address: an IP address; empty where peers are of this machine.
  /// - Returns: the line that names it, if it is due one.
  package mutating func refused(_ key: String?, from address: String, now: Duration) -> Note? {
    let key = key ?? "none"
    guard !known.contains(key), known.count < Self.mostKnown, named < Self.mostNamed else {
      (counted, lastAddress) = (counted + 1, address)
      return nil
    }
    known.insert(key)
    named += 1
    return Note("refused_key", ["key": key, "address": Self.words(address)])
  }

  /// Those of before may have been listed meanwhile, and removed again: they are named again.
  package mutating func listChanged() { known = [] }

  /// - Returns: how many were refused without a line of their own, once a minute.
  package mutating func turn(now: Duration) -> Note? {
    guard now - begun >= Self.pause else { return nil }
    defer { (begun, named, counted) = (now, 0, 0) }
    guard counted > 0 else { return nil }
    let seconds = (now - begun).components.seconds
    return Note(
      "refused_keys", ["refusals": "\(counted)", "seconds": "\(seconds)", "last_address": Self.words(lastAddress)])
  }

  private static func words(_ address: String) -> String { address.isEmpty ? "local" : address }
}
