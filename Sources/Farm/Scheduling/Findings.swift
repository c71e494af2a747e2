/// The run of segments that a worker finds in the store instead of making them, and so the number of attempts that it is given ahead of its slots.
///
/// To find a segment takes a thousandth of a second, and a round of the coordinator takes thirty of them. So a worker that finds segments is given
/// more attempts at once, with each one that it finds. Once it gives an attempt back, or makes a segment, it gets as many as it has slots.
struct Findings: Hashable, Sendable {
  /// The attempts that each found segment adds. In a run they multiply by five with each round.
  static let growth = 4
  /// The time for which a worker that gave an attempt back gets none ahead. What it was given and found meanwhile would else bring on the next one
  /// at once.
  static let pause = Duration.milliseconds(250)

  /// The time after which a run is over in which nothing more was found. The next job's segments may all have to be made.
  static let longestGap = Duration.seconds(1)

  /// The most attempts ahead of its slots that the worker takes, as it said.
  var most = 0
  private var count = 0
  private var lastFound = Duration.zero
  private var pausedUntil = Duration.zero

  /// The attempts that the worker is given ahead of its slots.
  func ahead(_ now: Duration) -> Int { now < pausedUntil || now - lastFound > Self.longestGap ? 0 : count }

  /// Notes that the worker finished an attempt at a part.
  mutating func finished(isFound: Bool, _ now: Duration) {
    if now - lastFound > Self.longestGap { count = 0 }
    count = isFound ? min(most, count + Self.growth) : 0
    if isFound { lastFound = now }
  }

  /// Notes that the worker gave an attempt back.
  mutating func returned(_ now: Duration) { (count, pausedUntil) = (0, now + Self.pause) }
}
