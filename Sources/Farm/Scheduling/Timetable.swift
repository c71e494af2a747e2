/// The times at which a dispatcher's recurring work is next due. Pure.
struct Timetable: Sendable {
  /// A kind of work that comes again and again.
  enum Entry: Int, CaseIterable, Sendable {
    /// The lead is renewed, or asked for. This is the only work of a coordinator that follows.
    case lead
    /// A round of requests begins. Its steps are then looked at in their order; some of them wait for an entry of their own.
    case round
    /// Heartbeats are noted.
    case heartbeats
    /// Space for future history is prepared, and old history dropped.
    case history
    /// Paces are learned from results.
    case learning
    /// Free slots are used for second attempts.
    case speculation
    /// Free slots are used for the rests of expensive chunks.
    case splitting
    /// A worker is asked to look into the store.
    case sweep
    /// The ledger is asked which fonts are needed.
    case fonts
    /// The ledger counts what the slots do.
    case slots
  }

  /// The times by their entries' numbers. At first, all is due.
  private var times = [Duration](repeating: .zero, count: Entry.allCases.count)

  /// The time at which an entry is next due.
  subscript(_ entry: Entry) -> Duration {
    get { times[entry.rawValue] }
    set { times[entry.rawValue] = newValue }
  }

  func isDue(_ entry: Entry, _ now: Duration) -> Bool { now >= self[entry] }

  /// Makes an entry due at `time`, unless it is due earlier.
  mutating func hasten(_ entry: Entry, to time: Duration) { self[entry] = min(self[entry], time) }

  /// The time at which the first of the entries is due.
  ///
  /// - Precondition: there is at least one.
  func first(of entries: Entry...) -> Duration {
    precondition(!entries.isEmpty)
    return entries.reduce(self[entries[0]]) { min($0, self[$1]) }
  }
}
