package import MediaTime

/// How film of one rate is carried in the frames of a video track: which of them make a group, and how many frames of film that is.
///
/// By 2:3 pulldown film of 24000/1001 (or 24) frames a second becomes 30000/1001 (or 30): its frames are shown for two fields and for three in
/// turn, so that four of them are five frames of video. At 25 each frame of film is a frame of video, whose fields may be shifted by one.
package enum FilmCadence: Hashable, Sendable, CaseIterable {
  case pulledDownTo30000Over1001
  case pulledDownTo30
  case frameByFrameAt25

  /// Frames of the carrier in a group.
  package static let groupLength: Int64 = 5
  /// Fields in a group.
  package static let groupFields: Int64 = 10

  /// Nil for video at a rate at which no film is carried.
  package init?(of video: VideoFacts) {
    guard let mean = video.nominalFrameRate,
      let found = Self.allCases.first(where: { $0.fits(mean, video.baseFrameRate ?? mean) })
    else { return nil }
    self = found
  }

  /// The cadence whose carrier has `rate` frames a second, by a codec's own headers; nil for none.
  package init?(at rate: MediaTime) {
    guard let found = Self.allCases.first(where: { Self.isSame(rate, Double($0.carrier.value) / Double($0.carrier.scale)) })
    else { return nil }
    self = found
  }

  /// Whether a mean rate may be what FFmpeg makes of film that says for how many fields its pictures are shown: it counts uneven times.
  package static func mayBePulledDown(_ video: VideoFacts) -> Bool {
    if Self(of: video)?.isPulledDown == true { return true }
    guard let mean = video.nominalFrameRate else { return true }
    return (20...40).contains(mean.seconds) && !isSame(mean, 25)
  }

  /// Whether a group's five frames hold four of film; else all are film's.
  package var isPulledDown: Bool { self != .frameByFrameAt25 }

  /// Seconds from one frame of the carrier to the next.
  package func frameDuration() throws(TimeError) -> Rational { try Rational(carrier.scale, over: carrier.value) }

  /// Seconds of a group.
  package func groupDuration() throws(TimeError) -> Rational { try frameDuration() * Rational(Self.groupLength) }

  /// Frames of film a second.
  package func filmRate() throws(TimeError) -> MediaTime {
    try MediaTime(Rational(carrier.value, over: carrier.scale) * (isPulledDown ? Rational(4, over: 5) : Rational(1)))
  }

  /// The carrier's rate.
  private var carrier: (value: Int128, scale: Int128) {
    switch self {
    case .pulledDownTo30000Over1001: (30_000, 1001)
    case .pulledDownTo30: (30, 1)
    case .frameByFrameAt25: (25, 1)
    }
  }

  /// - Parameters:
  ///   - mean: of all frames.
  ///   - base: the rate on whose grid they stand.
  private func fits(_ mean: MediaTime, _ base: MediaTime) -> Bool {
    let carrier = Double(self.carrier.value) / Double(self.carrier.scale)
    guard isPulledDown else { return Self.isSame(mean, carrier) }
    let film = carrier * 4 / 5
    if Self.isSame(mean, carrier) || Self.isSame(mean, film) { return true }
    // Fields are repeated in some parts only: the mean lies between, on the grid of frames or of fields.
    guard film * 0.98 < mean.seconds, mean.seconds < carrier, !Self.isSame(mean, 25) else { return false }
    return [film, carrier, carrier * 2].contains { Self.isSame(base, $0) }
  }

  /// 30 and 30000/1001 differ by a thousandth, roundings of one rate by millionths. (Rates are told apart; no time is reckoned.)
  private static func isSame(_ rate: MediaTime, _ other: Double) -> Bool { abs(rate.seconds / other - 1) < 0.0002 }
}

extension AssetTreatment {
  /// What a track's pictures are like once they are treated so.
  func shown(_ video: VideoFacts) -> VideoFacts {
    // The rates are times; those of a track that carries no film stay.
    guard interlace == .inverseTelecine, let rate = try? FilmCadence(of: video)?.filmRate() else { return video }
    var shown = video
    (shown.nominalFrameRate, shown.baseFrameRate) = (rate, rate)
    return shown
  }
}

extension Timeline {
  /// Notes assets whose film is asked for, and that carry none.
  func checkTreatments(_ facts: [AssetID: AssetFacts], _ log: FaultLog) {
    for (asset, treatment) in treatments.sorted(by: { $0.key < $1.key }) where treatment.interlace == .inverseTelecine {
      let path = DocumentPath.root["assets"][asset.rawValue]["interlace"]
      for track in facts[asset]?.playableTracks(.video) ?? [] {
        guard case .video(let video) = track.detail, FilmCadence(of: video) == nil else { continue }
        let rate = video.nominalFrameRate.map { "\($0) frames a second" } ?? "no known frame rate"
        log.note("film is carried in 30000/1001, 30 or 25 frames a second; track \(track.index) has \(rate)", at: path, .media)
      }
    }
  }
}
