/// Log lines about keys that are refused. Pure.
///
/// Each key is named once, with the address that it came from. Further refusals are counted, and their number is logged once a
/// minute. Whoever reaches the port may try as many keys as they like; the log grows by a few lines a minute at most.
package struct RefusedKeys: Sendable {
  /// The time between two lines that tell a count.
  private static let pause = Duration.seconds(60)
  /// The most keys that are named in a minute, and the most that are remembered. Refusals beyond either are only counted.
  private static let mostNamed = 10
  private static let mostKnown = 1000

  private var known: Set<String> = []
  private var named = 0
  private var counted = 0
  private var lastAddress = ""
  /// The start of the current minute.
  private var begun = Duration.zero

  package init() {}

  /// - Parameters:
  ///   - key: the key as the list of allowed keys writes it; nil when none was sent.
  ///   - address: the peer's IP address; empty for peers on this machine.
  /// - Returns: the line that names the key, or nil when it is only counted.
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

  /// Forgets the named keys. They may have been allowed and removed again, and are then named again.
  package mutating func listChanged() { known = [] }

  /// - Returns: a line with the number of refusals that got no line of their own, once a minute; nil when there were none.
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
