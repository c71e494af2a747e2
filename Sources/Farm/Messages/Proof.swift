/// The proof that an attempt commits with its file, by the kind of its task. Everybody who uses the file checks it against the
/// proof first.
package enum Proof: Hashable, Sendable {
  case picture(PictureProof)
  case sound(SoundProof)
  /// The hidden file beside the output.
  case mux(FileProof)
  /// The movie under its final name.
  case publish(FileProof)

  package var kind: TaskKind {
    switch self {
    case .picture: .picture
    case .sound: .sound
    case .mux: .mux
    case .publish: .publish
    }
  }

  /// The file that the attempt wrote.
  package var file: FileProof {
    switch self {
    case .picture(let picture): picture.segment.file
    case .sound(let sound): sound.segment.file
    case .mux(let file), .publish(let file): file
    }
  }

  /// The frames of a chunk; nil for all other kinds.
  package var frames: FrameRange? { if case .picture(let picture) = self { picture.frames } else { nil } }

  /// The key by which later jobs may find its segment; nil where they may not.
  package var key: String? {
    switch self {
    case .picture(let picture): picture.key
    case .sound(let sound): sound.key
    case .mux, .publish: nil
    }
  }

  /// Whether its segment was found, and not rendered.
  package var isFound: Bool {
    switch self {
    case .picture(let picture): picture.isFound
    case .sound(let sound): sound.isFound
    case .mux, .publish: false
    }
  }

  /// The media that were damaged and replaced in a segment. A movie's proof does not repeat those of its segments.
  package var concealed: [Concealment] {
    switch self {
    case .picture(let picture): picture.segment.concealed
    case .sound(let sound): sound.segment.concealed
    case .mux, .publish: []
    }
  }
}

/// The proof of a chunk of the picture.
package struct PictureProof: Hashable, Sendable {
  /// The frames in the file.
  package var frames: FrameRange
  /// The content digest is of the composited frames' own XXH3-128 digests, in order, before encoding.
  package var segment: SegmentProof
  /// The renditions of the picture, as they lie in the same file behind it. Each has the same frames. Behind them, the tracks of still pictures,
  /// which have some of the frames.
  package var renditions: [FurtherPicture] = []
  /// The quality that the chunk reached; nil where the edit asks for none, and where its packets were copied.
  package var quality: ReachedQuality?
  /// The chunk's key: the XXH3-128 of all that its segment depends on. Chunks of one key have the same frames. Nil where a part of
  /// that cannot be named.
  package var key: String?
  /// Whether the segment was rendered by an earlier attempt, and found by its key.
  package var isFound: Bool

  package init(
    frames: FrameRange, segment: SegmentProof, renditions: [FurtherPicture] = [], key: String? = nil, isFound: Bool = false
  ) {
    (self.frames, self.segment, self.renditions) = (frames, segment, renditions)
    (self.key, self.isFound) = (key, isFound)
  }
}

/// A rendition of a chunk's picture, as it lies in the file of that.
package struct FurtherPicture: Hashable, Sendable, Encodable {
  /// The XXH3-128 of the codec parameters (extradata).
  package var parameterSetDigest: String
  /// The XXH3-128 of the digests of its frames, in order, before encoding.
  package var contentDigest: String

  package init(parameterSetDigest: String, contentDigest: String) {
    (self.parameterSetDigest, self.contentDigest) = (parameterSetDigest, contentDigest)
  }
}

/// The proof of the whole sound or of a part of it; of a movie that has several sounds, which lie in one file, of all of them.
package struct SoundProof: Hashable, Sendable {
  /// The first sample of a part; nil for the whole sound.
  package var firstSample: Int64?
  /// The samples of each channel after priming, of the first sound.
  package var sampleCount: Int64
  /// The content digest is of the samples of the first sound that were encoded.
  package var segment: SegmentProof
  /// The loudness of the first sound; nil where the edit asks for none.
  package var loudness: SoundLoudness?
  /// The sounds after the first one, in the order of the movie's tracks.
  package var further: [FurtherSound] = []
  /// The sound's key, and whether its segment was found, as of a chunk.
  package var key: String?
  package var isFound: Bool

  package init(
    firstSample: Int64? = nil, sampleCount: Int64, segment: SegmentProof, loudness: SoundLoudness? = nil, key: String? = nil,
    isFound: Bool = false
  ) {
    (self.firstSample, self.sampleCount, self.segment, self.loudness) = (firstSample, sampleCount, segment, loudness)
    (self.key, self.isFound) = (key, isFound)
  }

  /// The samples of a part; nil for the whole sound.
  package var samples: SampleRange? { firstSample.map { SampleRange(first: $0, count: sampleCount) } }
}

