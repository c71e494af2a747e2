internal import Formats
internal import Glibc
internal import Linux
internal import Media
package import Messages
internal import Scenes
internal import Timeline

/// Joins a job's movie while its chunks are rendered, in a process of its own, so that little is left when the last one is there
/// (decision 0206).
///
/// It is told of finished segments by notes in the job's folder (`JoinFolder`). It may die at any moment, and nothing waits for it then: the
/// mux joins the movie by itself.
package struct EarlyJoin {
  /// The time between two looks for a note.
  private static let pause = 20_000_000
  /// The time between two looks whether the job is still there.
  private static let lookout: Int64 = 1_000_000_000

  /// The time without a new segment after which it gives up: of a job that is paused, or that ended and keeps its files.
  private static let patience: Int64 = 3_600_000_000_000

  /// The end of a joining.
  package enum Outcome: String, Hashable, Sendable {
    case joined
    /// Another process joins the movie, or did.
    case taken
    /// Movies of this kind are joined once all their segments are there.
    case unsuited
    /// The movie that lies there was made of the same edit. Its mux will hardly join another one.
    case unchanged
    /// The job has ended, or had no new segment for long.
    case ended
  }

  private let order: AttemptOrder
  private let store: SegmentStore
  private let outputRoots: [String]
  private let confine: (AttemptReach) throws -> Void

  /// - Parameters:
  ///   - order: the order of any attempt of the job.
  ///   - outputRoots: the folders that movies must lie below; where there is none, movies may lie anywhere.
  ///   - confine: called once, before the first byte of a segment is read, with all that is needed from then on.
  package init(
    order: AttemptOrder, store: SegmentStore, outputRoots: [String] = [],
    confine: @escaping (AttemptReach) throws -> Void = { _ in }
  ) {
    (self.order, self.store, self.outputRoots, self.confine) = (order, store, outputRoots, confine)
  }

  /// Joins the movie, and leaves a record of it. Nothing is left of a movie that was not joined to its end.
  ///
  /// - Throws: what keeps it from joining: `MediaError`, `StoreError`, `Failure`, or the faults of the document.
  package func run() throws -> Outcome {
    // Such a movie is written among the segments, and goes from there.
    guard order.spec.object == nil else { return .unsuited }
    guard SegmentStore.isJobName(order.job), SegmentStore.isOutput(order.spec.output) else {
      throw Failure(.bug, at: "order", "'\(order.job)' or '\(order.spec.output)' is no name for it")
    }
    let edit = try order.spec.edit
    guard edit.isJoinedEarly else { return .unsuited }
    let output = order.spec.output
    let folder = try OutputFolder(FilePath.folder(of: output), below: outputRoots, for: output)
    guard !KeptMovie.isLikely(for: order.spec, job: order.job, in: store, folder) else { return .unchanged }
    let notes = JoinFolder(in: store, job: order.job)
    try store.makeFolder(of: "\(notes.path)/note")
    guard let lock = notes.begin() else { return .taken }
    try confine(AttemptReach(.muxes, readable: [store.path(order.job)], writable: [folder.openPath, notes.path]))
    let joining = Joining(edit, in: folder, notes: notes, lock: lock, order: order, store: store)
    do { try joining.join() } catch is Cancellation.Cancelled { return .ended }
    return .joined
  }

  /// One joining. One owner, one thread.
  private final class Joining {
    private let edit: ResolvedTimeline
    private let folder: OutputFolder
    private let notes: JoinFolder
    private let lock: LockedFile
    private let order: AttemptOrder
    private let store: SegmentStore
    private var segments = JoinedSegments()
    private var (ticks, ticked, looked): (Int64, Int64, Int64) = (0, 0, 0)

    init(
      _ edit: ResolvedTimeline, in folder: OutputFolder, notes: JoinFolder, lock: LockedFile, order: AttemptOrder,
      store: SegmentStore
    ) {
      (self.edit, self.folder, self.notes, self.lock, self.order, self.store) = (edit, folder, notes, lock, order, store)
    }

    func join() throws {
      let hasPicture = edit.videoComposition != nil
      let frames = try hasPicture ? [pictures] : []
      let lengths = try edit.soundLengths
      // Several sounds lie in one file, which is one segment. The parts of one sound are its segments.
      let samples = lengths.map { length in ComingTrack(length: length) { try self.sound(at: $0)[0].segments[0] } }
      let sounds = lengths.isEmpty ? [] : try sound(at: 0)
      let part = SegmentStore.earlyPart(output: order.spec.output, job: order.job)
      let movie = try MovieJoin(edit: edit, folder: folder).write(
        hasPicture ? [picture(at: 0)] : [], [], sounds, coming: ComingSegments(frames + samples), comment: nil, to: part
      ) { _, _ in try tick() }
      notes.write(
        JoinFolder.Record(
          source: segments.source(of: order.spec), byteCount: movie.digest.byteCount, byteDigest: movie.digest.hash,
          stamp: folder.lastingStamp(of: FilePath.name(of: part))))
    }

    private var pictures: ComingTrack {
      get throws {
        ComingTrack(length: Int64(try edit.frameCount), next: { try self.picture(at: $0) }) { position in
          // A note that does not fit is refused when its segment is taken.
          self.notes.note(of: .picture, at: position).flatMap { try? self.picture($0, at: position) }
        }
      }
    }

    private func picture(at position: Int64) throws -> SegmentInput {
      try picture(note(of: .picture, at: position), at: position)
    }

    private func picture(_ note: Winner<Proof>, at position: Int64) throws -> SegmentInput {
      guard case .picture(let proof) = note.proof, proof.frames.first == position, proof.frames.count > 0 else { throw misfit }
      return note.input(proof.segment, length: Int64(proof.frames.count), in: store, job: order.job)
    }

    private func sound(at position: Int64) throws -> [SoundInput] {
      let note = try note(of: .sound, at: position)
      guard case .sound(let proof) = note.proof, proof.firstSample ?? 0 == position, proof.sampleCount > 0,
        proof.further.count + 1 == edit.sounds.count
      else { throw misfit }
      return [proof].inputs([note.input(proof.segment, length: proof.sampleCount, in: store, job: order.job)], edit)
    }

    /// Waits for the note of a segment.
    ///
    /// - Throws: `Cancellation.Cancelled` when the job's files are gone, or no note came for long.
    private func note(of kind: TaskKind, at position: Int64) throws -> Winner<Proof> {
      let end = MonotonicClock.nanoseconds + EarlyJoin.patience
      while true {
        if let note = notes.note(of: kind, at: position) {
          // A movie tells of damaged media before its first packet.
          guard note.proof.concealed.isEmpty else {
            throw Failure(.source, at: "segment \(note.key)", "media are damaged: the mux tells of that")
          }
          segments.append(note.proof)
          return note
        }
        if notes.isGone || MonotonicClock.nanoseconds > end { throw Cancellation.Cancelled() }
        var pause = timespec(tv_sec: 0, tv_nsec: EarlyJoin.pause)
        unsafe nanosleep(&pause, nil)
      }
    }

    private var misfit: Failure { Failure(.bug, at: "note", "does not fit the edit") }

    /// Says, ten times a second, that it works on.
    private func tick() throws {
      let now = MonotonicClock.nanoseconds
      guard now - ticked >= 100_000_000 else { return }
      (ticked, ticks) = (now, ticks + 1)
      var word = ticks.littleEndian
      // A file system without room for it makes the mux wait in vain for a while, and no more.
      _ = unsafe pwrite(lock.number, &word, MemoryLayout.size(ofValue: word), 0)
      guard now - looked >= EarlyJoin.lookout else { return }
      looked = now
      if notes.isGone { throw Cancellation.Cancelled() }
    }
  }
}

