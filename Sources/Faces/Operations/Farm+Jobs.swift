internal import Document
internal import Formats
package import Ledger
internal import Messages
internal import Rendering
internal import Scenes
internal import Timeline

/// A change of a job that somebody asks for.
package enum JobSteering: Hashable, Sendable, Codable {
  case cancel
  /// Begins none of the job's tasks until it is resumed. What runs goes on.
  case pause, resume
  case prioritise(level: Int)
  /// Renders what a failed or cancelled job lacks. With an output, the movie goes to another file; that also works for a job that
  /// has not ended, until its mux has begun. Further places are then those that are named, too.
  case retry(output: String? = nil, copies: [String] = [])

  package static let priorities = -1000...1000

  static func requirePriority(_ priority: Int) throws(Complaint) -> Int {
    guard priorities.contains(priority) else {
      throw Complaint(
        "priority", "is to be from \(priorities.lowerBound) to \(priorities.upperBound), not \(priority)", .usage)
    }
    return priority
  }
}

/// A job after a change that was asked for, now or before.
package struct SteeredJob: Hashable, Sendable, Codable {
  package var job: String
  package var state: JobState
  package var priority: Int
  package var isPaused: Bool
  /// The path of the movie.
  package var output: String
  /// The further places of the movie; nil where there are none.
  package var copies: [String]?
  /// Whether the job had ended before, and is queued again.
  package var isQueuedAgain: Bool
}

extension Farm {
  /// - Throws: a complaint of the class `noInput` when there is no such job, and of `differs` when it is in no state for the
  ///   change.
  package func steer(job: String, _ steering: JobSteering) throws(Complaint) -> SteeredJob {
    try complaining {
      switch steering {
      case .cancel: try cancel(job)
      case .pause: try change(job, .pause)
      case .resume: try change(job, .resume)
      case .prioritise(let level): try change(job, .prioritise(JobSteering.requirePriority(level)))
      case .retry(output: nil, copies: _): try change(job, .retry, isRetry: true)
      case .retry(output: let output?, let copies): try retry(job, writing: output, copies)
      }
    }
  }

  private func cancel(_ job: String) throws -> SteeredJob {
    guard try ledger.cancel(job: job) != nil, let status = try ledger.status(job: job) else { throw Self.unknown(job: job) }
    guard status.state == .cancelled else { throw Complaint(job, "has ended: \(status.state.rawValue)", .differs) }
    return SteeredJob(status, isQueuedAgain: false)
  }

  private func change(_ job: String, _ change: JobChange, isRetry: Bool = false) throws -> SteeredJob {
    guard let isChanged = try ledger.change(job: job, change), let status = try ledger.status(job: job) else {
      throw Self.unknown(job: job)
    }
    guard isChanged else { throw Complaint(job, "is \(status.state.rawValue)", .differs) }
    return SteeredJob(status, isQueuedAgain: isRetry)
  }

  /// The new places are checked as those of a submission are.
  private func retry(_ job: String, writing output: String, _ copies: [String]) throws -> SteeredJob {
    guard let spec = try ledger.spec(job: job) else { throw Self.unknown(job: job) }
    let destination = try Destination(output, overwrites: spec.overwrites, isMovie: true)
    let document = try Document(Array(spec.document.utf8))
    try destination.requireName(for: document)
    if let names = document.export.pictureNames, names.pattern != destination.files?.pattern {
      throw Complaint(output, "the job's pictures are named \(names.pattern): end the path in it", .usage)
    }
    let sources = document.assets.values.map(\.path)
    try destination.requireNone(of: sources)
    let places =
      try [destination] + destination.copies(copies, of: document, overwrites: spec.overwrites, sources: sources)
    // What could not be checked here is seen when a worker writes.
    for place in places { _ = try place.requireObject(for: document, overwrites: spec.overwrites) }
    // A document that this program cannot read any more fails the job's attempts, with the reason.
    if let edit = try? spec.edit {
      for place in places { try place.requireCaptions(of: edit, overwrites: spec.overwrites, sources: sources) }
    }
    let paths = try OutputRoots.paths(places.map(\.path), writableBy: try ledger.workers())
    let isOver = try ledger.status(job: job)?.state.isFinal ?? true
    return try change(job, .retryWriting(to: paths[0], copies: Array(paths.dropFirst())), isRetry: isOver)
  }
}

extension SteeredJob {
  fileprivate init(_ status: JobStatus, isQueuedAgain: Bool) {
    (job, state, priority, isPaused) = (status.id, status.state, status.priority, status.isPaused)
    (output, self.isQueuedAgain) = (status.output, isQueuedAgain)
    copies = status.copies?.map(\.output)
  }
}
