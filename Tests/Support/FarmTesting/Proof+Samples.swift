package import Messages

extension Proof {
  /// Digests of the right form.
  package static let sampleDigest = "0123456789abcdef0123456789abcdef"

  /// The proof that an attempt at this work commits.
  /// - Parameter end: the frame before which the attempt ended; by default the end of its chunk.
  package static func sample(
    of work: Work, end: Int? = nil, file: String = "j/7/2.nut", byteCount: Int64 = 1, byteDigest: String = sampleDigest,
    concealed: [Concealment] = []
  ) -> Proof {
    let proved = FileProof(path: file, byteCount: byteCount, byteDigest: byteDigest)
    let segment = SegmentProof(
      file: proved, parameterSetDigest: sampleDigest, contentDigest: sampleDigest, concealed: concealed)
    return switch work {
    case .picture(let frames):
      .picture(
        PictureProof(
          frames: FrameRange(first: frames.first, count: (end ?? frames.indices.upperBound) - frames.first), segment: segment))
    case .sound: .sound(SoundProof(sampleCount: 1, segment: segment))
    case .soundPart(let samples): .sound(SoundProof(firstSample: samples.first, sampleCount: samples.count, segment: segment))
    case .mux: .mux(proved)
    case .publish: .publish(proved)
    }
  }

  /// The proof that an attempt at a task of this kind commits; of the first frame, if it is a chunk.
  package static func sample(of kind: TaskKind) -> Proof {
    let file = FileProof(path: "j/7/2.nut", byteCount: 1, byteDigest: sampleDigest)
    return switch kind {
    case .picture: sample(of: .picture(FrameRange(first: 0, count: 1)))
    case .sound: sample(of: Work.sound)
    case .mux: .mux(file)
    case .publish: .publish(file)
    }
  }
}

extension Proof {
  /// The proof of a part that was not made but found.
  package var asFound: Proof {
    switch self {
    case .picture(var proof):
      proof.isFound = true
      return .picture(proof)
    case .sound(var proof):
      proof.isFound = true
      return .sound(proof)
    case .mux, .publish: return self
    }
  }
}

extension Work {
  /// The mux of these winners: chunks in the order of their frames, and the sound or its parts among them.
  package static func mux(of parts: [Winner<Proof>]) -> Work {
    var (pictures, sound) = ([Winner<PictureProof>](), [Winner<SoundProof>]())
    for part in parts {
      switch part.proof {
      case .picture(let proof): pictures.append(Winner(key: part.key, proof: proof))
      case .sound(let proof): sound.append(Winner(key: part.key, proof: proof))
      case .mux, .publish: preconditionFailure("\(part.key) is no part of a movie")
      }
    }
    return .mux(pictures: pictures, sound: sound.sorted { $0.proof.firstSample ?? 0 < $1.proof.firstSample ?? 0 })
  }

  /// The publication of a muxed movie.
  package static func publish(of muxed: Winner<Proof>) -> Work {
    guard case .mux(let file) = muxed.proof else { preconditionFailure("\(muxed.key) muxed no movie") }
    return .publish(muxed: Winner(key: muxed.key, proof: file))
  }

  /// The winners that the work builds on, in the order of their frames, the sound last.
  package var winners: [Winner<Proof>] {
    switch self {
    case .picture, .sound, .soundPart: []
    case .mux(let pictures, let sound):
      pictures.map { Winner(key: $0.key, proof: .picture($0.proof)) }
        + sound.map { Winner(key: $0.key, proof: .sound($0.proof)) }
    case .publish(let muxed): [Winner(key: muxed.key, proof: .mux(muxed.proof))]
    }
  }
}
