internal import MediaTime
internal import Scenes

/// A stretch of a retiming curve in which the source plays in one direction, at no less than the slowest speed at which sound is heard
/// that keeps its pitch. Times are seconds since the beginning of the curve, and of the source. So they do not depend on the range of
/// the edit that is a movie, which moves the curve.
struct CurvedRun {
  /// A part of the run: `t` seconds after its start the source is at `source + speed t + acceleration t² / 2`.
  struct Piece {
    let start, duration, source, speed, acceleration: Double

    var end: Double { start + duration }
    var sourceEnd: Double { source(after: duration) }

    func source(after passed: Double) -> Double { source + passed * (speed + passed * acceleration / 2) }

    func speed(after passed: Double) -> Double { speed + passed * acceleration }
  }

  private(set) var pieces: [Piece]

  var isReversed: Bool { pieces[0].speed(after: pieces[0].duration / 2) < 0 }
  var start: Double { pieces[0].start }
  var end: Double { pieces[pieces.count - 1].end }
  /// The earliest and the latest time of the source.
  var earliest: Double { min(pieces[0].source, pieces[pieces.count - 1].sourceEnd) }
  var latest: Double { max(pieces[0].source, pieces[pieces.count - 1].sourceEnd) }

  /// The time at which the source is at `source`. Before the run and after it the source goes on at the speeds of its ends.
  func time(of source: Double) -> Double {
    let sign = isReversed ? -1.0 : 1.0
    let (first, last) = (pieces[0], pieces[pieces.count - 1])
    if sign * source <= sign * first.source { return first.start + (source - first.source) / first.speed }
    guard sign * source < sign * last.sourceEnd else { return end + (source - last.sourceEnd) / last.speed(after: last.duration) }
    let piece = pieces[min(pieces.partitioningIndex { sign * $0.sourceEnd > sign * source }, pieces.count - 1)]
    // The root of the quadratic, in the form that loses no digits where the speed hardly changes.
    let distance = source - piece.source
    let square = max(piece.speed * piece.speed + 2 * piece.acceleration * distance, 0)
    return piece.start + min(2 * distance / (piece.speed + sign * square.squareRoot()), piece.duration)
  }

  /// The runs of a curve, in order. Between them the source is too slow to be heard, or turns round.
  ///
  /// - Parameter slowest: the least speed that is heard, in either direction; positive.
  static func all(of curve: SoundCurve, slowest: Double) throws(TimeError) -> [CurvedRun] {
    var (runs, heard): ([CurvedRun], [Piece]) = ([], [])
    for piece in curve.pieces {
      let start = try piece.start - curve.pieces[0].start
      heard += self.heard(piece, at: start.approximation, slowest: slowest)
    }
    for piece in heard {
      let isReversed = piece.speed(after: piece.duration / 2) < 0
      // Ends of pieces are computed, so they may miss each other by a rounding.
      if let last = runs.last, last.isReversed == isReversed, abs(last.end - piece.start) < 1e-9 {
        runs[runs.count - 1].pieces.append(piece)
      } else {
        runs.append(CurvedRun(pieces: [piece]))
      }
    }
    return runs
  }

  /// The part of a piece in which the source is fast enough; none, or one.
  ///
  /// - Parameter start: the time at which the piece begins.
  private static func heard(_ piece: SoundCurve.Piece, at start: Double, slowest: Double) -> [Piece] {
    let whole = Piece(
      start: start, duration: piece.duration.approximation, source: piece.source.approximation,
      speed: piece.speed.approximation, acceleration: piece.acceleration.approximation)
    let (first, last) = (abs(whole.speed), abs(whole.speed(after: whole.duration)))
    // A piece plays in one direction, so its speed passes the slowest one at most once.
    guard max(first, last) >= slowest else { return [] }
    let passed = abs(whole.acceleration) > 0 ? abs(slowest - first) / abs(whole.acceleration) : 0
    let lower = first < slowest ? passed : 0
    let upper = last < slowest ? passed : whole.duration
    guard lower < upper else { return [] }
    return [
      Piece(
        start: whole.start + lower, duration: upper - lower, source: whole.source(after: lower), speed: whole.speed(after: lower),
        acceleration: whole.acceleration)
    ]
  }
}
