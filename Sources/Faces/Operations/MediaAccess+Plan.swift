internal import Document
internal import EditFiles
internal import Examination
internal import Formats
internal import Ledger
internal import LocalFarm
internal import Media
internal import Messages
internal import Rendering
internal import Scenes
internal import Scheduling
internal import Timeline

extension MediaAccess {
  /// Checks an edit as a render on this machine does, and plans its chunks.
  ///
  /// - Parameters:
  ///   - request: the edit and its movie. The number of slots is the number of workers.
  ///   - data: the path of the data directory of this machine's farm, where chunks are looked for that were rendered before; nil looks for
  ///     none.
  /// - Throws: a complaint for which the edit would not be rendered.
  package func plan(_ request: RenderRequest, data: String?) throws(Complaint) -> PlannedJob {
    try locating { assets in
      let requested = try RequestedEdit(request, reading: self, &assets, isPlan: true)
      let setting = requested.setting
      let file = try EditFile(requested.file, setting, renderingWith: compositors)
      try file.requireEncodersHere()
      let (edit, told) = try file.readied(setting)
      let warnings = (file.warnings + told).map { FaultRecord($0, of: request.document) }
      let submission = try request.submission(of: edit, file.fonts, to: requested.destination)
      guard let data else { return try PlannedJob(submission, of: edit, slots: request.slots, warnings: warnings) }
      let known = try KnownSegments(of: submission, setting, in: data)
      return try PlannedJob(
        submission, of: edit, slots: request.slots, warnings: warnings, soundFound: known.sounds,
        finding: { _ in known.pictures?.map { (isFound: $0, nil) } })
    }
  }
}
