internal import Document
internal import EditFiles
internal import Examination
package import Formats
package import LocalFarm

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
    let round = RenderRound(farm: self, request: request, media: media, tell: tell)
    // From the round's start on, a signal ends the render in good order.
    guard let rendered = try round.render({ () throws(Complaint) in try interruption() }) else {
      preconditionFailure("nobody wants a newer render")
    }
    return rendered
  }

  /// Renders an edit again and again: now, and whenever its document or one of its media changes. The farm goes on meanwhile. A render
  /// whose edit has changed is given up; its finished chunks are found by the next one.
  ///
  /// - Parameters:
  ///   - done: is given each movie.
  ///   - failed: is given what keeps an edit from being rendered, where a change of its files may mend that.
  /// - Throws: a complaint that no such change mends; of the class `interrupted` when the watch was to end.
  package func watch(
    _ request: RenderRequest, reading media: MediaAccess, tell: @escaping (RenderEvent) throws(Complaint) -> Void,
    done: (RenderedMovie, AssetFacts) throws(Complaint) -> Void, failed: (Complaint) throws(Complaint) -> Void
  ) throws(Complaint) {
    try complaining {
      guard request.document != "-" else { throw Complaint("-", "standard input cannot be watched: name a file", .usage) }
      try request.requireSense()
      let first = try DocumentFile(path: request.document)
      let account = try media.setting(first).account
      let interruption = try interruption()
      let kept = KeptFarm(self, at: try dataPath(), workers: request.slots, account, interruption)
      defer { kept.stop() }
      var isFirst = true
      while true {
        let files = WatchedFiles(ofEdit: request.document)
        do throws(Complaint) {
          var round = RenderRound(farm: self, request: request, media: media, tell: tell)
          (round.kept, round.isStale) = (kept, { !files.changed.isEmpty })
          if let rendered = try round.render({ interruption }) { try done(rendered.movie, rendered.facts) }
        } catch {
          guard error.isOfFiles || error.exit == .usage && !isFirst else { throw error }
          try failed(error)
        }
        isFirst = false
        if files.changed.isEmpty { try tell(.watching(fileCount: files.count)) }
        try tell(.changed(Self.waitForChange(of: files, kept, interruption)))
      }
    }
  }

  /// The seconds between two looks at the files.
  private static let pause = Duration.milliseconds(150)

  /// Waits until files have changed, and until those who write them have paused.
  ///
  /// - Returns: the paths of the files that have changed.
  private static func waitForChange(of files: WatchedFiles, _ kept: KeptFarm, _ interruption: Interruption) throws -> [String] {
    func wait() throws {
      if interruption.wait(pause), try interruption.hasCome() { throw Complaint(faults: [], .interrupted) }
    }
    while files.changed.isEmpty {
      try kept.tend()
      try wait()
    }
    while true {
      let now = files.now
      try wait()
      if now.changed.isEmpty { return files.changed }
    }
  }
}

extension Complaint {
  /// Whether a change of the edit's files, or of the place of its movie, may mend it.
  fileprivate var isOfFiles: Bool { [.badDocument, .noInput, .cannotCreate].contains(exit) }
}

extension WatchedFiles {
  /// The files of the edit whose document is at `path`: of a document that cannot be read, itself alone.
  fileprivate init(ofEdit path: String) {
    // A document that changes while it is read has changed afterwards.
    let document = WatchedFiles([path])
    // One that cannot be read names no files.
    let file = try? DocumentFile(path: path)
    let beside = (file?.document.captionFiles.map(\.path) ?? []) + (file?.document.lottieFiles.map(\.path) ?? [])
    self = document.joined(with: WatchedFiles((file?.assets.map(\.path) ?? []) + beside))
  }
}

extension RenderRequest {
  var slots: Int { workers ?? coreCount }
}
