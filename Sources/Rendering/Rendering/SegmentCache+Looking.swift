internal import Glibc
package import Media
package import Messages
package import Scenes
internal import Timeline

extension SegmentCache {
  /// Whether a chunk would be found here now, by a worker that runs this program and sees the media as this process does.
  ///
  /// - Parameters:
  ///   - edit: the edit of `spec`.
  ///   - policy: where media may be read.
  /// - Throws: an error that would keep the chunk from being rendered, too.
  package func holds(_ frames: FrameRange, of edit: ResolvedTimeline, _ spec: JobSpec, _ policy: SourcePolicy) throws -> Bool {
    // Copied chunks are copied again, which costs little.
    guard edit.timeline.export.copies?.holds(frames.indices) != true else { return false }
    let key = try SegmentKey(frames, of: edit, spec, policy.pinned(to: edit), within: scope)
    return key.map { holds($0.text) } ?? false
  }

  /// Whether the sound, or a part of it, would be found here.
  package func holdsSound(
    _ part: SampleRange?, of edit: ResolvedTimeline, _ spec: JobSpec, _ policy: SourcePolicy
  ) throws -> Bool {
    let key = try SegmentKey(soundOf: edit, in: part?.indices, spec, policy.pinned(to: edit), within: scope)
    return key.map { holds($0.text) } ?? false
  }
}
