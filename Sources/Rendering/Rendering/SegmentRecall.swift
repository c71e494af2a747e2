internal import Linux
package import Media
package import Messages
internal import Scenes
internal import Timeline

/// Finds segments of one job that were made before, many at once (decision 0261). It reads no more of their media than makes their states, and
/// decodes nothing, so it may say what it finds.
package struct SegmentRecall {
  private let order: AttemptOrder
  private let store: SegmentStore
  private let cache: SegmentCache
  private let threads: Int
  private var keyed: KeyedEdit

  /// - Parameters:
  ///   - order: an order of the job.
  ///   - policy: where media may be read.
  ///   - threads: the most threads that look.
  /// - Throws: an error that keeps the job's segments from being made, too.
  package init(order: AttemptOrder, store: SegmentStore, policy: SourcePolicy, cache: SegmentCache, threads: Int) throws {
    // Names from the wire are not trusted.
    guard SegmentStore.isJobName(order.job) else { throw Failure(.bug, at: "order", "'\(order.job)' is not a job's name") }
    (self.store, self.cache, self.threads) = (store, cache, threads)
    keyed = KeyedEdit(try order.spec.edit, order.spec, policy, in: cache)
    self.order = order
  }

  /// Looks for the segments of attempts. Those that are found lie under the attempts' names, and have the digests that they had.
  package mutating func answers(to questions: [RecallQuestion]) -> [RecallAnswer] {
    let began = MonotonicClock.nanoseconds
    let copies = keyed.edit.timeline.export.copies
    // Copied chunks and sounds are copied again, which costs little.
    let isSought = questions.map { question in
      if case .picture(let frames) = question.work {
        copies?.holds(frames.indices) != true
      } else {
        copies?.soundSampleCount == nil
      }
    }
    let sought = zip(questions, isSought).filter(\.1).map(\.0)
    // Whatever keeps a key from being made is told by the attempt that makes the segment.
    let keys = (try? keyed.keys(of: sought.map(\.work), threads: threads)) ?? sought.map { _ in nil }
    let asked = zip(sought, keys).map { (question: $0, key: $1) }
    let found = concurrently(asked[...], threads: threads) { [store, cache, job = order.job] asked in
      let name = store.name(job: job, key: asked.question.key, extension: SegmentStore.segmentExtension)
      return RecallAnswer(
        key: asked.question.key,
        proof: asked.key.flatMap { Self.proof(of: asked.question.work, $0, as: name, store, cache, since: began) })
    }
    let others = zip(questions, isSought).filter { !$1 }.map { RecallAnswer(key: $0.0.key, proof: nil) }
    return found + others
  }

  private static func proof(
    of work: Work, _ key: String, as name: String, _ store: SegmentStore, _ cache: SegmentCache, since began: Int64
  ) -> Proof? {
    // Where the folder cannot be made, the attempt that makes the segment tells why.
    guard (try? store.makeFolder(of: store.path(name))) != nil else { return nil }
    switch work {
    case .picture(let frames): return cache.picture(key, frames, as: name, since: began).map { .picture($0) }
    case .sound, .soundPart: return cache.sound(key, as: name).map { .sound($0) }
    case .mux, .publish: return nil
    }
  }
}
