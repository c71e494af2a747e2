internal import Formats
internal import Media
internal import Messages
internal import Scenes
internal import Timeline

/// Copies the sound of an edit from the track that it plays, packet for packet (decision 0247).
struct SoundCopy {
  let edit: ResolvedTimeline
  let policy: SourcePolicy

  /// Writes the segment file at `path`.
  ///
  /// - Parameters:
  ///   - name: the file's name in the proof.
  ///   - progress: called now and then with the number of samples so far.
  /// - Throws: `MediaError`; a `Failure` where the edit does not play a track alone, or its source is not that of the submission any more.
  func proof(writing path: String, as name: String, progress: (Int64) -> Void) throws -> SoundProof {
    let expected = edit.timeline.export.copies?.soundSampleCount
    switch try edit.soundContent {
    case .other(let reason): throw Failure(.content, at: "export.copies: the sound", reason)
    case .untouched(let sound):
      do {
        let (facts, content) = try edit.copiedSound(sound, policy).copy(to: path, progress: progress)
        guard facts.length == expected else {
          throw MediaError(.unreadable, at: path, "\(facts.length) samples, and \(expected ?? 0) were to be copied")
        }
        return SoundProof(
          sampleCount: facts.length, segment: SegmentProof(file: name, facts: facts, content: content, concealed: []))
      } catch let error as MediaError { throw error.of(sound.asset) }
    }
  }
}

extension ResolvedTimeline {
  /// The packets of a track that a sound plays as it is.
  ///
  /// - Throws: `MediaError`; `unsupported` where they cannot be copied.
  func copiedSound(_ sound: UntouchedSound, _ policy: SourcePolicy) throws(MediaError) -> CopiedSound {
    guard let asset = timeline.assets[sound.asset], let settings = sounds.first?.audio else {
      preconditionFailure("a resolved sound has an asset and settings")
    }
    return try CopiedSound(
      path: asset.path, track: track(sound.trackPosition, of: sound.asset, media: .audio), policy: policy, settings: settings,
      longestPriming: Int64(CopyPlan.mostPriming))
  }
}
