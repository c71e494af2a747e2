package import Document
internal import Formats
internal import Ledger
internal import Messages
internal import PlainText
internal import Rendering
internal import Scenes
internal import Scheduling
internal import Timeline

/// A job that somebody wants to give to a farm.
package struct SubmitRequest: Hashable, Sendable, Codable {
  /// The path of the edit's document. The media and the output must have the same paths here and on the workers.
  package var document: String
  /// The path of the movie. Its ending chooses the file type where the document states none. A plan may be asked for without one: it is empty
  /// then.
  package var output: String
  /// Further places of the movie: paths, and places in S3. The worker that publishes the movie copies it there.
  package var copies: [String] = []
  /// The export settings that replace the document's own.
  package var wish = ExportWish()
  /// The number of frames in a chunk; nil lets the estimated cost choose. Such chunks are divided no further.
  package var chunkFrames: Int?
  /// The number of slots to divide the edit for; nil means the slots that the farm has now.
  package var slots: Int?
  package var priority = 0
  /// The tags that a worker must have.
  package var tags: [String] = []
  /// The memory in MiB that a worker must have for each of its slots; nil means any.
  package var memory: Int?
  /// The name to submit under; nil means the database's role if that may submit under no other name, else USER@HOST.
  package var submitter: String?
  package var keepsSegments = false
  /// Whether chunks may be divided further while they run, if the job is then done sooner.
  package var isDivisible = true
  /// Whether a file that has the movie's name is replaced.
  package var overwrites = true
  /// The id of a job that is cancelled once this edit was found good, unless it has ended; nil where this job replaces none. Its finished
  /// chunks are found by this job where they are as they were, and so are those that run just then, which go on. It may have the same output.
  package var replaces: String?
  /// The id of a job with which a plan compares the edit; nil means the newest one with this submitter and output, if there is one.
  package var against: String?
  /// The job's id, by which a request that is sent again is known; nil means a new one. It has at most 32 lower-case letters and
  /// digits.
  package var id: String?

  package init(document: String, output: String) { (self.document, self.output) = (document, output) }

  /// The sizes of chunks that may be asked for, in frames.
  package static let chunkSizes = 1...1_000_000
  package static let slotCounts = 1...100_000
  /// The amounts of memory that may be asked for, in MiB.
  package static let memories = 1...16_777_216

  /// - Throws: a complaint of the class `usage` about a value that cannot be.
  func requireSense() throws(Complaint) {
    try Self.require(chunkFrames, in: Self.chunkSizes, "chunkFrames")
    try Self.require(slots, in: Self.slotCounts, "slots")
    _ = try JobSteering.requirePriority(priority)
    try Self.require(memory, in: Self.memories, "memory")
    for tag in tags where !Capabilities.isTag(tag) { throw Complaint("tags", "'\(tag)' is no tag", .usage) }
    if let submitter, !SubmitterName.isValid(submitter) { throw Complaint("submitter", SubmitterName.expectation, .usage) }
  }

  static func require(_ value: Int?, in range: ClosedRange<Int>, _ name: String) throws(Complaint) {
    guard let value, !range.contains(value) else { return }
    throw Complaint(name, "is to be from \(range.lowerBound) to \(range.upperBound), not \(value)", .usage)
  }
}

/// The name of a submitter, which is shown to others.
package enum SubmitterName {
  package static let expectation = "a name of 1 to 255 bytes without control characters"

  package static func isValid(_ name: String) -> Bool { 1...255 ~= name.utf8.count && name.isPlain }
}

/// A job that was just submitted.
package struct SubmittedJob: Hashable, Sendable, Codable {
  package var event = "submitted"
  package var job: String
  package var output: String
  /// The movie's further places; nil where there are none.
  package var copies: [String]?
  package var frameCount: Int
  package var chunkCount: Int
  package var warnings: [FaultRecord]

  init(_ job: String, _ submission: JobSubmission, warnings: [FaultRecord]) {
    self.warnings = warnings
    (self.job, output, frameCount) = (job, submission.spec.output, submission.frameCount)
    copies = submission.spec.copies
    chunkCount = submission.tasks.count { $0.kind == .picture }
  }
}
