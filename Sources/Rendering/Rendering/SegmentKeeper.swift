package import Messages
internal import Linux

/// A thread of a worker that keeps the segments of its finished attempts at once, so that a job that is cancelled, or fails, does not take
/// its finished chunks with it, and that tells of them where their movie is joined meanwhile. A store that hangs, as one of a lost network
/// may, keeps only this thread waiting.
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
  ///
  /// - Parameter cache: the place where segments are kept; nil where none are.
  package init(_ store: SegmentStore, _ cache: SegmentCache?) {
    withoutSignals { [waiting] in
      _ = JoinableThread {
        var notes = FinishedNotes()
        while let finished = waiting.take() {
          notes.add(Winner(key: finished.attempt, proof: finished.proof), JoinFolder(in: store, job: finished.job))
          guard finished.proof.key != nil, !finished.proof.isFound else { continue }
          cache?.keep(finished.proof, of: finished.attempt, job: finished.job)
        }
      }
    }
  }

  /// Keeps the segment of an attempt soon. Returns at once.
  package func keep(_ attempt: AttemptKey, _ job: String, _ proof: Proof) {
    waiting.offer(Finished(attempt: attempt, job: job, proof: proof))
  }
}

/// The notes of finished segments. They are written once somebody joins the job's movie, so that short jobs leave none.
private struct FinishedNotes {
  /// The most notes that are remembered. What is forgotten is told by the mux.
  private static let most = 16_384

  private var waiting: [String: [Winner<Proof>]] = [:]
  private var count = 0

  mutating func add(_ note: Winner<Proof>, _ folder: JoinFolder) {
    if count >= Self.most { (waiting, count) = ([:], 0) }
    waiting[folder.path, default: []].append(note)
    count += 1
    guard folder.isUsed, let notes = waiting.removeValue(forKey: folder.path) else { return }
    count -= notes.count
    for note in notes { folder.write(note) }
  }
}
