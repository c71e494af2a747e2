internal import Media
internal import Messages
internal import Scenes

/// Mixes and encodes the whole sound of an edit, in one go.
struct SoundRenderer {
  let edit: ResolvedTimeline
  let policy: SourcePolicy

  /// Writes the segment file at `path`.
  ///
  /// - Parameter progress: called after every block with the number of samples mixed so far, a channel.
  /// - Returns: the facts of the file, the digest of the mix before encoding, and the parts that are silence because a source is
  ///   damaged.
  func render(to path: String, progress: (Int64) -> Void) throws -> (SegmentFacts, ContentDigest, concealed: [Concealment]) {
    guard let settings = edit.audio else { preconditionFailure("the edit has no sound") }
    let mix = try SoundMix(edit: edit, policy: policy)
    let encoder = try AudioEncoder(settings: settings, sampleCount: edit.sampleCount)
    let writer = try SegmentWriter(path: path, parameters: encoder.parameters)
    let hasher = try ContentHasher()
    var done: Int64 = 0
    while let block = try mix.next() {
      for channel in 0..<block.channelCount { unsafe hasher.update(UnsafeRawBufferPointer(block.samples[channel])) }
      try unsafe encoder.encode(block.samples, to: writer)
      done += Int64(block.count)
      progress(done)
    }
    try encoder.finish(to: writer)
    return (try writer.finish(), hasher.digest, mix.concealed)
  }
}
