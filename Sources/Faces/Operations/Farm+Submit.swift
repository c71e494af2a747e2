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
      var asked = request
      // The job of a request that is sent again may have written its movie, which is no other one in its place.
      if let id = request.id, try ledger.status(job: id) != nil { asked.overwrites = true }
      let (found, _, warnings) = try planned(asked, reading: media, &assets, warn: warn)
      var submission = found
      submission.spec.overwrites = request.overwrites
      if let former = request.replaces { try replace(former, by: &submission) }
      let job = try ledger.submit(submission)
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

  /// Names in a submission the job that it replaces, unless that has ended, and the tasks of it that make the same.
  private func replace(_ former: String, by submission: inout JobSubmission) throws {
    guard let status = try ledger.status(job: former) else { throw Self.unknown(job: former) }
    guard !status.state.isFinal else { return }
    submission.replaces = former
    // A former edit that cannot be read or compared costs work: its attempts end, and what they did is done again.
    guard let twins = try? twins(of: submission, in: status) else { return }
    for (place, twin) in twins { submission.tasks[place].twin = twin }
  }

  /// The tasks of a job that make what a submission's tasks are to make, by the places of these.
  private func twins(of submission: JobSubmission, in former: JobStatus) throws -> [Int: Int64] {
    // Work that was far on is looked for first. A task that waits may wait for what a job began that the former one replaced.
    let tasks = try ledger.tasks(job: former.id).filter { [.running, .waiting].contains($0.state) }
      .sorted { $0.framesDone > $1.framesDone }
    let running = tasks.compactMap { task in Work(ofPart: task.kind, task.frames, task.samples).map { (id: task.id, work: $0) } }
    guard !running.isEmpty, var spec = try ledger.spec(job: former.id) else { return [:] }
    spec.submitter = former.submitter
    let parts = submission.tasks.enumerated().compactMap { place, task in
      Work(ofPart: task.kind, task.frames, task.samples).map { (place: place, work: $0) }
    }
    let twins = try SegmentTwins(of: submission.spec, in: spec).twins(
      of: parts.map(\.work), among: running.map(\.work), threads: coreCount)
    let found = zip(parts, twins).compactMap { part, twin in twin.map { (part.place, running[$0].id) } }
    return Dictionary(uniqueKeysWithValues: found)
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

extension Work {
  /// The work of a task that makes a part of a movie; nil for all other tasks.
  fileprivate init?(ofPart kind: TaskKind, _ frames: FrameRange?, _ samples: SampleRange?) {
    switch kind {
    case .picture:
      guard let frames else { return nil }
      self = .picture(frames)
    case .sound: self = samples.map { .soundPart($0) } ?? .sound
    case .mux, .publish: return nil
    }
  }
}
