package import Messages

// A worker whose machine ends soon. It leaves to others what its attempts cannot finish by then, by the same promises as a split that the
// leading coordinator wishes (docs/decisions/0054-chunks-are-divided-by-promise.md).
extension WorkerState {
  /// The shortest time between two wishes to one attempt: a process looks at its order before each frame.
  static let wishingAgain = Duration.seconds(3)

  /// Asks the processes of chunks that will not be done when the machine ends to leave the rest. It is looked at again with each heartbeat,
  /// because the pace may change, and a wish may have come too late.
  mutating func leaveRests(_ now: Duration) -> [Action] {
    guard let endsAt else { return [] }
    var actions: [Action] = []
    for (key, attempt) in running.sorted(by: { $0.key < $1.key }) where attempt.doom == nil && attempt.report == nil {
      guard attempt.amendments < Self.mostAmendments, attempt.wished.map({ now - $0 >= Self.wishingAgain }) ?? true,
        let frames = attempt.divisibleFrames,
        let frame = NoticePolicy().border(
          frames, attempt.progress, elapsed: (now - attempt.began) / .seconds(1), left: (endsAt - now) / .seconds(1))
      else { continue }
      running[key]?.amendments += 1
      running[key]?.wished = now
      actions += [.amend(key, .shorten(before: frame)), .note(Note("leaves_rest", ["attempt": "\(key)", "before": "\(frame)"]))]
    }
    return actions
  }
}

/// The choice of the frame at which a chunk ends whose worker's machine ends soon. Pure.
package struct NoticePolicy: Hashable, Sendable {
  /// The seconds that an attempt needs after its last frame: to end its file, to have it on the disk, and to hand in its proof. It is a tenth of what
  /// is left if that is more.
  package var closing = 2.0
  /// The seconds that a wish takes to be read. Progress is as old at most.
  package var lead = 1.5
  /// The frames that the rest has at least, as any chunk of a plan, where it can.
  package var fewestFrames = ChunkPlan.shortestChunk

  package init() {}

  /// The frame before which the chunk is to end; nil where all of it fits, where its pace is not known yet, and where nothing would be left.
  ///
  /// - Parameters:
  ///   - frames: the frames that the attempt was given.
  ///   - elapsed: the seconds for which it has run.
  ///   - left: the seconds until the machine ends.
  package func border(_ frames: FrameRange, _ progress: AttemptProgress, elapsed: Double, left: Double) -> Int? {
    let end = progress.end ?? frames.indices.upperBound
    let undone = Int(clamping: progress.total - progress.done)
    // Fetched media and a survey count as progress, too, so what is done is computed from what is left.
    let done = end - frames.first - undone
    guard progress.total > 0, undone > 0, done > 0, elapsed > 0 else { return nil }
    let secondsPerFrame = elapsed / Double(done)
    let fits = Int(max(0, left - max(closing, left / 10)) / secondsPerFrame)
    guard fits < undone else { return nil }
    let next = end - undone
    let earliest = next + Int(lead / secondsPerFrame) + 1
    let border = max(earliest, min(next + fits, end - fewestFrames))
    return border < end ? border : nil
  }
}
