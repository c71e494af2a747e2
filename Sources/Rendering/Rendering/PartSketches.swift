internal import Linux
package import Messages
package import Scenes

/// Likenesses of the parts of a movie: those of parts that are the same are equal, and those of others hardly ever. A chunk's is made of a few of its
/// frames, in a fraction of the time that its key takes. So they may decide what is done first, and nothing else.
package struct PartSketches: Sendable {
  /// Likenesses of the chunks, in the order in which they were asked for; nil where nothing can be said.
  package let pictures: [String?]
  /// Likenesses of the sound or its parts, in the same way.
  package let sounds: [String?]

  /// The number of frames of a chunk that count.
  private static let frameCount = 4

  /// - Parameters:
  ///   - frames: the chunks.
  ///   - sounds: the sound (nil), or the parts of it.
  ///   - edit: the edit of `spec`.
  ///   - threads: the most threads that make them.
  /// - Throws: an error that would keep a part from being rendered, too.
  package init(
    of frames: [FrameRange], sounds: [SampleRange?], in edit: ResolvedTimeline, _ spec: JobSpec, threads: Int
  ) throws {
    let settings = try FrameSettings(of: edit)
    pictures = try concurrently(edit: edit, frames, threads: threads) { reel, frames in
      guard let settings else { return nil }
      return try Self.sketch(of: frames, settings, in: reel)
    }
    self.sounds = try concurrently(sounds[...], threads: threads) { part in
      try SegmentContent(soundOf: edit, in: part?.indices, spec, within: .all)?.digest
    }
  }

  private static func sketch(of frames: FrameRange, _ settings: FrameSettings, in reel: SceneReel) throws -> String? {
    var digest = try KeyDigest("sketch 1", "")
    try digest.add(value: settings)
    digest.add("\(frames.count) \(settings.keyframePhase(of: frames))")
    let (shares, last) = (WrittenShares(), frames.count - 1)
    for index in Set((0..<frameCount).map { frames.first + last * $0 / (frameCount - 1) }).sorted() {
      guard try digest.add(reel.scene(at: index), sharing: shares) else { return nil }
    }
    return digest.text
  }
}
