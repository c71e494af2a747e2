package import MediaTime

/// The yielding of a track to others: its volume falls while they are heard. The whole edit is known beforehand, so the fall may
/// begin before they do.
package struct Ducking: Hashable, Sendable {
  /// The tracks that it yields to, in the order of their names, each once.
  package let under: [TrackID]
  /// The linear gain while it yields, 0...1.
  package var gain: Double
  /// The level that the other tracks together must reach, as the root of their mean square in the loudest channel: 1 is that of a
  /// square wave at full scale. Where it is nil, the track yields while they have segments, however loud these are.
  package var threshold: Double?
  /// How long the fall takes, and how long the rise takes, from wherever the volume is.
  package var attack: MediaTime
  package var release: MediaTime
  /// How long before the other tracks the fall begins.
  package var lookAhead: MediaTime
  /// How long the volume stays down after the other tracks.
  package var hold: MediaTime

  /// - Parameter lookAhead: nil is the attack's length, so that the volume is down when the other tracks begin.
  package init(
    under: [TrackID], gain: Double = usualGain, threshold: Double? = nil, attack: MediaTime = usualAttack,
    lookAhead: MediaTime? = nil, hold: MediaTime = usualHold, release: MediaTime = usualRelease
  ) {
    (self.under, self.gain, self.threshold) = (Set(under).sorted(), gain, threshold)
    (self.attack, self.lookAhead, self.hold, self.release) = (attack, lookAhead ?? attack, hold, release)
  }

  /// The gain of -12 dB.
  package static let usualGain = 0x1.0137987dd704cp-2
  package static let usualAttack = MediaTime(milliseconds: 200)
  package static let usualHold = MediaTime(milliseconds: 300)
  package static let usualRelease = MediaTime(milliseconds: 800)
  /// The samples of a window in which the level is measured: 50 ms.
  package static func windowLength(sampleRate: Int32) -> Int { Int(sampleRate) / 20 }
}

extension Ducking {
  /// The gain over time.
  ///
  /// - Parameters:
  ///   - active: the samples in which the other tracks are heard, in any order. They may overlap.
  ///   - sampleRate: the number of samples per second; keyframes stand at samples.
  package func envelope(yieldingTo active: [Range<Int64>], sampleRate: Int32) throws(TimeError) -> Envelope<Double> {
    // A fall or a rise without duration is a step: from one sample to the next.
    let (attack, release) = (try attack.samples(at: sampleRate), try release.samples(at: sampleRate))
    let (fall, rise) = (max(attack, 1), max(release, 1))
    let before = try lookAhead.samples(at: sampleRate) + (attack == 0 ? 1 : 0)
    let after = try hold.samples(at: sampleRate)
    var keys: [(sample: Int64, gain: Double)] = []
    // The rise that may still be cut short by the next fall.
    var rising: (start: Int64, from: Double)?
    for span in Self.merged(active.map { $0.lowerBound - before..<$0.upperBound + after - (release == 0 ? 1 : 0) }) {
      let start = span.lowerBound
      var from = 1.0
      if let last = rising {
        if start < last.start + rise {
          from = Self.between(last.from, 1, start - last.start, of: rise)
        } else {
          keys.append((last.start + rise, 1))
        }
      }
      if keys.last?.sample != start { keys.append((start, from)) }
      let isDown = span.upperBound - start >= fall
      if isDown { keys.append((start + fall, gain)) }
      let to = isDown ? gain : Self.between(from, gain, span.upperBound - start, of: fall)
      if keys.last?.sample != span.upperBound { keys.append((span.upperBound, to)) }
      rising = (span.upperBound, to)
    }
    if let rising { keys.append((rising.start + rise, 1)) }
    return Envelope(
      try keys.map { (key) throws(TimeError) in .init(try MediaTime(key.sample, sampleRate), key.gain) })
  }

  private static func between(_ from: Double, _ to: Double, _ done: Int64, of all: Int64) -> Double {
    from + (to - from) * Double(done) / Double(all)
  }

  /// The ranges in order, with those joined that overlap or touch.
  private static func merged(_ ranges: [Range<Int64>]) -> [Range<Int64>] {
    ranges.filter { !$0.isEmpty }.sorted { $0.lowerBound < $1.lowerBound }.reduce(into: []) { merged, range in
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
  }
}
