internal import Formats
internal import Linux
internal import Media
internal import Messages
internal import Scenes
internal import Timeline

/// Copies one chunk from the source that it shows, packet for packet.
struct ChunkCopier {
  let edit: ResolvedTimeline
  let frames: FrameRange
  let policy: SourcePolicy
  /// The start of the attempt, on the monotonic clock, in nanoseconds.
  let began: Int64

  /// Writes the segment file at `path`. Stills are made of the frames that are copied, which are decoded for that.
  ///
  /// - Parameter progress: called after each packet with the number of packets so far.
  /// - Returns: the facts of the file, the digest of the packets, the stills, and where the time went.
  /// - Throws: `MediaError`; a `Failure` where the edit does not show a source's pictures alone in these frames.
  func copy(
    to path: String, progress: (Int) -> Void
  ) throws -> (SegmentFacts, ContentDigest, stills: [FurtherPicture], RenderingTimes) {
    let runs = try edit.runs(in: frames.indices)
    guard runs.untouched.count == 1, runs.untouched[0].frames == frames.indices, let run = runs.untouched.first,
      let plan = edit.timeline.export.copies, let asset = edit.timeline.assets[run.asset],
      let frameDuration = edit.videoComposition?.frameDuration
    else {
      let reason = runs.touched.first?.reason ?? "more is shown there than one clip"
      throw Failure(.content, at: "export.copies: frames \(frames.first)..<\(frames.first + frames.count)", reason)
    }
    let stills = try StillEncoder(edit, stream: 1, first: frames.first)
    do {
      let copier = try PacketCopier(
        path: asset.path, track: edit.track(run.trackPosition, of: run.asset, media: .video), policy: policy,
        settings: edit.timeline.export.video, times: run.times, frameDuration: frameDuration, reorderDepth: plan.reorderDepth)
      let opened = MonotonicClock.nanoseconds
      let (facts, content) = try copier.copy(
        to: path, beside: stills?.encoders.map(\.parameters) ?? [], progress: progress,
        fill: { if let stills { try fill(stills, $0) { progress(frames.count) } } })
      let milliseconds = (opened - began) / 1_000_000, reading = (MonotonicClock.nanoseconds - opened) / 1_000_000
      return (
        facts, content, stills?.proofs ?? [], RenderingTimes(opening: milliseconds, reading: reading, compositing: 0, encoding: 0)
      )
    } catch let error as MediaError { throw error.of(run.asset) }
  }

  private func fill(_ stills: StillEncoder, _ writer: SegmentWriter, progress: () -> Void) throws {
    let renderer = PictureRenderer(edit: edit, policy: policy)
    for number in stills.numbers(in: frames.indices) {
      try stills.encode(renderer.frame(number), number: number, to: writer)
      progress()
    }
    try stills.finish(to: writer)
  }
}
