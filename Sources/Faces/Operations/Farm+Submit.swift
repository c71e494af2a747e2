internal import EditFiles
internal import Formats
internal import Glibc
internal import Ledger
internal import Media
internal import Messages
internal import PlainText
internal import Rendering
internal import Scenes
internal import Scheduling
internal import Timeline

extension Farm {
  /// Checks an edit and enters it as a job.
  ///
  /// - Parameter warn: is told each warning as soon as it is known. All of them are in the result, too.
  /// - Throws: a complaint about the request, the document, its media, the output or the farm.
  package func submit(
    _ request: SubmitRequest, reading media: MediaAccess, warn: (FaultRecord) throws(Complaint) -> Void
  ) throws(Complaint) -> SubmittedJob {
    try locating { assets in
      let (submission, _, warnings) = try planned(request, reading: media, &assets, warn: warn)
      let isCancelled = try request.replaces.map(giveUp) ?? false
      let job: String
      do { job = try ledger.submit(submission) } catch {
        guard isCancelled, let former = request.replaces else { throw error }
        var complaint = Complaint(about: error)
        let reason = "is cancelled, and nothing replaces it: 'spool retry \(former)' goes on with it"
        complaint.told += Complaint(former, reason, complaint.exit).told
        throw complaint
      }
      if request.id != nil { try requireSame(submission) }
      return SubmittedJob(job, submission, warnings: warnings)
    }
  }

  /// Checks an edit as `submit` does, compares it with an earlier job, and enters nothing.
  package func plan(_ request: SubmitRequest, reading media: MediaAccess) throws(Complaint) -> PlannedJob {
    try locating { assets in
      let (submission, options, warnings) = try planned(request, reading: media, &assets, isPlan: true) { _ in }
      return try compared(submission, options, warnings, against: request.against)
    }
  }

  /// The plan of a submission, in comparison with an earlier job.
  private func compared(
    _ submission: JobSubmission, _ options: ChunkPlan.Options, _ warnings: [FaultRecord], against other: String?
  ) throws -> PlannedJob {
    let spec = submission.spec
    let edit = try spec.edit
    let earlier = try other ?? (spec.output.isEmpty ? nil : job(by: submission.submitter, to: spec.output))
    let past: EditComparison? = if let earlier { try comparison(with: earlier) } else { nil }
    let paces = (
      pictures: try ledger.expectedSecondsPerCost(work: edit.work),
      sound: try ledger.expectedSecondsPerCost(work: TaskKind.sound.rawValue)
    )
    var planned = try PlannedJob(
      submission, of: edit, slots: options.parallelism, slowness: paces.pictures, soundSlowness: paces.sound, warnings: warnings,
      finding: { chunks in
        try past?.findings(about: chunks, of: edit, spec.fonts, threads: coreCount).map { finding in
          let found = ChunkFinding(finding)
          return (found.kind == .same, found)
        }
      })
    if let earlier {
      let same = planned.chunks.count { $0.isFound == true }
      planned.comparison = try changes(from: earlier, to: spec.document, same: same)
    }
    return planned
  }

  /// Cancels a job that another one replaces.
  ///
  /// - Returns: whether it had not ended before.
  private func giveUp(_ job: String) throws -> Bool {
    guard let status = try ledger.status(job: job) else { throw Self.unknown(job: job) }
    guard !status.state.isFinal else { return false }
    return try ledger.cancel(job: job) != nil
  }

  /// Refuses a request with the id of another job: its answer would tell of a job that was not asked for.
  private func requireSame(_ submission: JobSubmission) throws {
    guard let spec = try ledger.spec(job: submission.id) else { return }
    let isSame = spec.document == submission.spec.document && spec.places == submission.spec.places
    guard isSame else { throw Complaint("id", "was given to another request before, with job \(submission.id)", .differs) }
  }

  private func planned(
    _ request: SubmitRequest, reading media: MediaAccess, _ assets: inout [ProbedAssets.Asset], isPlan: Bool = false,
    warn: (FaultRecord) throws(Complaint) -> Void
  ) throws -> (JobSubmission, ChunkPlan.Options, warnings: [FaultRecord]) {
    let requested = try RequestedEdit(request, reading: media, &assets, isPlan: isPlan)
    let setting = requested.setting
    let file = try EditFile(requested.file, setting)
    try file.requireParameters(media.compositors)
    for place in requested.places {
      try place.requireCaptions(of: file.edit, overwrites: request.overwrites, sources: requested.sources)
    }
    var warnings = file.warnings.map { FaultRecord($0, of: request.document) } + requested.warnings
    for warning in warnings { try warn(warning) }
    let workers = try ledger.workers()
    let places = try OutputRoots.paths(requested.places.map(\.path), writableBy: workers)
    if workers.isEmpty, let place = places.first {
      warnings.append(OutputRoots.untold(place))
      try warn(OutputRoots.untold(place))
    }
    // Workers that are away count too: a farm may start its workers only when there is work.
    let known = Set(workers.flatMap(\.capabilities.tags))
    try file.requireCompositors { name in
      known.contains(Capabilities.tag(ofCompositor: name)) ? nil : "no worker of the farm has compositor '\(name)'"
    }
    if !workers.isEmpty {
      try file.requireEncoders { name in
        known.contains(Capabilities.tag(ofEncoder: name)) ? nil : "no worker of the farm has encoder '\(name)' in its FFmpeg"
      }
    }
    let (edit, told) = try file.readied(setting)
    for warning in told.map({ FaultRecord($0, of: request.document) }) {
      warnings.append(warning)
      try warn(warning)
    }
    let parallelism = request.slots ?? max(1, workers.filter(\.isAlive).reduce(0) { $0 + $1.slots })
    let options = ChunkPlan.Options(
      parallelism: parallelism, chunkFrames: request.chunkFrames, slowness: try ledger.slowness(of: edit.work))
    return (try submission(of: edit, file.fonts, request, options, places: places), options, warnings)
  }

  private func submission(
    of edit: ResolvedTimeline, _ fonts: [FontFace], _ request: SubmitRequest, _ options: ChunkPlan.Options,
    places: [String]
  ) throws -> JobSubmission {
    var submission = JobSubmission(
      edit: edit, fonts: fonts, plan: try ChunkPlan.make(timeline: edit, options), output: places.first ?? "",
      overwrites: request.overwrites, keepsSegments: request.keepsSegments,
      submitter: try request.submitter ?? ledger.ownSubmitter() ?? Self.userAndHost, priority: request.priority,
      needs: Capabilities(tags: request.tags, memory: request.memory ?? 0),
      isDivisible: request.isDivisible && request.chunkFrames == nil)
    submission.spec.copies = places.count > 1 ? Array(places.dropFirst()) : nil
    if let id = request.id { submission.id = id }
    return submission
  }

  /// The name of whoever runs this program: USER@HOST.
  package static var userAndHost: String {
    // getpwuid is not thread-safe. The entry is copied at once, and no other thread runs.
    let user = unsafe getpwuid(getuid()).map { unsafe String(cString: $0.pointee.pw_name) } ?? String(getuid())
    return "\(user)@\(hostName)".plain
  }
}
