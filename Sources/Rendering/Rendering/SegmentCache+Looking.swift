internal import Glibc
internal import Linux
package import Media
package import Messages
package import Scenes
internal import Timeline

/// The segments of an edit that would be found in a cache now, by a worker that runs this program and sees the media as this process does.
package struct FoundSegments: Sendable {
  /// Whether each chunk would be found, in the order in which they were asked for.
  package let pictures: [Bool]
  /// The same of the sound or its parts.
  package let sounds: [Bool]
}

extension SegmentCache {
  /// Looks for the segments of an edit. Where an edit was looked for before, and it and its media are as they were, its keys are known
  /// (decision 0261).
  ///
  /// - Parameters:
  ///   - frames: its chunks.
  ///   - sounds: its sound (nil), or the parts of it.
  ///   - edit: the edit of `spec`.
  ///   - policy: where media may be read.
  ///   - threads: the most threads that make keys.
  /// - Throws: an error that would keep a segment from being rendered, too.
  package func found(
    _ frames: [FrameRange], sounds: [SampleRange?], of edit: ResolvedTimeline, _ spec: JobSpec, _ policy: SourcePolicy,
    threads: Int
  ) throws -> FoundSegments {
    var facts = stat()
    guard unsafe stat(root, &facts) == 0 else {
      // Nothing was ever kept here.
      return FoundSegments(pictures: frames.map { _ in false }, sounds: sounds.map { _ in false })
    }
    var keyed = KeyedEdit(edit, spec, policy, in: self)
    // Copied chunks and sounds are copied again, which costs little.
    let copies = edit.timeline.export.copies
    let rendered = frames.filter { copies?.holds($0.indices) != true }
    let mixed = copies?.soundSampleCount == nil ? sounds : []
    let works = rendered.map { Work.picture($0) } + mixed.map { $0.map { .soundPart($0) } ?? .sound }
    let isHeld = try keyed.keys(of: works, threads: threads).map { key in key.map(holds) ?? false }
    let held = Set(zip(rendered, isHeld).filter(\.1).map(\.0))
    let heard = mixed.isEmpty ? sounds.map { _ in false } : Array(isHeld.dropFirst(rendered.count))
    return FoundSegments(pictures: frames.map(held.contains), sounds: heard)
  }
}
