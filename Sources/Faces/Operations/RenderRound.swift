internal import Document
internal import EditFiles
internal import Examination
internal import Formats
internal import Glibc
internal import Ledger
internal import LocalFarm
internal import Media
internal import Messages
internal import Rendering
internal import Scenes
internal import Scheduling
internal import Timeline

/// One render of an edit on a private farm, from the document to the movie.
struct RenderRound {
  let farm: PrivateFarm
  let request: RenderRequest
  let media: MediaAccess
  /// The farm that runs already, and goes on after this render; nil where it is started and stopped here.
  var kept: KeptFarm?
  /// Tells whether a newer render is wanted. This one is then given up.
  var isStale: () -> Bool = { false }
  let tell: (RenderEvent) throws(Complaint) -> Void

  /// - Parameter interruption: makes what notices that the render is to end. It is asked for before any thread starts.
  /// - Returns: the movie, and the facts of its file; nil when a newer render is wanted.
  /// - Throws: a complaint; of the class `interrupted` when the render was to end.
  func render(
    _ interruption: () throws(Complaint) -> Interruption
  ) throws(Complaint) -> (movie: RenderedMovie, facts: AssetFacts)? {
    try locating { assets in
      let requested = try RequestedEdit(request, reading: media, &assets)
      let (examined, setting, began) = (requested.file.assets, requested.setting, ContinuousClock.now)
      guard let destination = requested.destination else { preconditionFailure("only a plan has no place for its movie") }
      try requireUse(of: destination, and: requested.copies, setting)
      let interruption = try interruption()
      let examination = try AssetExamination(examined, setting)
      let running = try kept ?? KeptFarm(farm, at: farm.dataPath(), workers: request.slots, setting.account, interruption)
      startEarly(running, requested, destination)
      var (submission, edit, warnings): (JobSubmission, ResolvedTimeline, [FaultRecord])
      var parts: KnownParts?
      do {
        (submission, edit, warnings) = try readied(requested, to: destination, examination, interruption)
        try tell(.checked(warnings))
        if request.reuses {
          let directory = try running.directory().path
          let movie = try KnownSegments.movie(of: submission, request, at: destination, setting, in: directory) {
            // An interruption that cannot be asked for is told by the job.
            (try? interruption.hasCome()) == false
          }
          if let movie {
            if kept == nil { running.drop() }
            var standing = try RenderedMovie.standing(movie, at: destination.path, setting, since: began)
            if !warnings.isEmpty { standing.movie.warnings = warnings }
            return standing
          }
          parts = try KnownParts(of: submission, edit, in: running.directory())
          parts?.order(&submission)
        }
      } catch {
        // The failure is reported, whether or not this could be told.
        if Complaint.isInterruption(error) { try? tell(.interrupted) }
        if kept == nil { running.drop() }
        throw error
      }
      let session = RenderSession(
        farm: try running.start(), interruption: interruption, destination: destination, sources: examined.map(\.path),
        directory: try running.directory(), setting: setting, warnings: warnings, keepsFarm: kept != nil, isStale: isStale,
        isOthers: {
          guard !request.reuses else { return }
          farm.notice(
            "warning: --no-reuse: another process runs this machine's farm, and its own setting says what is taken of earlier renders"
          )
        }, tell: tell)
      guard let done = try session.render(submission, of: edit, keepsSegments: request.keepsSegments) else { return nil }
      parts?.note()
      var movie = RenderedMovie(done.job, at: destination.path, facts: done.movie, loudness: done.loudness, reuse: done.reuse)
      movie.target = done.target
      movie.copies = try destination.copy(
        to: requested.copies, edit, job: done.job.id, overwrites: request.overwrites
      ) {
        if try interruption.hasCome() { throw Complaint(faults: [], .interrupted) }
      }
      return (movie, done.movie)
    }
  }

  /// Starts the farm while the media are examined, with three exceptions. It does not start when the edit is already known to be refused, as after
  /// a misspelt name. Nor does it start when that would make a database, because a refused edit must leave nothing new. Nor where the movie
  /// is newer than its document: then there may be nothing to do.
  private func startEarly(_ running: KeptFarm, _ requested: RequestedEdit, _ destination: Destination) {
    let file = requested.file
    guard file.document.faults == nil, file.namesFiles(below: requested.setting.roots), !mayStand(at: destination),
      DataDirectory.holdsDatabase(running.path)
    else { return }
    // An error of the start comes again, and is reported, once the farm has work.
    try? running.start().begin()
  }

  /// The job of an edit whose media are examined, and what its user is warned of.
  private func readied(
    _ requested: RequestedEdit, to destination: Destination, _ examination: AssetExamination, _ interruption: Interruption
  ) throws -> (JobSubmission, ResolvedTimeline, [FaultRecord]) {
    let setting = requested.setting
    let found = try edit(requested.file, examination: examination, setting: setting, interruption: interruption)
    for place in requested.places {
      try place.requireCaptions(
        of: found.edit, overwrites: request.overwrites, sources: requested.sources, isPiped: request.isPiped)
    }
    let (edit, told) = try found.readied(setting) {
      if try interruption.hasCome() { throw Complaint(faults: [], .interrupted) }
    }
    let warnings = (found.warnings + told).map { FaultRecord($0, of: request.document) } + requested.warnings
    return (try request.submission(of: edit, found.fonts, to: destination), edit, warnings)
  }

  /// Refuses places that the movie cannot be written to.
  private func requireUse(
    of destination: Destination, and copies: [Destination], _ setting: ExaminationSetting
  ) throws(Complaint) {
    guard copies.isEmpty || destination.object == nil else {
      throw Complaint(request.output, "is in S3: of several places, name a file of this machine first", .usage)
    }
    try destination.requireCredentials(isOtherUser: setting.account != nil)
    for copy in copies { try copy.requireCredentials(isOtherUser: false) }
  }

  /// Whether a movie lies at its place that was written after the edit's document.
  private func mayStand(at destination: Destination) -> Bool {
    var (movie, document) = (stat(), stat())
    guard request.reuses, unsafe stat(destination.path, &movie) == 0, unsafe stat(request.document, &document) == 0 else {
      return false
    }
    return (movie.st_mtim.tv_sec, movie.st_mtim.tv_nsec) > (document.st_mtim.tv_sec, document.st_mtim.tv_nsec)
  }

  private func edit(
    _ file: DocumentFile, examination: AssetExamination, setting: ExaminationSetting, interruption: Interruption
  ) throws -> EditFile {
    while true {
      if let assets = try examination.advance(within: 100) {
        let found = try EditFile(file, assets, setting, renderingWith: media.compositors)
        try found.requireEncodersHere()
        return found
      }
      if try interruption.hasCome() { throw Complaint(faults: [], .interrupted) }
    }
  }
}

extension RenderRequest {
  /// The job that this request makes of an edit.
  func submission(
    of edit: ResolvedTimeline, _ fonts: [FontFace], to destination: Destination?
  ) throws -> JobSubmission {
    let options = ChunkPlan.Options(parallelism: slots, chunkFrames: chunkFrames)
    return JobSubmission(
      edit: edit, fonts: fonts, plan: try ChunkPlan.make(timeline: edit, options), output: destination?.path ?? "",
      overwrites: overwrites, keepsSegments: keepsSegments, submitter: Orphans.ownName,
      isDivisible: isDivisible && chunkFrames == nil)
  }
}
