internal import Document
internal import EditFiles
internal import Examination
package import Formats
internal import FoundationEssentials
internal import Ledger
package import LocalFarm
internal import Media
internal import Rendering
internal import Scenes
internal import Scheduling
internal import Subprocess
internal import Timeline

/// This machine's own farm, which is started, used and stopped for a render. The face decides where it keeps its data, and how
/// its processes are started.
package struct PrivateFarm {
  /// The path of the data directory. It is asked for when the farm is about to be started.
  package var dataPath: () throws(Complaint) -> String
  /// The arguments of the farm's processes, which are this program.
  package var roles: (DataDirectory) -> LocalFarm.Roles
  /// Makes what notices that the render is to end. It is asked for before any thread starts.
  package var interruption: () throws(Complaint) -> Interruption
  /// Is given notices about a start that takes long.
  package var notice: @Sendable (String) -> Void

  package init(
    dataPath: @escaping () throws(Complaint) -> String, roles: @escaping (DataDirectory) -> LocalFarm.Roles,
    interruption: @escaping () throws(Complaint) -> Interruption, notice: @escaping @Sendable (String) -> Void
  ) {
    (self.dataPath, self.roles, self.interruption, self.notice) = (dataPath, roles, interruption, notice)
  }

  /// Renders an edit into a movie, which appears under its name when it is complete.
  ///
  /// - Parameter tell: is told what happens meanwhile.
  /// - Returns: the movie, and the facts of its file.
  /// - Throws: a complaint; of the class `interrupted` when the render was to end.
  package func render(
    _ request: RenderRequest, reading media: MediaAccess, tell: @escaping (RenderEvent) throws(Complaint) -> Void
  ) throws(Complaint) -> (movie: RenderedMovie, facts: AssetFacts) {
    try locating { assets in
      try request.requireSense()
      let destination = try Destination(request.output, overwrites: request.overwrites, mayBeSequence: true)
      let file = try DocumentFile(path: request.document).wishing(
        preset: request.knownPreset, fileType: destination.fileType, names: destination.names?.pattern)
      assets = file.assets
      try destination.requireName(for: file.document)
      try destination.requireNone(of: assets.map(\.path) + [request.document])
      let setting = try media.setting(file)
      // From here on, a signal ends the render in good order.
      let interruption = try interruption()
      let examination = try AssetExamination(file.assets, setting)
      let dataPath = try dataPath()
      let start = { try self.farm(at: dataPath, workers: request.slots, setting.account, interruption) }
      // The farm starts while the media are examined, with two exceptions. It does not start when the edit is already known to be
      // refused, as after a misspelt name. Nor does it start when that would make a database, because a refused edit must leave
      // nothing new.
      let isPromising = file.document.faults == nil && file.namesFiles(below: setting.roots)
      let early = try isPromising && DataDirectory.holdsDatabase(dataPath) ? start() : nil
      // An error of the start comes again, and is reported, once the farm has work.
      try? early?.farm.tend()
      let (submission, warnings): (JobSubmission, [FaultRecord])
      do {
        let found = try Self.edit(file, examination, media, setting, interruption)
        let (edit, told) = try found.readied(setting) {
          if try interruption.hasCome() { throw Complaint(faults: [], .interrupted) }
        }
        submission = try Self.submission(of: edit, found.fonts, request, to: destination)
        warnings = (found.warnings + told).map { FaultRecord($0, of: request.document) }
        try tell(.checked(warnings))
      } catch {
        early?.farm.stop()
        throw error
      }
      let (directory, farm) = try early ?? start()
      let session = RenderSession(
        farm: farm, interruption: interruption, destination: destination, sources: file.assets.map(\.path), directory: directory,
        setting: setting, warnings: warnings, tell: tell)
      let done = try session.render(submission, keepsSegments: request.keepsSegments)
      return (RenderedMovie(done.job, at: destination.path, done.movie, done.loudness, done.reuse), done.movie)
    }
  }

  private func farm(
    at path: String, workers: Int, _ account: Account?, _ interruption: Interruption
  ) throws -> (directory: DataDirectory, farm: LocalFarm) {
    let directory = try DataDirectory(making: path, for: account)
    let patience = StartPatience(interruption: interruption.descriptor, notice: notice)
    var environment = ProcessInfo.processInfo.environment
    if account != nil { environment["SPOOL_CACHE"] = directory.cache }
    let farm = LocalFarm(
      directory, workers: workers, roles: roles(directory), environment: environment,
      prepare: { url in
        // The submission migrates as well, and reports why it cannot.
        do { try PostgreSQLLedger(url: url, role: "render").migrate() } catch { return false }
        return true
      }, patience: patience)
    return (directory, farm)
  }

  private static func edit(
    _ file: DocumentFile, _ examination: AssetExamination, _ media: MediaAccess, _ setting: ExaminationSetting,
    _ interruption: Interruption
  ) throws -> EditFile {
    while true {
      if let assets = try examination.advance(within: 100) {
        let found = try EditFile(file, assets, setting, renderingWith: media.compositors)
        try found.requireEncoders { Encoders.have($0) ? nil : "this machine's FFmpeg has no encoder '\($0)'" }
        return found
      }
      if try interruption.hasCome() { throw Complaint(faults: [], .interrupted) }
    }
  }

  private static func submission(
    of edit: ResolvedTimeline, _ fonts: [FontFace], _ request: RenderRequest, to destination: Destination
  ) throws -> JobSubmission {
    let options = ChunkPlan.Options(parallelism: request.slots, chunkFrames: request.chunkFrames)
    return JobSubmission(
      edit: edit, fonts: fonts, plan: try ChunkPlan.make(timeline: edit, options), output: destination.path,
      overwrites: request.overwrites, keepsSegments: request.keepsSegments, submitter: Orphans.ownName,
      isDivisible: request.isDivisible && request.chunkFrames == nil)
  }
}

extension RenderRequest {
  fileprivate var slots: Int { workers ?? coreCount }
}
