internal import Ledger
internal import Operations
internal import Synchronization

/// A farm that the server's threads use in turn. Each lane has a session of its own with the database.
final class FarmLane: Sendable {
  private let farm: Mutex<Farm>

  init(_ database: @escaping @Sendable () throws(Complaint) -> String) { farm = Mutex(Farm(database: database)) }

  /// Runs operations of the farm while no other thread does on this lane.
  ///
  /// - Parameter caller: who asks, for the audit of changes.
  func run<Result: Sendable>(
    as caller: DeskCaller = DeskCaller(), _ body: (Farm) throws(Complaint) -> Result
  ) throws(Complaint) -> Result {
    try farm.withLock { farm throws(Complaint) in
      farm.caller = caller
      return try body(farm)
    }
  }
}
