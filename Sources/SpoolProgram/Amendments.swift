import Messages
import Subprocess

/// What a worker sends after its order, along the leash of the attempt.
final class Amendments {
  private let leash: LeashEnd?
  /// What was read and is no whole line yet.
  private var pending: ArraySlice<UInt8> = []

  /// - Parameter leash: nil where nobody holds one.
  init(_ leash: LeashEnd?) { self.leash = leash }

  /// What was sent since the last time; what means nothing to this program is left out. A system call.
  func next() -> [OrderAmendment] {
    guard let leash else { return [] }
    pending += leash.read()
    var found: [OrderAmendment] = []
    while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      do throws(WireError) { found.append(try OrderAmendment(line: Array(pending[..<end]))) } catch {
        // Of a newer worker, perhaps: it is a wish, and nobody counts on it.
      }
      pending = pending[(end + 1)...]
    }
    if pending.count > Wire.longestAmendment { pending = [] }
    return found
  }
}
