package import MediaTime

/// The frame of a source that a track shows at a moment, for texts that tell it.
package struct SourceMoment: Hashable, Sendable {
  /// The name of the source: that of a file, or of a nested composition.
  package let name: String
  /// The time in the source.
  package let time: Rational
  /// Whether it is played backwards there, so that the frame just before that time is shown.
  package let isReversed: Bool
  /// The length of its frames; nil for a still picture, and where it is not known.
  package let frameDuration: MediaTime?
  /// The label of its first frame; nil where its file says none, which counts as zero.
  package let firstLabel: String?

  package init(name: String, time: Rational, isReversed: Bool, frameDuration: MediaTime?, firstLabel: String?) {
    (self.name, self.time, self.isReversed) = (name, time, isReversed)
    (self.frameDuration, self.firstLabel) = (frameDuration, firstLabel)
  }

  /// The number of the frame in the source, from 0; nil where its frames have no length.
  ///
  /// - Throws: `TimeError` where it does not fit.
  package var frame: Int64? {
    get throws(TimeError) {
      guard let frameDuration else { return nil }
      let place = try time / Rational(frameDuration)
      let number = isReversed ? place.ceiling - 1 : place.floor
      guard let frame = Int64(exactly: number) else { throw .overflow("the number of a frame") }
      return max(frame, 0)
    }
  }

  /// The label of the frame by SMPTE ST 12-1; nil where its frames have no length.
  ///
  /// - Throws: `TimeError.timecode` for a rate that timecode does not have, and for a first label that names no frame of it.
  package var timecode: String? {
    get throws(TimeError) {
      guard let frameDuration, let frame = try frame else { return nil }
      let labels = try Timecode(frameDuration: frameDuration)
      let first = if let firstLabel { try labels.time(parsing: firstLabel) } else { MediaTime.zero }
      return try labels.label(ofFrame: first.wholeUnits(of: frameDuration) + frame, dropping: firstLabel?.contains(";") ?? false)
    }
  }
}
