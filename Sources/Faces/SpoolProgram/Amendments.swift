import Messages
import Subprocess

/// Reads what the worker sends to an attempt after its order, along the attempt's leash.
final class Amendments {
  private let leash: LeashEnd?
  /// Bytes that were read and are not a whole line yet.
  private var pending: ArraySlice<UInt8> = []

  /// - Parameter leash: the end of the leash; nil when nobody holds one.
  init(_ leash: LeashEnd?) { self.leash = leash }

  /// The amendments that have arrived since the last call. Lines that this program does not understand are skipped. One call
  /// costs one read(2).
  func next() -> [OrderAmendment] {
    guard let leash else { return [] }
    pending += leash.read()
    var found: [OrderAmendment] = []
    while let end = pending.firstIndex(of: UInt8(ascii: "\n")) {
      do throws(WireError) { found.append(try OrderAmendment(line: Array(pending[..<end]))) } catch {
        // The line may come from a newer worker. An amendment is only a wish, so it can be skipped.
      }
      pending = pending[(end + 1)...]
    }
    if pending.count > Wire.longestAmendment { pending = [] }
    return found
  }
}
