internal import Media
internal import Messages
internal import Timeline

/// Mixes and encodes the whole sound of an edit, once (decision D4).
struct SoundRenderer {
  let edit: ResolvedTimeline
  let policy: SourcePolicy

  /// Writes the segment file at `path`.
  ///
  /// - Parameter progress: called after every block with the samples mixed so far.
  func render(to path: String, progress: (Int64) -> Void) throws -> (SegmentFacts, ContentDigest) {
    guard let settings = edit.audio else { preconditionFailure("the edit has no sound") }
    let mix = try SoundMix(edit: edit, policy: policy)
    let encoder = try AudioEncoder(settings: settings, sampleCount: edit.sampleCount)
    let writer = try SegmentWriter(path: path, parameters: encoder.parameters)
    let hasher = try ContentHasher()
    var done: Int64 = 0
    while let block = try mix.next() {
      for channel in block { unsafe channel.withUnsafeBytes { unsafe hasher.update($0) } }
      try unsafe withBuffers(of: block[...], []) { channels throws(MediaError) in try unsafe encoder.encode(channels, to: writer)
      }
      done += Int64(block[0].count)
      progress(done)
    }
    try encoder.finish(to: writer)
    return (try writer.finish(), hasher.digest)
  }
}

/// Calls `body` with all the arrays' storage at once.
private func withBuffers(
  of arrays: ArraySlice<[Float]>, _ buffers: [UnsafeBufferPointer<Float>],
  _ body: ([UnsafeBufferPointer<Float>]) throws(MediaError) -> Void
) throws(MediaError) {
  guard let first = arrays.first else { return try unsafe body(buffers) }
  var failure: MediaError?
  unsafe first.withUnsafeBufferPointer { buffer in
    do throws(MediaError) {
      try unsafe withBuffers(of: arrays.dropFirst(), buffers + [buffer], body)
    } catch {
      failure = error
    }
  }
  if let failure { throw failure }
}
