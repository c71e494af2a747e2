package import MediaTime

/// Reverberation: the sound of a room, which is added to the sound as it is.
package struct Reverberation: Hashable, Sendable {
  /// The time after which the room's sound has fallen by 60 dB.
  package var decay: MediaTime
  /// The dB of the room's sound.
  package var level: Double
  /// The time after which the room's sound begins.
  package var preDelay: MediaTime
  /// The decay of the highest frequencies, as a share of `decay`: 1 is a bright room, a small number one full of curtains.
  package var brightness: Double

  package init(
    decay: MediaTime = usualDecay, level: Double = usualLevel, preDelay: MediaTime = usualPreDelay,
    brightness: Double = usualBrightness
  ) {
    (self.decay, self.level, self.preDelay, self.brightness) = (decay, level, preDelay, brightness)
  }

  package static let usualDecay = MediaTime(milliseconds: 1_500)
  package static let usualLevel = -12.0
  package static let usualPreDelay = MediaTime(milliseconds: 20)
  package static let usualBrightness = 0.4
}
