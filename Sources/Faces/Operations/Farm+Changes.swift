internal import EditFiles
internal import Formats
internal import Ledger
internal import MediaTime
package import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// A job in comparison with an earlier one.
package struct ComparedJob: Hashable, Sendable, Codable {
  package struct Chunk: Hashable, Sendable, Codable {
    package var frames: FrameRange
    /// The time of its first frame in the movie, in seconds.
    package var start: Double
    package var finding: ChunkFinding
  }

  package var job: String
  package var chunks: [Chunk]
  package var comparison: EditChanges
}

extension Farm {
  /// The jobs among which the earlier one is looked for: the newest.
  private static let mostLookedThrough = 1000
  /// The most places that are told in which documents differ.
  private static let mostChanges = 100

  /// Compares a job with an earlier one: which of its chunks show what the earlier job shows, and what differs in the others.
  ///
  /// - Parameter other: the earlier job; nil means the newest one before it with its submitter and output.
  /// - Throws: a complaint of the class `noInput` when there is no such job.
  package func compare(job id: String, with other: String?) throws(Complaint) -> ComparedJob {
    try complaining {
      guard let status = try ledger.status(job: id), let spec = try ledger.spec(job: id) else { throw Self.unknown(job: id) }
      guard let earlier = try other ?? job(before: id, by: status.submitter, to: status.output) else {
        throw Complaint(id, "no earlier job of '\(status.submitter)' writes \(status.output): name one to compare with", .noInput)
      }
      let comparison = try comparison(with: earlier)
      let edit = try spec.unmeasuredEdit
      let frame = edit.videoComposition?.frameDuration.seconds ?? 0
      let ranges = try ledger.tasks(job: id).compactMap(\.frames)
      let findings = try comparison.findings(about: ranges, of: edit, spec.fonts, threads: coreCount)
      let chunks = zip(ranges, findings).map { frames, finding in
        ComparedJob.Chunk(frames: frames, start: Double(frames.first) * frame, finding: ChunkFinding(finding))
      }
      return ComparedJob(
        job: id, chunks: chunks,
        comparison: try changes(from: earlier, to: spec.document, same: chunks.count { $0.finding.kind == .same }))
    }
  }

  /// The newest job of a submitter that writes an output; before a job, where one is named.
  func job(before id: String? = nil, by submitter: String, to output: String) throws -> String? {
    var jobs = try ledger.jobs(limit: Self.mostLookedThrough)[...]
    if let id { jobs = jobs.drop { $0.id != id }.dropFirst() }
    return jobs.first { $0.submitter == submitter && $0.output == output }?.id
  }

  func comparison(with earlier: String) throws -> EditComparison {
    guard let spec = try ledger.spec(job: earlier) else { throw Self.unknown(job: earlier) }
    let chunks = try ledger.tasks(job: earlier).compactMap { task in
      task.frames.map { EditComparison.Chunk($0, isDone: task.state == .done) }
    }
    return try EditComparison(with: spec, chunks)
  }

  func changes(from earlier: String, to document: String, same: Int) throws -> EditChanges {
    guard let spec = try ledger.spec(job: earlier) else { throw Self.unknown(job: earlier) }
    let changes = try EditComparison.changes(from: spec.document, to: document, most: Self.mostChanges)
    return EditChanges(job: earlier, sameChunks: same, changes: changes.map(ValueChange.init))
  }
}
