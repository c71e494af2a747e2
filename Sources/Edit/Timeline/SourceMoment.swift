package import Formats
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
  /// The labels of its frames; nil where its file says none, which begin at zero.
  package let labels: SourceTimecode?

  package init(name: String, time: Rational, isReversed: Bool, frameDuration: MediaTime?, labels: SourceTimecode?) {
    (self.name, self.time, self.isReversed) = (name, time, isReversed)
    (self.frameDuration, self.labels) = (frameDuration, labels)
  }

  /// The number of the frame in the source, from 0; nil where its frames have no length.
  ///
  /// - Throws: `TimeError` where it does not fit.
  package var frame: Int64? {
    get throws(TimeError) {
      guard let frameDuration else { return nil }
      return try number(ofFramesOf: frameDuration)
    }
  }

  private func number(ofFramesOf duration: MediaTime) throws(TimeError) -> Int64 {
    let place = try time / Rational(duration)
    let number = isReversed ? place.ceiling - 1 : place.floor
    guard let frame = Int64(exactly: number) else { throw .overflow("the number of a frame") }
    return max(frame, 0)
  }

  /// The label of the frame by SMPTE ST 12-1; nil where its frames have no length.
  ///
  /// - Throws: `TimeError.timecode` for a rate that timecode does not have, and for labels that begin anew within the file.
  package var timecode: String? {
    get throws(TimeError) {
      if let labels {
        guard labels.beginsAnew != true else { throw .timecode(labels.label, reason: "the file's labels begin anew within it") }
        return try labels.label(ofFrame: number(ofFramesOf: labels.frameDuration))
      }
      guard let frameDuration, let frame = try frame else { return nil }
      return try Timecode(frameDuration: frameDuration).label(ofFrame: frame, dropping: false)
    }
  }
}
