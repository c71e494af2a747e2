internal import Synchronization

/// The large answers that clients are taking. Those who take the same bytes share them, and these count once.
final class HeldAnswers: Sendable {
  private struct Answer {
    let size: Int
    var takers = 0
  }

  private struct State {
    /// The answers by the place of their bytes in memory, which is nobody else's while they are held.
    var answers: [UInt: Answer] = [:]
    var bytes = 0
  }

  private let state = Mutex(State())

  /// The bytes of all answers that are held.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Counts a taker of an answer.
  /// - Returns: false, and nothing is counted, when all answers would hold more than the limit.
  func hold(_ answer: [UInt8], within limit: Int) -> Bool {
    state.withLock { state in
      let place = Self.place(of: answer)
      if state.answers[place] == nil {
        guard state.bytes + answer.count <= limit else { return false }
        state.answers[place] = Answer(size: answer.count)
        state.bytes += answer.count
      }
      state.answers[place]?.takers += 1
      return true
    }
  }

  /// Takes back what `hold` counted. The answer's bytes are still in memory.
  func release(_ answer: [UInt8]) {
    state.withLock { state in
      let place = Self.place(of: answer)
      guard var known = state.answers[place] else { return }
      known.takers -= 1
      state.answers[place] = known.takers > 0 ? known : nil
      if known.takers == 0 { state.bytes -= known.size }
    }
  }

  private static func place(of answer: [UInt8]) -> UInt {
    // The address is a name here, and nothing is read through it.
    unsafe answer.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }
}
