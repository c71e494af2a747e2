internal import Media
internal import Messages
internal import Rendering
internal import Scenes
internal import Subprocess
internal import Timeline

extension Examiner {
  /// Writes the opening of a track to `file`.
  func writeOpening(of track: PlayedTrack, of spec: JobSpec, to file: Descriptor) throws {
    let edit = try spec.edit
    try confine(AttemptReach(.examines, readable: track.paths))
    for segment in track.segments.prefix(1) {
      try TrackOpening.write(
        of: segment, video: edit.timeline.export.video, frameDuration: track.duration, color: edit.color,
        hdrMetadata: edit.hdrMetadata, to: file.number, progress: signOfLife())
    }
    report(.written([try file.byteCount]))
  }

  /// Writes fragments of a track to `file`.
  func writeFragments(of track: PlayedTrack, _ division: PlayedTrack.Division, to file: Descriptor) throws {
    guard !track.files.isEmpty else { throw Failure(.bug, at: "order", "names no segment file") }
    try confine(AttemptReach(.examines, readable: track.paths))
    let sizes = try TrackFragments(
      track.segments, after: track.beginning?.segment, first: division.first, frameDuration: track.duration
    )
    .write(splitAt: division.starts, number: division.number, to: file.number, progress: signOfLife())
    report(.written(sizes))
  }

  /// A function that reports a sign of life now and then.
  private func signOfLife() -> () -> Void {
    var told = ContinuousClock.now
    return { [report] in
      guard ContinuousClock.now - told >= Self.interval else { return }
      told = .now
      report(.reading)
    }
  }
}
