package import Messages
internal import Linux

/// A thread of a worker that keeps the segments of its finished attempts at once, so that a job that is cancelled, or fails, does not take
/// its finished chunks with it. A store that hangs, as one of a lost network may, keeps only this thread waiting.
package struct SegmentKeeper: Sendable {
  private struct Finished {
    let attempt: AttemptKey
    let job: String
    let proof: Proof
  }

  /// The most segments that wait to be kept. When a store hangs, more are not kept.
  private static let mostWaiting = 1024

  private let waiting = Handover<Finished>(capacity: mostWaiting)

  /// Starts the thread, which runs until the process ends.
  package init(_ cache: SegmentCache) {
    withoutSignals { [waiting] in
      _ = JoinableThread {
        while let finished = waiting.take() { cache.keep(finished.proof, of: finished.attempt, job: finished.job) }
      }
    }
  }

  /// Keeps the segment of an attempt soon. Returns at once.
  package func keep(_ attempt: AttemptKey, _ job: String, _ proof: Proof) {
    waiting.offer(Finished(attempt: attempt, job: job, proof: proof))
  }
}
