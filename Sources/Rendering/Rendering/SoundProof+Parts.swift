internal import Media
internal import Messages
internal import Scenes
internal import Timeline

extension SoundProof {
  /// The proof of the sounds in the segment file `name`, which was just written.
  ///
  /// - Parameter part: the samples of the part; nil for the whole sound.
  init(_ sounds: [SoundRenderer.Encoded], of part: Range<Int64>?, in name: String, key: String?) {
    // What several sounds play of an asset is told once.
    var concealed: [Concealment] = []
    for part in sounds.flatMap(\.concealed) where !concealed.contains(where: { $0.asset == part.asset }) {
      concealed.append(part)
    }
    let first = sounds[0]
    self.init(
      firstSample: part?.lowerBound, sampleCount: first.facts.length,
      segment: SegmentProof(file: name, facts: first.facts, content: first.content, concealed: concealed),
      loudness: first.loudness, key: key)
    further = sounds.dropFirst().map { sound in
      FurtherSound(
        sampleCount: sound.facts.length, parameterSetDigest: sound.facts.parameterSetDigest,
        contentDigest: sound.content.description, loudness: sound.loudness)
    }
  }
}

extension [Winner<SoundProof>] {
  /// Checks that the winners are the whole sound of an edit, with each sample once and in order.
  func requireWhole(_ edit: ResolvedTimeline) throws {
    let counts = try edit.soundLengths
    guard let whole = counts.first else {
      guard isEmpty else { throw Failure(.bug, at: "mux", "sound for an edit without it") }
      return
    }
    var next: Int64 = 0
    for part in self {
      let proof = part.proof
      guard proof.firstSample ?? 0 == next, proof.sampleCount <= whole - next else {
        throw Failure(.bug, at: "attempt \(part.key)", "its samples do not follow sample \(next - 1)")
      }
      let all = [proof.sampleCount] + proof.further.map(\.sampleCount)
      // Only a sound in one piece may have sounds of several lengths beside it.
      guard all.count == counts.count, count == 1 ? all == counts : Set(all).count == 1 else {
        throw Failure(.bug, at: "attempt \(part.key)", "\(all) samples of sounds of \(counts)")
      }
      next += proof.sampleCount
    }
    guard next == whole else { throw Failure(.bug, at: "mux", "\(next) samples instead of \(whole)") }
  }
}

extension [SoundProof] {
  /// The sounds of a movie, each with its parts in order, and with what the movie says of it.
  ///
  /// - Parameter files: the files of the parts, as inputs of the first sound.
  func inputs(_ files: [SegmentInput], _ edit: ResolvedTimeline) -> [SoundInput] {
    guard let first else { return [] }
    let sounds =
      [files]
      + first.further.indices.map { index in
        zip(self, files).map { proof, file in
          let further = proof.further[index]
          return SegmentInput(
            path: file.path,
            facts: SegmentFacts(
              digest: file.facts.digest, length: further.sampleCount, parameterSetDigest: further.parameterSetDigest),
            stream: index + 1)
        }
      }
    let said = edit.timeline.export.sounds
    guard !said.isEmpty else { return [SoundInput(sounds[0])] }
    return zip(sounds, said).map { SoundInput($0, language: $1.language, title: $1.title, isDefault: $1.isDefault) }
  }
}
