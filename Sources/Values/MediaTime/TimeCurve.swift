/// A retiming curve: the source time that is played at each time since a segment's start. In each of its pieces the source plays in
/// one direction or stands still, at a speed that is constant or changes evenly.
///
/// All of it is rational, so no rounding decides what is shown.
package struct TimeCurve: Hashable, Sendable {
  /// The pieces, in order, from zero on. Each begins where and at the source time at which the one before it ends.
  package let pieces: [Piece]

  /// - Precondition: there is a piece, the first one begins at zero, and the others begin where the ones before them end.
  package init(_ pieces: [Piece]) {
    precondition(pieces.first?.start == .zero, "a curve begins at zero")
    precondition(
      zip(pieces, pieces.dropFirst()).allSatisfy { $0.end == $1.start && $0.sourceEnd == $1.source }, "a curve has no jumps")
    self.pieces = pieces
  }

  /// How long it is played for; positive.
  package var duration: MediaTime { pieces[pieces.count - 1].end }

  /// The source times from the earliest to the latest. The range is empty where the source stands still throughout.
  package var source: MediaTimeRange {
    get throws(TimeError) {
      let times = [pieces[0].source] + pieces.map(\.sourceEnd)
      return try MediaTimeRange(start: times.min() ?? .zero, end: times.max() ?? .zero)
    }
  }

  /// The piece at a time since the start. Before zero it is the first one, and from the end on the last one.
  package func piece(at time: MediaTime) -> Piece {
    pieces[min(pieces.partitioningIndex { $0.end > time }, pieces.count - 1)]
  }

  package func sourceTime(at time: MediaTime) throws(TimeError) -> Rational {
    let piece = piece(at: time)
    return try piece.sourceTime(after: Rational(time) - Rational(piece.start))
  }

  // MARK: - Editing

  /// The curve up to `time`, and the curve from then on, which begins at zero.
  ///
  /// - Precondition: `time` is between zero and the end.
  /// - Throws: `TimeError.overflow` when the source time or the speed there is too fine for a media time.
  package func cut(at time: MediaTime) throws(TimeError) -> (TimeCurve, TimeCurve) {
    var (head, tail): ([Piece], [Piece]) = ([], [])
    for piece in pieces {
      if piece.end <= time {
        head.append(piece)
      } else if piece.start >= time {
        tail.append(piece)
      } else {
        let (first, second) = try piece.cut(at: time)
        head.append(first)
        tail.append(second)
      }
    }
    return (
      TimeCurve(head),
      TimeCurve(try tail.map { (piece) throws(TimeError) in try piece.placed(piece.start - time, piece.end - time) })
    )
  }

  /// The curve at another speed, so that it lasts `duration`.
  package func scaled(to duration: MediaTime) throws(TimeError) -> TimeCurve {
    guard duration != self.duration else { return self }
    let factor = try Rational(duration) / Rational(self.duration)
    return TimeCurve(
      try pieces.map { (piece) throws(TimeError) in
        try piece.placed(MediaTime(Rational(piece.start) * factor), MediaTime(Rational(piece.end) * factor))
      })
  }

  /// The curve from its end to its start.
  package func reversed() throws(TimeError) -> TimeCurve {
    let end = duration
    return TimeCurve(try pieces.reversed().map { (piece) throws(TimeError) in try piece.reversed(before: end) })
  }
}

