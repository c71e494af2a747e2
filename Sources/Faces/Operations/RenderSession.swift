internal import Examination
internal import Formats
internal import Glibc
internal import Ledger
internal import LocalFarm
internal import Messages
internal import Remote
internal import Rendering
internal import Scenes

/// One render on the private farm, from the farm's start to its stop, unless the farm is kept for the next render.
struct RenderSession {
  let farm: LocalFarm
  let interruption: Interruption
  let destination: Destination
  /// The paths of the edit's media.
  let sources: [String]
  let directory: DataDirectory
  /// The setting with which media, and the movie, are read.
  let setting: ExaminationSetting
  let warnings: [FaultRecord]
  /// Whether the farm goes on after this render.
  let keepsFarm: Bool
  /// Tells whether a newer render is wanted. This one is then given up.
  let isStale: () -> Bool
  /// Called before a job is submitted to a farm that another process runs.
  let isOthers: () -> Void
  let tell: (RenderEvent) throws(Complaint) -> Void

  typealias Rendered = (job: JobStatus, loudness: SoundLoudness?, reuse: JobReuse?, target: TargetMeasure?, movie: AssetFacts)

  /// - Parameter edit: the job's edit.
  /// - Returns: the job when it has ended, the loudness of its sound, the chunks that were found, how well it meets its target, and the facts of the movie itself, not of
  ///   the edit; nil when a newer render is wanted.
  /// - Throws: a `Complaint` when the job did not end with the movie.
  func render(_ submission: JobSubmission, of edit: ResolvedTimeline, keepsSegments: Bool) throws -> Rendered? {
    var submission = submission
    let door: FarmDoor?
    do {
      door = try directory.account.map { account in
        try FarmDoor(submission, of: edit, to: destination, roots: setting.roots, in: directory, as: account)
      }
    } catch {
      if !keepsFarm { farm.stop() }
      throw error
    }
    if let door { submission.spec.output = door.moviePath }
    defer { door?.close() }
    var speed = RenderingSpeed()
    var watch = JobWatch(farm, interruption, isStale: isStale) { status, seconds throws(Complaint) in
      speed.note(frames: status.framesDone, at: seconds)
      try tell(.progressed(RenderProgress(status, speed), seconds: seconds))
    }
    do {
      guard try submit(submission, &watch) else { throw Self.interrupted }
      switch try watch.follow(submission.id) {
      case .interrupted: throw Self.interrupted
      case .stale:
        try tell(.ended)
        abandon(submission, watch, keepsSegments: false)
        return nil
      case .ended(let status):
        try tell(.ended)
        if let complaint = complaint(about: status) { throw complaint }
        forget(submission.submitter, watch)
        try door?.takeMovie(overwrites: submission.spec.overwrites) { if try interruption.hasCome() { throw Self.interrupted } }
        // The movie is read while the farm stops. It may lie outside the media roots.
        var setting = setting
        setting.roots = ["/"]
        let made = try MadeFolder.made(of: edit, at: destination)
        if let object = destination.object { setting.library = try setting.library?.reading(object) }
        let movies = try (made?.samples ?? [destination.path]).map { try AssetExamination($0, setting) }
        // The movie is done all the same where nobody can tell its loudness.
        let loudness = try? watch.ledger?.loudness(job: submission.id)
        // So it is where nobody can tell what was found, or how well a target was met, as in a database of an earlier program.
        let reuse = try? watch.ledger?.reuse(job: submission.id)
        let target = try? watch.ledger?.target(job: submission.id)  // as above
        leaveFarm(watch)
        let facts = try movies.map { try $0.facts() }
        return (status, loudness, reuse, target, try made?.facts(of: facts) ?? facts[0])
      }
    } catch {
      // The first failure is reported. Failures while clearing up are not, and neither is one of telling.
      try? tell(.ended)
      // The same holds for this.
      if Complaint.isInterruption(error) { try? tell(.interrupted) }
      // The disk is checked before clearing up makes room on it. A full disk causes many errors, and few of them name the disk.
      let isFull = directory.isFull
      abandon(submission, watch, keepsSegments: keepsSegments)
      guard isFull, (error as? Complaint)?.exit != .interrupted, !Self.namesDisk(error) else { throw error }
      let fault = "\(directory.path): the disk is full, or nearly"
      throw Complaint(faults: Complaint(about: error).faults + [fault], .cannotCreate)
    }
  }

