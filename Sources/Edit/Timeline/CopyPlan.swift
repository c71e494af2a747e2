internal import MediaTime

/// The frames and the sound of a movie that are packets of its sources, and what holds for all other frames because of them (decisions 0176
/// and 0247).
///
/// It is made when a job is submitted, from the packets of the sources, and travels with the edit.
package struct CopyPlan: Hashable, Sendable, Codable {
  /// The frames that are copied, in ascending order. Each range is of whole groups of one source's track, and becomes one chunk.
  package var frames: [Range<Int>]
  /// The number of frames by which decoding runs ahead of showing in what is copied.
  package var reorderDepth: Int
  /// The number of the parameter sets of the frames that are encoded; nil where no number is taken.
  package var parameterSetID: Int?
  /// The samples of the sound, where that is copied; nil where it is encoded. It ends with its source, which may be before the edit does.
  package var soundSampleCount: Int64?
  /// The samples of its priming, from which its blocks are counted; 0 where it is encoded.
  package var soundPriming: Int64 = 0

  package init(
    frames: [Range<Int>] = [], reorderDepth: Int = 0, parameterSetID: Int? = nil, soundSampleCount: Int64? = nil,
    soundPriming: Int64 = 0
  ) {
    (self.frames, self.reorderDepth, self.parameterSetID) = (frames, reorderDepth, parameterSetID)
    (self.soundSampleCount, self.soundPriming) = (soundSampleCount, soundPriming)
  }

  /// The most ranges of a movie: one for each chunk that it may have.
  package static let mostRanges = 100_000
  /// The most frames of a movie: 100 hours of 1000 frames a second.
  package static let mostFrames = 360_000_000
  /// The most pictures that decoding runs ahead: a decoder of H.264 holds back 16.
  package static let mostReordered = 16
  /// The most samples of a sound: 100 hours of 192,000 a second, and some more.
  package static let mostSamples = 100_000_000_000
  /// The most samples of a priming that is copied: encoders have up to 2624. Whoever cuts off more has cut sound away.
  package static let mostPriming = 4096

  /// Whether some frames are copied.
  package var copiesPictures: Bool { !frames.isEmpty }

  /// Whether all frames of the range are copied, and stand in one of the plan's ranges.
  package func holds(_ range: Range<Int>) -> Bool {
    let position = frames.partitioningIndex { $0.upperBound >= range.upperBound }
    return position < frames.count && frames[position].lowerBound <= range.lowerBound
  }
}