extension TimeCurve {
  /// A piece of a curve. With the length T, the source time s at its start, and the speeds v and w at its ends, the source time after
  /// t is s + v t + (w - v) t² / (2 T): the integral of the speed.
  package struct Piece: Hashable, Sendable {
    /// The times since the curve's start at which it begins and ends. It is never empty.
    package let start: MediaTime
    package let end: MediaTime
    /// The source times at its ends.
    package let source: MediaTime
    package let sourceEnd: MediaTime
    /// The speeds at its ends, in source seconds per second. Backwards they are negative. They never have opposite signs.
    package let speed: Rational
    package let endSpeed: Rational

    private init(
      from start: MediaTime, to end: MediaTime, source: MediaTime, sourceEnd: MediaTime, speeds: (Rational, Rational)
    ) {
      (self.start, self.end, self.source, self.sourceEnd) = (start, end, source, sourceEnd)
      (speed, endSpeed) = speeds
    }

    /// A piece of constant speed.
    ///
    /// - Throws: `TimeError.notPositive` when it is empty.
    package init(from start: MediaTime, at source: MediaTime, to end: MediaTime, at sourceEnd: MediaTime) throws(TimeError) {
      guard start < end else { throw .notPositive("the length of a piece") }
      let speed = try (Rational(sourceEnd) - Rational(source)) / (Rational(end) - Rational(start))
      self.init(from: start, to: end, source: source, sourceEnd: sourceEnd, speeds: (speed, speed))
    }

    /// A piece whose speed changes evenly.
    ///
    /// - Throws: `TimeError.notPositive` when it is empty, `.overflow` when the source time at its end is too fine for a media time.
    /// - Precondition: the speeds do not have opposite signs.
    package init(
      from start: MediaTime, at source: MediaTime, speed: Rational, to end: MediaTime, speed endSpeed: Rational
    ) throws(TimeError) {
      guard start < end else { throw .notPositive("the length of a piece") }
      precondition(speed.numerator.signum() * endSpeed.numerator.signum() >= 0, "a piece plays in one direction")
      let passed = try (speed + endSpeed) * (Rational(end) - Rational(start)) / Rational(2)
      self.init(
        from: start, to: end, source: source, sourceEnd: try MediaTime(Rational(source) + passed), speeds: (speed, endSpeed))
    }

    /// Whether its speed changes.
    package var isRamp: Bool { speed != endSpeed }
    /// Whether the source stands still.
    package var isStill: Bool { speed.numerator == 0 && endSpeed.numerator == 0 }
    package var isReversed: Bool { speed.numerator < 0 || endSpeed.numerator < 0 }

    /// The change of the speed, per second.
    package var acceleration: Rational {
      get throws(TimeError) { try (endSpeed - speed) / (Rational(end) - Rational(start)) }
    }

    /// The source time `passed` seconds after its start.
    package func sourceTime(after passed: Rational) throws(TimeError) -> Rational {
      guard isRamp else { return try Rational(source) + speed * passed }
      return try Rational(source) + passed * (speed + acceleration * passed / Rational(2))
    }

    func cut(at time: MediaTime) throws(TimeError) -> (Piece, Piece) {
      let passed = try Rational(time) - Rational(start)
      let middle = try MediaTime(sourceTime(after: passed))
      // A document can state the speed only as it states times.
      let speed = try isRamp ? Rational(MediaTime(self.speed + acceleration * passed)) : self.speed
      return (
        Piece(from: start, to: time, source: source, sourceEnd: middle, speeds: (self.speed, speed)),
        Piece(from: time, to: end, source: middle, sourceEnd: sourceEnd, speeds: (speed, endSpeed))
      )
    }

    /// The same source times over other times.
    func placed(_ start: MediaTime, _ end: MediaTime) throws(TimeError) -> Piece {
      let factor = try (Rational(self.end) - Rational(self.start)) / (Rational(end) - Rational(start))
      return Piece(from: start, to: end, source: source, sourceEnd: sourceEnd, speeds: try (speed * factor, endSpeed * factor))
    }

    /// The piece in the other direction, in a curve that ends at `length`.
    func reversed(before length: MediaTime) throws(TimeError) -> Piece {
      let speeds = try (Rational(0) - endSpeed, Rational(0) - speed)
      return Piece(from: try length - end, to: try length - start, source: sourceEnd, sourceEnd: source, speeds: speeds)
    }
  }
}
