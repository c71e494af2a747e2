package import MediaTime

/// The pattern by which film of one rate is carried in the frames of a video track (the carrier). A group is a run of carrier
/// frames after which the pattern begins again.
///
/// 2:3 pulldown turns film of 24000/1001 (or 24) frames a second into video of 30000/1001 (or 30). Frames of film are shown for
/// two fields and for three fields in turn, so that four of them become five frames of video. At 25 frames a second each frame of
/// film is a frame of video, whose fields may be shifted by one.
package enum FilmCadence: Hashable, Sendable, CaseIterable {
  case pulledDownTo30000Over1001
  case pulledDownTo30
  case frameByFrameAt25

  /// The number of carrier frames in a group.
  package static let groupLength: Int64 = 5
  /// The number of fields in a group.
  package static let groupFields: Int64 = 10

  /// Finds the cadence by the track's frame rates. It is nil for video at a rate at which no film is carried.
  package init?(of video: VideoFacts) {
    guard let mean = video.nominalFrameRate,
      let found = Self.allCases.first(where: { $0.fits(mean, video.baseFrameRate ?? mean) })
    else { return nil }
    self = found
  }

  /// Finds the cadence whose carrier has `rate` frames a second, as a codec's own headers state it; nil where there is none.
  package init?(at rate: MediaTime) {
    guard let found = Self.allCases.first(where: { Self.isSame(rate, Double($0.carrier.value) / Double($0.carrier.scale)) })
    else { return nil }
    self = found
  }

  /// Whether the track may hold film whose pictures say for how many fields they are shown (soft telecine). The times of such
  /// pictures are uneven, and FFmpeg computes a mean rate from them that lies anywhere from 20 to 40 (decision 0105).
  package static func mayBePulledDown(_ video: VideoFacts) -> Bool {
    if Self(of: video)?.isPulledDown == true { return true }
    guard let mean = video.nominalFrameRate else { return true }
    return (20...40).contains(mean.seconds) && !isSame(mean, 25)
  }

  /// Whether the five frames of a group hold four frames of film. Otherwise they hold five.
  package var isPulledDown: Bool { self != .frameByFrameAt25 }

  /// The time from one carrier frame to the next, in seconds.
  package func frameDuration() throws(TimeError) -> Rational { try Rational(carrier.scale, over: carrier.value) }

  /// The duration of a group, in seconds.
  package func groupDuration() throws(TimeError) -> Rational { try frameDuration() * Rational(Self.groupLength) }

  /// The number of film frames per second.
  package func filmRate() throws(TimeError) -> MediaTime {
    try MediaTime(Rational(carrier.value, over: carrier.scale) * (isPulledDown ? Rational(4, over: 5) : Rational(1)))
  }

  /// The carrier's frame rate, as a fraction.
  private var carrier: (value: Int128, scale: Int128) {
    switch self {
    case .pulledDownTo30000Over1001: (30_000, 1001)
    case .pulledDownTo30: (30, 1)
    case .frameByFrameAt25: (25, 1)
    }
  }

  /// Whether a track with these rates may carry film in this cadence.
  ///
  /// - Parameters:
  ///   - mean: the mean rate of all frames.
  ///   - base: the rate on whose grid the frames stand.
  private func fits(_ mean: MediaTime, _ base: MediaTime) -> Bool {
    let carrier = Double(self.carrier.value) / Double(self.carrier.scale)
    guard isPulledDown else { return Self.isSame(mean, carrier) }
    let film = carrier * 4 / 5
    if Self.isSame(mean, carrier) || Self.isSame(mean, film) { return true }
    // If fields are repeated in some parts only, the mean lies between the two rates, and the grid is that of frames or of
    // fields.
    guard film * 0.98 < mean.seconds, mean.seconds < carrier, !Self.isSame(mean, 25) else { return false }
    return [film, carrier, carrier * 2].contains { Self.isSame(base, $0) }
  }

  /// Whether the two rates are the same but for rounding. 30 and 30000/1001 differ by a thousandth; roundings of one rate differ
  /// by millionths. Floating point only tells rates apart here. No time is computed with it.
  private static func isSame(_ rate: MediaTime, _ other: Double) -> Bool { abs(rate.seconds / other - 1) < 0.0002 }
}

extension AssetTreatment {
  /// The facts of a track's pictures as they are after this treatment.
  package func shown(_ video: VideoFacts) -> VideoFacts {
    // The rates of film fit a time, so that nothing is thrown. A track that carries no film keeps its rates.
    guard interlace == .inverseTelecine, let rate = try? FilmCadence(of: video)?.filmRate() else { return video }
    var shown = video
    (shown.nominalFrameRate, shown.baseFrameRate) = (rate, rate)
    return shown
  }
}
