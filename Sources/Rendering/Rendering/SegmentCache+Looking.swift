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
  /// (decision 0254).
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
    let (policy, scope) = (policy.pinned(to: edit), scope)
    var table = try KeyTable(of: edit, spec, policy, within: scope, in: root)
    // Copied chunks are copied again, which costs little.
    let rendered = frames.filter { edit.timeline.export.copies?.holds($0.indices) != true }
    let (new, states) = (rendered.filter { table[KeyTable.name(of: $0)] == nil }, table.states)
    let keys = try concurrently(new[...], threads: threads) { frames in
      try SegmentKey(frames, of: edit, spec, policy, within: scope, knowing: states)?.text ?? ""
    }
    for (frames, key) in zip(new, keys) { table[KeyTable.name(of: frames)] = key }
    for part in sounds where table[KeyTable.name(of: part)] == nil {
      let key = try SegmentKey(soundOf: edit, in: part?.indices, spec, policy, within: scope)
      table[KeyTable.name(of: part)] = key?.text ?? ""
    }
    table.keep(of: edit, policy)
    let copied = Set(frames).subtracting(rendered)
    return FoundSegments(
      pictures: frames.map { !copied.contains($0) && holds(table[KeyTable.name(of: $0)] ?? "") },
      sounds: sounds.map { holds(table[KeyTable.name(of: $0)] ?? "") })
  }
}
