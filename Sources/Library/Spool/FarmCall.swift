internal import Foundation
internal import SpoolCalls
internal import Synchronization

/// A call of the program that asks a farm.
struct FarmCall: Sendable {
  let call: SpoolCall

  /// The most states that wait for somebody who reads slowly. The newest ones are kept.
  static let mostWaiting = 64

  init(_ arguments: [String], on farm: SpoolFarm) { call = SpoolCall(arguments, farm: farm.database) }

  /// The answer, which is the last line that the program says.
  ///
  /// - Parameters:
  ///   - code: an exit code with which the program answers, too, beside 0.
  ///   - isCancellable: whether the program is ended where the task is cancelled.
  func answer<Answer: Decodable & Sendable>(of code: Int32 = 0, isCancellable: Bool = true) async throws(SpoolError) -> Answer {
    let (text, failure) = await said(isCancellable: isCancellable)
    if let failure, failure.exitCode != code { throw failure }
    do { return try Self.decoded(text) } catch { throw failure ?? error }
  }

  /// Runs the call to its end.
  func finish() async throws(SpoolError) { if let failure = await said(isCancellable: true).failure { throw failure } }

  /// Gives each line that is an answer to `take`, until the program ends.
  ///
  /// - Returns: the failure, if it ended in one.
  func run<Line: Decodable>(_ wish: CallWish, _ take: (Line) -> Void) -> SpoolError? {
    do throws(CallFailure) {
      try call.run(isWanted: { wish.isOpen }) { text in
        // The last line of a call that fails tells of the failure, which is thrown.
        if let line: Line = try? Self.decoded(text) { take(line) }
      }
      return nil
    } catch { return SpoolError(error) }
  }

  private func said(isCancellable: Bool) async -> (text: String, failure: SpoolError?) {
    let wish = CallWish()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { done in
        DispatchQueue.global().async {
          var text = ""
          do throws(CallFailure) {
            try call.run(isWanted: { wish.isOpen }) { text = $0 }
            done.resume(returning: (text, nil))
          } catch { done.resume(returning: (text, SpoolError(error))) }
        }
      }
    } onCancel: {
      if isCancellable { wish.end() }
    }
  }

  private static func decoded<Answer: Decodable>(_ text: String) throws(SpoolError) -> Answer {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do { return try decoder.decode(Answer.self, from: Data(text.utf8)) } catch {
      throw SpoolError(reason: "the program 'spool' is of another version: its answer cannot be read: \(text.prefix(200))")
    }
  }
}

/// The wish that a call goes on.
final class CallWish: Sendable {
  private let open = Mutex(true)
  var isOpen: Bool { open.withLock(\.self) }
  func end() { open.withLock { $0 = false } }
}