extension ResolvedTimeline {
  /// Whether the movie may be joined while it is rendered: one picture, whose packets were all encoded by us, and one sound, or one of both,
  /// written once.
  package var isJoinedEarly: Bool {
    let export = timeline.export
    guard export.copies == nil || videoComposition != nil, export.copies?.copiesPictures != true else { return false }
    return export.fileType.isWrittenOnce && export.pieceInterval == nil
      && renditions.isEmpty && sounds.count < 2 && export.video.coding.coder.rateTarget == nil
  }
}

extension SegmentStore {
  /// The hidden file beside the output into which a movie is joined while it is rendered. It counts as one of attempt 0, which is older than
  /// all others.
  static func earlyPart(output: String, job: String) -> String {
    partPath(output: output, job: job, key: AttemptKey(task: SurveyFolder.task, attempt: 0))
  }
}

/// A movie that was joined while it was rendered, as its mux finds it.
struct AwaitedJoin {
  /// The time in which the process that joins does nothing, after which nobody waits for it.
  private static let patience: Int64 = 10_000_000_000
  private static let pause = 10_000_000

  private let notes: JoinFolder
  private let lock: LockedFile
  private let order: AttemptOrder
  private let source: String

  /// Tells the process that joins of all segments that it was not told of.
  ///
  /// - Returns: nil where nobody joined the movie.
  init?(
    of order: AttemptOrder, _ pictures: [Winner<PictureProof>], _ sounds: [Winner<SoundProof>], in store: SegmentStore
  ) {
    notes = JoinFolder(in: store, job: order.job)
    guard let lock = notes.opened() else { return nil }
    (self.lock, self.order) = (lock, order)
    source = JoinedSegments(pictures.map(\.proof), sounds.map(\.proof)).source(of: order.spec)
    guard !hasEnded else { return }
    notes.complete(sounds.map { Winner(key: $0.key, proof: .sound($0.proof)) })
    notes.complete(pictures.map { Winner(key: $0.key, proof: .picture($0.proof)) })
  }

