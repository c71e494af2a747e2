internal import Media
internal import Messages
internal import Scenes

/// Mixes and encodes the whole sound of an edit, in one go.
struct SoundRenderer {
  let edit: ResolvedTimeline
  let policy: SourcePolicy

  /// Writes the segment file at `path`.
  ///
  /// - Parameter progress: called after every block with the number of samples mixed so far, a channel, and with the number of all
  ///   that will be mixed. Sound that is measured first is mixed more than once.
  /// - Returns: the facts of the file, the digest of the samples before encoding, and the sound, which is at its end.
  func render(
    to path: String, progress: (_ done: Int64, _ total: Int64) -> Void
  ) throws -> (SegmentFacts, ContentDigest, MasteredSound) {
    guard let settings = edit.audio else { preconditionFailure("the edit has no sound") }
    let sound = try MasteredSound(edit: edit, policy: policy, progress: progress)
    let encoder = try AudioEncoder(settings: settings, sampleCount: edit.sampleCount)
    let writer = try SegmentWriter(path: path, parameters: encoder.parameters)
    let hasher = try ContentHasher()
    var done = sound.samplesBefore
    let total = try done + edit.sampleCount
    while let block = try sound.next() {
      for channel in 0..<block.channelCount { unsafe hasher.update(UnsafeRawBufferPointer(block.samples[channel])) }
      try unsafe encoder.encode(block.samples, to: writer)
      done += Int64(block.count)
      progress(done, total)
    }
    try encoder.finish(to: writer)
    return (try writer.finish(), hasher.digest, sound)
  }
}
