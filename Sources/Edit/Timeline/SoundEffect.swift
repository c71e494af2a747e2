package import MediaTime

/// An effect on sound. Its output at a sample depends on that sample and on what came before it, and on nothing else.
package enum SoundEffect: Hashable, Sendable {
  /// Filters, one after the other.
  case equalizer([EqualizerBand])
  case compressor(Compressor)
  case gate(Gate)
  case deEsser(DeEsser)
  case reverb(Reverberation)

  /// The highest frequency in Hz that it names, which must be below half of the sample rate; nil where it names none.
  package var highestFrequency: Double? {
    switch self {
    case .equalizer(let bands): bands.map(\.frequency).max()
    case .deEsser(let deEsser): deEsser.frequency
    case .compressor, .gate, .reverb: nil
    }
  }
}

/// A filter of second order, as the "Audio EQ Cookbook" (R. Bristow-Johnson) has it.
package struct EqualizerBand: Hashable, Sendable {
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    case peak, lowShelf, highShelf, lowPass, highPass

    /// Whether it has a gain of its own.
    package var hasGain: Bool { [.peak, .lowShelf, .highShelf].contains(self) }
  }

  package var kind: Kind
  /// The frequency in Hz: the middle of a peak or of a shelf's slope, or the one at which a pass begins to end.
  package var frequency: Double
  /// The gain in dB, of a peak or a shelf; 0 elsewhere.
  package var gain: Double
  /// The quality: how narrow a peak, how steep a shelf, how sharp a pass is. A pass of the usual one is Butterworth's, 3 dB down at its frequency.
  package var quality: Double

  package init(_ kind: Kind, frequency: Double, gain: Double = 0, quality: Double = usualQuality) {
    (self.kind, self.frequency, self.gain, self.quality) = (kind, frequency, gain, quality)
  }

  /// The square root of one half.
  package static let usualQuality = 0x1.6a09e667f3bcdp-1
}

/// A compressor: what is louder than a threshold becomes softer. One gain counts for all channels.
package struct Compressor: Hashable, Sendable {
  /// The level in dB above which it works. 0 dB is a sample at full scale.
  package var threshold: Double
  /// The dB of input above the threshold for one dB of output; 1 or more.
  package var ratio: Double
  /// The dB around the threshold in which the ratio sets in; 0 is a sharp bend.
  package var knee: Double
  /// The time constants with which it lowers the sound, and lets it rise again.
  package var attack: MediaTime
  package var release: MediaTime
  /// The dB by which all becomes louder after that.
  package var makeUpGain: Double

  package init(
    threshold: Double, ratio: Double = usualRatio, knee: Double = usualKnee, attack: MediaTime = usualAttack,
    release: MediaTime = usualRelease, makeUpGain: Double = 0
  ) {
    (self.threshold, self.ratio, self.knee) = (threshold, ratio, knee)
    (self.attack, self.release, self.makeUpGain) = (attack, release, makeUpGain)
  }

  package static let usualRatio = 4.0
  package static let usualKnee = 6.0
  package static let usualAttack = MediaTime(milliseconds: 10)
  package static let usualRelease = MediaTime(milliseconds: 150)

  /// The dB by which it lowers a level that lasts.
  ///
  /// - Parameter level: in dB.
  package func reduction(of level: Double) -> Double {
    let excess = level - threshold
    let share = 1 - 1 / ratio
    if 2 * excess <= -knee { return 0 }
    if 2 * excess >= knee { return excess * share }
    let above = excess + knee / 2
    return above * above / (2 * knee) * share
  }
}

/// A gate: what is softer than a threshold becomes softer still. One gain counts for all channels.
package struct Gate: Hashable, Sendable {
  /// The level in dB that a sample must reach to open it.
  package var threshold: Double
  /// The gain in dB while it is closed, at most 0.
  package var range: Double
  /// The time constants with which it opens and closes.
  package var attack: MediaTime
  package var release: MediaTime
  /// How long it stays open after the last sample that reached the threshold.
  package var hold: MediaTime

  package init(
    threshold: Double, range: Double = usualRange, attack: MediaTime = usualAttack, hold: MediaTime = usualHold,
    release: MediaTime = usualRelease
  ) {
    (self.threshold, self.range, self.attack) = (threshold, range, attack)
    (self.hold, self.release) = (hold, release)
  }

  package static let usualRange = -60.0
  package static let usualAttack = MediaTime(milliseconds: 1)
  package static let usualHold = MediaTime(milliseconds: 50)
  package static let usualRelease = MediaTime(milliseconds: 100)
}

/// A de-esser: a high shelf that lowers high frequencies where they are loud.
package struct DeEsser: Hashable, Sendable {
  /// The frequency in Hz of the high pass through which it listens, and of the shelf.
  package var frequency: Double
  package var threshold: Double
  package var ratio: Double

  package init(frequency: Double = usualFrequency, threshold: Double, ratio: Double = usualRatio) {
    (self.frequency, self.threshold, self.ratio) = (frequency, threshold, ratio)
  }

  package static let usualFrequency = 6_000.0
  package static let usualRatio = 4.0

  /// The compressor of what the high pass lets through: fast, as sibilants are short.
  package var compressor: Compressor {
    Compressor(
      threshold: threshold, ratio: ratio, knee: 0, attack: MediaTime(milliseconds: 1), release: MediaTime(milliseconds: 60))
  }
}