  /// Waits for the movie, and gives it the name `part`, if it is the one of exactly these segments.
  ///
  /// - Parameter progress: called while the process that joins works on.
  /// - Returns: its proof; nil where the segments have to be joined anew.
  func take(as part: String, in folder: OutputFolder, progress: (Int64) -> Void) -> FileProof? {
    var (ticks, changed) = (ticks, MonotonicClock.nanoseconds)
    while !hasEnded {
      let now = MonotonicClock.nanoseconds
      if self.ticks != ticks {
        (ticks, changed) = (self.ticks, now)
        progress(ticks)
      }
      guard now - changed < Self.patience else { return nil }
      var pause = timespec(tv_sec: 0, tv_nsec: Self.pause)
      unsafe nanosleep(&pause, nil)
    }
    let early = FilePath.name(of: SegmentStore.earlyPart(output: order.spec.output, job: order.job))
    // A file that another process has written to since is none of these segments. Without a stamp, the publication reads it.
    guard let record = notes.record, record.source == source, folder.identity(of: early)?.byteCount == record.byteCount,
      folder.stamp(of: early) == record.stamp, folder.rename(early, to: FilePath.name(of: part)) == 0
    else { return nil }
    return FileProof(
      path: part, byteCount: record.byteCount, byteDigest: record.byteDigest,
      stamp: folder.lastingStamp(of: FilePath.name(of: part)))
  }

  /// Whether the process that joins is gone: the lock is free.
  private var hasEnded: Bool { flock(lock.number, LOCK_SH | LOCK_NB) == 0 }

  /// The number that grows while the process that joins works.
  private var ticks: Int64 {
    var word: Int64 = 0
    _ = unsafe pread(lock.number, &word, MemoryLayout.size(ofValue: word), 0)
    return Int64(littleEndian: word)
  }
}
