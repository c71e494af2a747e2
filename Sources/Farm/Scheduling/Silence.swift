/// The log lines that say that no coordinator serves a worker, with the likely cause. Pure.
///
/// A worker tries for ever. Without these lines a worker with a wrong key or port would never say anything.
package struct Silence: Sendable {
  /// The newest observation about an endpoint.
  package enum Sight: Hashable, Sendable {
    /// Nothing listens at the endpoint, or nobody can be reached. Or an accepted connection is gone and another one is tried.
    case refused
    /// The connection was accepted, and nothing lets the worker in.
    case connected
    /// The coordinator refused the key. `status` is the status of ZAP (ZeroMQ RFC 27), such as 400.
    case keyRefused(status: Int32)
    /// The other end does not speak as a coordinator does, or uses another kind of security. `code` is libzmq's protocol error.
    case misunderstood(code: Int32)
    /// The other end hung up before it let the worker in. `code` is an errno.
    case brokenOff(code: Int32)
    /// The handshake succeeded, and the coordinator says nothing.
    case letIn
    /// The coordinator says that it does not lead.
    case notLeading
  }

  /// Whether the worker has keys. It decides what a failed handshake means.
  private let hasKeys: Bool
  private var served = Duration.zero
  private var pause = Self.firstPause
  private var due = Self.firstPause
  private var wasTold = false
  /// The newest observation of each endpoint since the last lines; nil where there was no answer at all.
  private var sights: [String: Sight?] = [:]
  /// Endpoints that accepted the newest connection.
  private var taken: Set<String> = []

  /// The time until the first lines. With the delay of a turn they come within five seconds.
  package static let firstPause = Duration.seconds(4)
  private static let longestPause = Duration.seconds(600)

  /// - Parameter hasKeys: whether the worker has a key of its own and expects the coordinator's key.
  package init(hasKeys: Bool) { self.hasKeys = hasKeys }

  /// Notes that the worker tries to connect to an endpoint.
  package mutating func tries(_ endpoint: String) {
    taken.remove(endpoint)
    if sights.index(forKey: endpoint) == nil { sights.updateValue(nil, forKey: endpoint) }
  }

  package mutating func saw(_ sight: Sight, at endpoint: String) {
    if case .connected = sight { taken.insert(endpoint) }
    // The end of an accepted connection is told in the same way, and the cause of that is known already.
    if case .refused = sight, taken.remove(endpoint) != nil { return }
    // Each new try connects first. That says less than how the last try ended.
    if case .connected = sight, let known = sights[endpoint], let known, known != .refused { return }
    // After a refused key or a misunderstood word, the other end hangs up as well.
    if case .brokenOff = sight, let known = sights[endpoint], let known {
      switch known {
      case .keyRefused, .misunderstood: return
      case .refused, .connected, .brokenOff, .letIn, .notLeading: break
      }
    }
    sights.updateValue(sight, forKey: endpoint)
  }

  /// Notes that a coordinator serves the worker.
  ///
  /// - Returns: a line if the log said before that none does.
  package mutating func answered(by endpoint: String, now: Duration) -> Note? {
    let silent = now - served
    defer { (served, due, pause, wasTold, sights) = (now, now + Self.firstPause, Self.firstPause, false, [endpoint: .letIn]) }
    guard wasTold else { return nil }
    return Note("answered", ["endpoint": endpoint, "after_seconds": "\(silent.components.seconds)"])
  }

  /// The time at which `turn` is due.
  package var turnDue: Duration { due }

  /// - Returns: a line for each endpoint that was tried, when it is time; else none. The pauses between double, up to ten
  /// minutes.
  package mutating func turn(now: Duration) -> [Note] {
    guard now >= due else { return [] }
    let seconds = "\((now - served).components.seconds)"
    let notes = sights.sorted { $0.key < $1.key }.map { endpoint, sight in
      Note("unanswered", ["endpoint": endpoint, "seconds": seconds, "cause": cause(sight)])
    }
    pause = min(pause * 2, Self.longestPause)
    (due, wasTold) = (now + pause, true)
    // Old observations are dropped. What is still so is observed again.
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