  private static func namesDisk(_ error: any Error) -> Bool {
    if case .noRoom = error as? LocalFarmError { true } else { false }
  }

  /// - Returns: whether the job was submitted; false when interrupted.
  private func submit(_ submission: JobSubmission, _ watch: inout JobWatch) throws -> Bool {
    // When another process runs the farm, its workers may be limited to some output folders. This process's own workers write
    // anywhere.
    let workers = try watch.patiently { ledger throws(LedgerError) -> [WorkerStatus] in
      do throws(LedgerError) {
        try ledger.migrate()
      } catch .corrupt(let reason) where farm.isOurs {
        throw .corrupt("\(reason). This farm's data are in \(directory.path); once that folder is away, new ones are made")
      }
      return farm.isOurs ? [] : try ledger.workers()
    }
    guard let workers else { return false }
    if !farm.isOurs { isOthers() }
    var submission = submission
    submission.spec.output = try OutputRoots.path(submission.spec.output, writableBy: workers)
    let job = try watch.patiently { ledger throws(LedgerError) -> String in
      // Nothing of the orphans runs any more: their farm ended before this one could start.
      if farm.isOurs {
        for orphan in try Orphans.cancel(in: ledger) {
          clearAway(orphan.id, output: orphan.output)
          try ledger.forget(submitter: orphan.submitter)
        }
        if directory.account != nil { FarmDoor.removeLeft(in: directory) }
      }
      return try ledger.submit(submission)
    }
    guard let job else { return false }
    submission.spec.output = destination.path
    try tell(.submitted(SubmittedJob(job, submission, warnings: warnings)))
    return true
  }

  /// Cancels the job, leaves the farm and removes what the job's attempts left behind.
  private func abandon(_ submission: JobSubmission, _ watch: JobWatch, keepsSegments: Bool) {
    let job = submission.id
    // When the database cannot be reached, nobody goes on with the job either. The next farm finds it orphaned.
    _ = try? watch.ledger?.cancel(job: job)
    forget(submission.submitter, watch)
    leaveFarm(watch)
    if keepsSegments {
      if directory.account == nil { SegmentStore.removeParts(of: job, output: destination.path) }
    } else {
      clearAway(job, output: submission.spec.output)
    }
  }

  /// Stops the farm unless it is kept.
  private func leaveFarm(_ watch: JobWatch) {
    if !keepsFarm { Self.stop(farm, in: directory, watch.ledger) }
  }

  /// Stops the farm if it is this process's, and removes what finished jobs left in it.
  static func stop(_ farm: LocalFarm, in directory: DataDirectory, _ ledger: PostgreSQLLedger?) {
    let store = FarmStore(directory: directory)
    // Jobs that cannot be listed now are found when the next farm stops.
    let over = farm.isOurs ? try? ledger?.over(among: store.jobs(), endedFor: .zero) : nil
    farm.stop()
    store.clear(over ?? [])
  }

  /// Each render submits under a name of its own, by which orphans are recognised.
  private func forget(_ submitter: String, _ watch: JobWatch) {
    // When this fails, the name is forgotten an hour later, or by the next farm's coordinator.
    try? watch.ledger?.forget(submitter: submitter)
  }

  private var store: FarmStore { FarmStore(directory: directory) }

  /// Removes what a job's attempts left behind.
  private func clearAway(_ job: String, output: String) { store.clear([OverJob(id: job, output: output)]) }

  private static let interrupted = Complaint(faults: [], .interrupted)

  private func complaint(about status: JobStatus) -> Complaint? {
    guard status.state == .failed, let failure = status.failure else { return status.complaint }
    return complaint(about: failure)
  }

  private func complaint(about failure: Failure) -> Complaint {
    // When another movie took the name meanwhile, that is no fault of the edit.
    if failure.place == destination.path { return complaint(about: failure, .cannotCreate) }
    // When a worker's failure is about a medium, an input is missing. Other failures of a worker are about the output.
    let isAboutSource =
      failure.place.hasPrefix("assets.") || sources.contains { failure.place == $0 || failure.place.hasPrefix($0 + " ") }
    guard failure.class == .worker, isAboutSource else { return Complaint(about: failure) }
    return complaint(about: failure, .noInput)
  }

  private func complaint(about failure: Failure, _ exit: ExitClass) -> Complaint {
    var complaint = Complaint(failure.place, failure.reason, exit)
    complaint.cause = failure
    return complaint
  }
}
