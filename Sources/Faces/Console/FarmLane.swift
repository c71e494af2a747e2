internal import Ledger
internal import Operations
internal import Synchronization

/// Farms that the server's threads use in turn. Each has a session of its own with the database, which it opens when it is needed first. So what
/// takes long for one client does not keep the others of its lane waiting, as long as a farm is left.
final class FarmLane: Sendable {
  /// A farm that one thread at a time uses.
  private final class Seat: Sendable {
    let farm: Mutex<Farm>

    init(_ database: @escaping @Sendable () throws(Complaint) -> String) { farm = Mutex(Farm(database: database)) }
  }

  private let seats: [Seat]
  private let turns = Atomic(0)

  /// - Parameter sessions: the most sessions at once.
  init(sessions: Int = 1, _ database: @escaping @Sendable () throws(Complaint) -> String) {
    seats = (0..<max(1, sessions)).map { _ in Seat(database) }
  }

  /// Runs operations of a farm while no other thread uses it: of the first that is free, or else of the one whose turn it is.
  ///
  /// - Parameter caller: who asks, for the audit of changes.
  func run<Result: Sendable>(
    as caller: DeskCaller = DeskCaller(), _ body: (Farm) throws(Complaint) -> Result
  ) throws(Complaint) -> Result {
    for seat in seats {
      let result = try seat.farm.withLockIfAvailable { farm throws(Complaint) in
        farm.caller = caller
        return try body(farm)
      }
      if let result { return result }
    }
    let turn = turns.add(1, ordering: .relaxed).newValue
    return try seats[turn % seats.count].farm.withLock { farm throws(Complaint) in
      farm.caller = caller
      return try body(farm)
    }
  }
}
