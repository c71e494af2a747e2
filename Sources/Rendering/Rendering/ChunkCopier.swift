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

  /// Writes the segment file at `path`.
  ///
  /// - Parameter progress: called after each packet with the number of packets so far.
  /// - Returns: the facts of the file, the digest of the packets, and where the time went.
  /// - Throws: `MediaError`; a `Failure` where the edit does not show a source's pictures alone in these frames.
  func copy(
    to path: String, progress: (Int) -> Void
  ) throws -> (SegmentFacts, ContentDigest, RenderingTimes) {
    let runs = try edit.runs(in: frames.indices)
    guard runs.untouched.count == 1, runs.untouched[0].frames == frames.indices, let run = runs.untouched.first,
      let plan = edit.timeline.export.copies, let asset = edit.timeline.assets[run.asset],
      let frameDuration = edit.videoComposition?.frameDuration
    else {
      let reason = runs.touched.first?.reason ?? "more is shown there than one clip"
      throw Failure(.content, at: "export.copies: frames \(frames.first)..<\(frames.first + frames.count)", reason)
    }
    let copier: PacketCopier
    let opened: Int64
    do throws(MediaError) {
      copier = try PacketCopier(
        path: asset.path, track: edit.track(run.trackPosition, of: run.asset, media: .video), policy: policy,
        settings: edit.timeline.export.video, times: run.times, frameDuration: frameDuration, reorderDepth: plan.reorderDepth)
      opened = MonotonicClock.nanoseconds
      let (facts, content) = try copier.copy(to: path, progress: progress)
      let milliseconds = (opened - began) / 1_000_000, reading = (MonotonicClock.nanoseconds - opened) / 1_000_000
      return (
        facts, content, RenderingTimes(opening: milliseconds, reading: reading, compositing: 0, encoding: 0)
      )
    } catch { throw error.of(run.asset) }
  }
}