/// One of several sounds of a movie, as it lies in the file of the first one.
package struct FurtherSound: Hashable, Sendable, Encodable {
  /// The samples of each channel after priming.
  package var sampleCount: Int64
  /// The XXH3-128 of the codec parameters (extradata).
  package var parameterSetDigest: String
  /// The XXH3-128 of the samples that were encoded.
  package var contentDigest: String
  /// The loudness of the sound; nil where the edit asks for none.
  package var loudness: SoundLoudness?

  package init(sampleCount: Int64, parameterSetDigest: String, contentDigest: String, loudness: SoundLoudness? = nil) {
    (self.sampleCount, self.parameterSetDigest) = (sampleCount, parameterSetDigest)
    (self.contentDigest, self.loudness) = (contentDigest, loudness)
  }
}

/// The part of a proof that is alike for every encoded segment.
package struct SegmentProof: Hashable, Sendable {
  package var file: FileProof
  /// The XXH3-128 of the codec parameters (extradata). It is equal for all picture segments of a movie.
  package var parameterSetDigest: String
  /// The XXH3-128 of what was encoded.
  package var contentDigest: String
  /// The media that were damaged and replaced, each with its place in the movie.
  package var concealed: [Concealment]
  /// The parts of a chunk's time; nil for sound, and from workers that do not tell.
  package var times: RenderingTimes?

  package init(
    file: FileProof, parameterSetDigest: String, contentDigest: String, concealed: [Concealment] = [],
    times: RenderingTimes? = nil
  ) {
    (self.file, self.parameterSetDigest) = (file, parameterSetDigest)
    (self.contentDigest, self.concealed, self.times) = (contentDigest, concealed, times)
  }
}

/// The parts of a chunk's time, in whole milliseconds of the thread that renders it. They do not overlap.
package struct RenderingTimes: Hashable, Sendable, Encodable {
  /// The time from the attempt's start to the first frame.
  package var opening: Int64
  /// The time for fetching, opening and decoding sources.
  package var reading: Int64
  /// The time for drawing, compositing and digests.
  package var compositing: Int64
  /// The time for which the encoder is waited for, which works beside, and that for finishing the segment.
  package var encoding: Int64

  package init(opening: Int64, reading: Int64, compositing: Int64, encoding: Int64) {
    (self.opening, self.reading, self.compositing, self.encoding) = (opening, reading, compositing, encoding)
  }
}

/// The files of a movie's still pictures together, with what tells whether they are whole.
package struct StillsProof: Hashable, Sendable, Encodable {
  package var byteCount: Int64
  /// The XXH3-128 of the files in a roll.
  package var byteDigest: String

  package init(byteCount: Int64, byteDigest: String) { (self.byteCount, self.byteDigest) = (byteCount, byteDigest) }
}

/// A file, with what tells whether it is whole.
package struct FileProof: Hashable, Sendable {
  /// The path of the file: relative to the segment store for a segment, absolute for a movie.
  package var path: String
  package var byteCount: Int64
  /// The XXH3-128 of a segment; of a movie, that of the XXH3-128s of its blocks of 16 MiB (decision 0210).
  package var byteDigest: String
  /// The mark of a muxed movie by which it is seen whether anybody has written to the file since; nil where there is none.
  package var stamp: String?
  /// How well a muxed movie meets the target of its bits; nil for other files, and for a movie without a target.
  package var target: TargetMeasure?
  /// The still pictures that come beside a muxed movie; nil where there are none.
  package var stills: StillsProof?
  /// The further places of a published movie, and how copying it there ended; nil where there are none.
  package var copies: [CopiedMovie]?

  package init(path: String, byteCount: Int64, byteDigest: String, stamp: String? = nil, target: TargetMeasure? = nil) {
    (self.path, self.byteCount, self.byteDigest) = (path, byteCount, byteDigest)
    (self.stamp, self.target) = (stamp, target)
  }
}
