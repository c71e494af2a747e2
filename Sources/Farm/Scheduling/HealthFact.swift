/// A fact about a coordinator or a worker that tells those who watch it whether it does its work.
package struct HealthFact: Hashable, Sendable {
  /// The name, such as `database`.
  package let name: String
  package let isSo: Bool
  /// Whether a process of which this is not so is not ready.
  package let isNeeded: Bool

  package init(_ name: String, _ isSo: Bool, isNeeded: Bool = true) {
    (self.name, self.isSo, self.isNeeded) = (name, isSo, isNeeded)
  }
}

extension Dispatcher {
  /// The facts of a coordinator: whether the database answers it, and whether it leads. One that follows is ready, too.
  package var health: [HealthFact] {
    [HealthFact("database", !isLedgerAway && !candidate.isNew), HealthFact("leads", term != nil, isNeeded: false)]
  }
}

extension WorkerState {
  /// The facts of a worker: whether a coordinator that leads serves it, and whether it takes new work.
  package var health: [HealthFact] {
    let isServed = if case .welcomed = link { true } else { false }
    return [HealthFact("coordinator", isServed), HealthFact("takesWork", mode == .serving)]
  }
}
