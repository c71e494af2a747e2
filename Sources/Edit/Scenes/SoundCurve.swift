package import MediaTime

/// The retiming curve of a span of sound, on the movie's clock. Like spans, it is a pure function of the edit.
package struct SoundCurve: Hashable, Sendable, Encodable {
  /// A piece: `t` seconds after its start the source time is `source + speed t + acceleration t² / 2`.
  package struct Piece: Hashable, Sendable, Encodable {
    /// The movie's time at which it begins, from the start of the exported range.
    package let start: Rational
    /// Its length in seconds; positive.
    package let duration: Rational
    package let source: Rational
    /// Source seconds per second at its start.
    package let speed: Rational
    package let acceleration: Rational

    /// Whether the source stands still, so that nothing is heard.
    package var isStill: Bool { speed.numerator == 0 && acceleration.numerator == 0 }

    /// The larger of the speeds at its ends, in either direction.
    package var fastest: Rational {
      get throws(TimeError) {
        let ends = try (speed, speed + acceleration * duration)
        func magnitude(_ speed: Rational) throws(TimeError) -> Rational { speed < Rational(0) ? try Rational(0) - speed : speed }
        return try max(magnitude(ends.0), magnitude(ends.1))
      }
    }
  }

  /// The pieces, in the order of the movie's time. They touch each other.
  package let pieces: [Piece]
  /// The factor by which the pitch is raised, where it does not follow the curve: positive, and 1 where no composition around it plays at
  /// another speed. Nil where the pitch follows the speed.
  package let pitch: Rational?

  /// The curve of a segment that begins at `start` of a clock that the movie's time is `origin + scale * time` of.
  init(_ curve: TimeCurve, from start: MediaTime, origin: Rational, scale: Rational, pitch: Rational?) throws(TimeError) {
    self.pitch = pitch
    func moved(_ piece: TimeCurve.Piece) throws(TimeError) -> Piece {
      let isBackwards = scale < Rational(0)
      let begin = try Rational(start) + Rational(isBackwards ? piece.end : piece.start)
      let length = try (Rational(piece.end) - Rational(piece.start)) * scale
      return Piece(
        start: try origin + scale * begin, duration: isBackwards ? try Rational(0) - length : length,
        source: Rational(isBackwards ? piece.sourceEnd : piece.source),
        speed: try (isBackwards ? piece.endSpeed : piece.speed) / scale, acceleration: try piece.acceleration / scale / scale)
    }
    let moved = try curve.pieces.map(moved)
    pieces = scale < Rational(0) ? moved.reversed() : moved
  }
}
