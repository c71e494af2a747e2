internal import Glibc
internal import Linux
package import Media
package import Messages
package import Scenes
internal import Timeline

/// The segments of an edit that would be found in a cache now, by a worker that runs this program and sees the media as this process does.
package struct FoundSegments: Sendable {
  /// The proofs of the chunks, in the order in which they were asked for; nil for one that would not be found.
  let pictureProofs: [PictureProof?]
  /// The same of the sound or its parts.
  let soundProofs: [SoundProof?]

  /// Whether each chunk would be found.
  package var pictures: [Bool] { pictureProofs.map { $0 != nil } }
  package var sounds: [Bool] { soundProofs.map { $0 != nil } }

  /// All segments; nil where one would not be found.
  var joined: JoinedSegments? {
    let (pictures, sounds) = (pictureProofs.compactMap(\.self), soundProofs.compactMap(\.self))
    return pictures.count == pictureProofs.count && sounds.count == soundProofs.count ? JoinedSegments(pictures, sounds) : nil
  }
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
      return FoundSegments(pictureProofs: frames.map { _ in nil }, soundProofs: sounds.map { _ in nil })
    }
    var keyed = KeyedEdit(edit, spec, policy, in: self)
    // Copied chunks and sounds are copied again, which costs little.
    let copies = edit.timeline.export.copies
    let rendered = frames.filter { copies?.holds($0.indices) != true }
    let mixed = copies?.soundSampleCount == nil ? sounds : []
    let works = rendered.map { Work.picture($0) } + mixed.map { $0.map { .soundPart($0) } ?? .sound }
    let kept = try keyed.keys(of: works, threads: threads).map { $0.flatMap(held) }
    var pictures: [FrameRange: PictureProof] = [:]
    for (frames, proof) in zip(rendered, kept) {
      if case .picture(let proof) = proof { pictures[frames] = placed(proof, at: frames) }
    }
    let heard = kept.dropFirst(rendered.count).map { proof -> SoundProof? in
      guard case .sound(let sound) = proof else { return nil }
      return sound
    }
    return FoundSegments(
      pictureProofs: frames.map { pictures[$0] }, soundProofs: mixed.isEmpty ? sounds.map { _ in nil } : Array(heard))
  }

  /// Whether a movie was made of an edit before that may be found again: of just this document, under this name.
  package func remembersMovie(of spec: JobSpec) -> Bool {
    // A record that cannot be read is none.
    (try? KeptMovie.record(of: spec, in: root)) != nil
  }

  /// The movie of an edit that lies at its place, if it is the one that its segments make. All of its bytes are compared, so damage is found.
  ///
  /// - Parameters:
  ///   - found: the edit's segments, as its job would order them.
  ///   - edit: the edit of `spec`.
  ///   - path: the place of the movie, whose name is that in `spec`.
  ///   - goesOn: asked now and then whether anybody still wants to know.
  /// - Returns: nil where a job has to make the movie, or can tell more of it than its file does.
  /// - Throws: an error that would keep the movie from being written, too.
  package func movie(
    of found: FoundSegments, _ edit: ResolvedTimeline, _ spec: JobSpec, at path: String, goesOn: () -> Bool
  ) throws -> StandingMovie? {
    guard let segments = found.joined, try KeptMovie.isAt(path, of: spec, edit, segments, in: self, goesOn: goesOn) else {
      return nil
    }
    return StandingMovie(
      frameCount: segments.pictures.reduce(0) { $0 + $1.frames.count }, chunkCount: segments.pictures.count,
      loudness: segments.sounds.first?.loudness)
  }
}

/// A movie that lies at its place, and is the one that its edit makes.
package struct StandingMovie: Sendable {
  package let frameCount: Int
  package let chunkCount: Int
  /// The loudness of its sound; nil where the edit asks for none.
  package let loudness: SoundLoudness?
}
