/// The loudness of a whole track, to which a gain brings it.
package struct TrackLoudness: Hashable, Sendable {
  /// The integrated loudness, in LUFS.
  package var integrated: Double
  /// The range that the track does not exceed, in LU; nil leaves it as it is.
  package var range: Double?

  package init(integrated: Double, range: Double? = nil) { (self.integrated, self.range) = (integrated, range) }
}

/// The loudness of a whole movie, as EBU R128 and ITU-R BS.1770-4 measure it.
package struct LoudnessTarget: Hashable, Sendable {
  /// The integrated loudness, in LUFS.
  package var integrated: Double
  /// The level that no true peak of the sound exceeds, in dBTP.
  package var truePeak: Double
  /// The range that the sound does not exceed, in LU (EBU Tech 3342); nil leaves it as it is.
  package var range: Double?

  package init(integrated: Double, truePeak: Double = usualTruePeak, range: Double? = nil) {
    (self.integrated, self.truePeak, self.range) = (integrated, truePeak, range)
  }

  package static let usualTruePeak = -1.0

  /// A target that a document may name.
  package enum Name: String, CaseIterable, Sendable {
    /// EBU R128: European broadcasting.
    case ebuR128
    /// ATSC A/85: American broadcasting.
    case atscA85
    /// The loudness that podcasts are asked for, Apple's among them.
    case podcast
    /// The loudness to which YouTube, Spotify and others turn music down.
    case streaming

    package var target: LoudnessTarget {
      switch self {
      case .ebuR128: LoudnessTarget(integrated: -23)
      case .atscA85: LoudnessTarget(integrated: -24, truePeak: -2)
      case .podcast: LoudnessTarget(integrated: -16)
      case .streaming: LoudnessTarget(integrated: -14)
      }
    }
  }
}
