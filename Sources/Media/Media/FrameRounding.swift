internal import CFFmpeg
internal import Formats
internal import MediaTime

/// The rounding of frame times to the ticks of a container (decision 0177).
///
/// Matroska counts milliseconds, so at 24 frames a second its frames stand at 0, 42, 83, 125: up to half a tick before or after their
/// own times. Whoever asks for the frame at 1/24 s means the second one.
struct FrameRounding {
  /// The fewest ticks that a frame lasts where times count as rounded. With fewer, frames that last one or two ticks by turns are
  /// meant to.
  private static let leastTicks: Int128 = 4
  /// Whether frames stand up to half a tick beside their own times.
  let isInexact: Bool

  /// - Parameters:
  ///   - track: the facts of the track.
  ///   - base: the duration of a tick, in seconds.
  init(of track: TrackFacts, base: AVRational) {
    guard case .video(let video) = track.detail, let rate = video.baseFrameRate, let average = video.nominalFrameRate,
      rate > .zero, base.num > 0, base.den > 0, average.isWithinHundredth(of: rate)
    else {
      isInexact = false
      return
    }
    // A frame lasts `ticks / frames` ticks.
    let (ticks, frames) = (Int128(base.den) * Int128(rate.timescale), Int128(base.num) * Int128(rate.value))
    isInexact = ticks >= Self.leastTicks * frames && !ticks.isMultiple(of: frames)
  }

  /// The last tick at which a frame may stand that is shown at a time.
  ///
  /// - Parameters:
  ///   - time: the time in ticks.
  ///   - isBefore: whether the frame just before the time is meant.
  func lastTick(at time: Rational, orJustBefore isBefore: Bool = false) throws(TimeError) -> Int128 {
    let half = try Rational(1, over: 2)
    guard isInexact else { return isBefore ? time.ceiling - 1 : time.floor }
    return try isBefore ? (time - half).ceiling - 1 : (time + half).floor
  }
}

extension MediaTime {
  /// Whether the two differ by a hundredth of the other one at most.
  fileprivate func isWithinHundredth(of other: MediaTime) -> Bool {
    let (own, others) = (Int128(value) * Int128(other.timescale), Int128(other.value) * Int128(timescale))
    return abs(own - others) * 100 <= others
  }
}
