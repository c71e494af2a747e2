/// Tells whoever reads a worker's log that no coordinator serves it, and what is likely the cause of that. Pure.
///
/// A worker tries for ever: with a wrong key or port it would say nothing, for ever, either.
package struct Silence: Sendable {
  /// What was seen of the way to a coordinator.
  package enum Sight: Hashable, Sendable {
    /// Nothing listens there, or nobody is reached; or the connection that was taken is no more, and another one is tried.
    case refused
    /// Something took the connection, and says nothing that lets the worker in.
    case connected
    /// The key is not on the list (ZAP's status, such as 400).
    case keyRefused(status: Int32)
    /// Other words than a coordinator's, or another kind of security (libzmq's code).
    case misunderstood(code: Int32)
    /// The other end hung up before it let the worker in (errno).
    case brokenOff(code: Int32)
    /// Both ends know each other, and the coordinator says nothing.
    case letIn
    /// It says that it does not lead.
    case notLeading
  }

  /// Whether the worker has keys: what a failed handshake means depends on it.
  private let hasKeys: Bool
  private var served = Duration.zero
  private var pause = Self.firstPause
  private var due = Self.firstPause
  private var wasTold = false
  /// What was seen last of each endpoint since the last lines; nothing where it merely does not answer.
  private var sights: [String: Sight?] = [:]
  /// Endpoints that took the newest connection.
  private var taken: Set<String> = []

  /// Told within five seconds, with a turn's delay.
  package static let firstPause = Duration.seconds(4)
  private static let longestPause = Duration.seconds(600)

  /// - Parameter hasKeys: whether the worker has a key, and expects the coordinator's.
  package init(hasKeys: Bool) { self.hasKeys = hasKeys }

  /// Notes that an endpoint is tried.
  package mutating func tries(_ endpoint: String) {
    taken.remove(endpoint)
    if sights.index(forKey: endpoint) == nil { sights.updateValue(nil, forKey: endpoint) }
  }

  package mutating func saw(_ sight: Sight, at endpoint: String) {
    if case .connected = sight { taken.insert(endpoint) }
    // The end of one that was taken is told the same way: what became of it is known already.
    if case .refused = sight, taken.remove(endpoint) != nil { return }
    // Each new try connects first, which tells less than how the last one ended.
    if case .connected = sight, let known = sights[endpoint], let known, known != .refused { return }
    // Where a key or a word is not understood, the other end hangs up besides.
    if case .brokenOff = sight, let known = sights[endpoint], let known {
      switch known {
      case .keyRefused, .misunderstood: return
      case .refused, .connected, .brokenOff, .letIn, .notLeading: break
      }
    }
    sights.updateValue(sight, forKey: endpoint)
  }

  /// Notes that a coordinator serves the worker. - Returns: a line, if the log said that none does.
  package mutating func answered(by endpoint: String, now: Duration) -> Note? {
    let silent = now - served
    defer { (served, due, pause, wasTold, sights) = (now, now + Self.firstPause, Self.firstPause, false, [endpoint: .letIn]) }
    guard wasTold else { return nil }
    return Note("answered", ["endpoint": endpoint, "after_seconds": "\(silent.components.seconds)"])
  }

  /// When `turn` is due.
  package var turnDue: Duration { due }

  /// - Returns: a line for each endpoint that was tried, when it is time to tell; pauses double, up to ten minutes.
  package mutating func turn(now: Duration) -> [Note] {
    guard now >= due else { return [] }
    let seconds = "\((now - served).components.seconds)"
    let notes = sights.sorted { $0.key < $1.key }.map { endpoint, sight in
      Note("unanswered", ["endpoint": endpoint, "seconds": seconds, "cause": cause(sight)])
    }
    pause = min(pause * 2, Self.longestPause)
    (due, wasTold) = (now + pause, true)
    // What was seen is seen again, if it is still so.
    for endpoint in sights.keys { sights.updateValue(nil, forKey: endpoint) }
    return notes
  }

  private func cause(_ sight: Sight?) -> String {
    switch sight {
    case nil: "no answer to the connection: is the address right, and does a firewall drop it?"
    case .refused?: "the connection is refused or nobody is reached: is the port right, and does the coordinator run?"
    case .connected?: "something takes the connection and says nothing: is a coordinator at that port, and does it go on?"
    case .keyRefused?:
      "the coordinator does not let it in: the worker's public key is not in the coordinator's list (--authorized-keys)"
    case .misunderstood?:
      hasKeys
        ? "they do not understand each other: the coordinator has no keys, or it is no coordinator"
        : "they do not understand each other: the coordinator wants keys (--curve-secret-key, "
          + "--curve-server-key), or it is no coordinator"
    case .brokenOff?:
      hasKeys
        ? "the other end hangs up before it lets it in: --curve-server-key is not that coordinator's public key, or it is no coordinator"
        : "the other end hangs up before it lets it in: the coordinator wants keys (--curve-secret-key, --curve-server-key), or it is no "
          + "coordinator"
    case .letIn?: "connected, but not answered: the coordinator may have lost its database, or hang"
    case .notLeading?: "it does not lead, and neither does another one: can the coordinators reach the database?"
    }
  }
}
