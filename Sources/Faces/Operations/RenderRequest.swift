package import Document
internal import Formats
package import Ledger
package import MediaTime
package import Messages
internal import Rendering
internal import Scheduling
internal import Timeline

/// An edit that somebody wants rendered on this machine.
package struct RenderRequest: Hashable, Sendable, Codable {
  /// The path of the edit's document.
  package var document: String
  /// The path of the movie. Its ending chooses the file type where the document states none. A plan may be asked for without one: it is empty
  /// then.
  package var output: String
  /// Further places of the movie: paths, and places in S3. It is copied there once it is made.
  package var copies: [String] = []
  /// The export settings that replace the document's own.
  package var wish = ExportWish()
  /// The number of workers; nil means one for each core.
  package var workers: Int?
  /// The number of frames in a chunk; nil lets the estimated cost choose. Such chunks are divided no further.
  package var chunkFrames: Int?
  package var keepsSegments = false
  /// Whether chunks may be divided further while they run, if the job is then done sooner.
  package var isDivisible = true
  /// Whether a file that has the movie's name is replaced.
  package var overwrites = true
  /// Whether the workers that this process starts take what was rendered before. Those of a farm that runs already have a setting of
  /// their own, which is then told.
  package var reuses = true

  /// Whether the movie will be read from front to back, by a reader that cannot go back in it.
  package var isPiped = false

  package init(document: String, output: String) { (self.document, self.output) = (document, output) }

  package static let workerCounts = 1...256

  /// - Throws: a complaint of the class `usage` about a value that cannot be.
  func requireSense() throws(Complaint) {
    try SubmitRequest.require(workers, in: Self.workerCounts, "workers")
    try SubmitRequest.require(chunkFrames, in: SubmitRequest.chunkSizes, "chunkFrames")
  }
}

/// Something that is told while an edit is rendered.
package enum RenderEvent: Hashable, Sendable {
  /// The edit was found good, but for these warnings.
  case checked([FaultRecord])
  case submitted(SubmittedJob)
  /// The job's progress now, and the seconds since the session began.
  case progressed(RenderProgress, seconds: Double)
  /// The job has ended, or was given up. No more progress is told.
  case ended
  /// Somebody interrupted. The render is given up, and no movie is written. That may take seconds; another interruption ends the process at once.
  case interrupted
  /// So many files are watched, the document among them.
  case watching(fileCount: Int)
  /// The files at these paths have changed, so the edit is rendered again.
  case changed([String])
}

/// A movie that was rendered.
package struct RenderedMovie: Hashable, Sendable, Codable {
  package var event = "done"
  /// The job that made it; nil where it lay at its place already, as the edit makes it, so that there was nothing to do.
  package var job: String?
  /// The absolute path of the movie.
  package var output: String
  package var frameCount: Int
  package var duration: MediaTime
  package var byteCount: Int64
  package var retries: Int
  package var elapsedSeconds: Double
  /// The movie's own comment, which says whether damaged media were replaced in it, and how much.
  package var comment: String?
  /// The loudness of the sound; nil where the edit asks for none.
  package var loudness: SoundLoudness?
  /// The number of its chunks.
  package var chunkCount: Int
  /// The chunks that were not rendered, because an earlier render had made them; nil where there are none.
  package var reuse: JobReuse?
  /// How well the movie meets the target of its bits; nil where the edit has none.
  package var target: TargetMeasure?
  /// Warnings for the edit's user, where no job was submitted, which would have told them; nil where there are none.
  package var warnings: [FaultRecord]?

  /// The movie's further places; nil where none were asked for.
  package var copies: [CopiedMovie]?

  /// A complaint about the places that the movie did not get to; nil where there are none.
  package var complaint: Complaint? { copies?.complaint }

  /// The number of chunks that were found, in words; nil where there are none.
  package var reuseWords: String? { reuse?.words(of: chunkCount) }

  init(_ job: JobStatus, at output: String, facts: AssetFacts, loudness: SoundLoudness?, reuse: JobReuse?) {
    (self.loudness, self.reuse, chunkCount) = (loudness, reuse, job.chunkCount)
    (self.job, self.output, frameCount) = (job.id, output, job.frameCount)
    (duration, byteCount, comment) = (facts.duration, facts.byteCount, facts.comment)
    (retries, elapsedSeconds) = (job.retries, job.elapsedSeconds ?? 0)
  }

  /// Makes what is told of a movie that lay at its place.
  init(_ movie: StandingMovie, at output: String, facts: AssetFacts, elapsedSeconds: Double) {
    (self.output, frameCount, chunkCount, loudness) = (output, movie.frameCount, movie.chunkCount, movie.loudness)
    reuse = JobReuse(chunkCount: movie.chunkCount, frameCount: movie.frameCount)
    (duration, byteCount, comment) = (facts.duration, facts.byteCount, facts.comment)
    (retries, self.elapsedSeconds) = (0, elapsedSeconds)
  }
}
