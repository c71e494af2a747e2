package import MediaTime

/// The frame of its track that a clip shows.
package struct ShownFrame: Hashable, Sendable {
  /// The time of the stored frame of which the picture is made, on the asset's clock. No other picture of the track is made of a
  /// frame of that time.
  package let time: Rational
  /// Whether the file does not say the time, so that it was guessed from all frames before. The same frame may have been reported
  /// with another time earlier.
  package let isGuessed: Bool

  package init(time: Rational, isGuessed: Bool = false) { (self.time, self.isGuessed) = (time, isGuessed) }
}
