package import Formats
package import MediaTime

/// The states of a text's parts over time. The parts are as large as they may be: letters that always move together are one.
///
/// It is a pure function of the letters' places, the motion and the moment, and is computed by IEEE 754's arithmetic alone.
package struct TextChoreography: Sendable {
  /// A part of the text that moves as one.
  package struct Part: Hashable, Sendable {
    /// The part's bytes in the text.
    package let bytes: Range<Int>
    /// The position of its first letter.
    fileprivate let letter: Int
    /// The position of its word among those that are marked.
    fileprivate let marked: Int?
  }

  package let parts: [Part]
  private let letters: TextLetters
  private let motion: TextMotion
  private let em: Double
  private let units: [TextAnimation.Unit: [Rect]]
  private let marks: [Rect]

  /// - Parameter em: the text's size in pixels.
  package init(_ letters: TextLetters, _ motion: TextMotion, em: Double) {
    (self.letters, self.motion, self.em) = (letters, motion, em)
    let finest = motion.finestUnit
    var parts: [Part] = []
    var marks = [Rect?](repeating: nil, count: motion.mark?.words.count ?? 0)
    var last: (unit: Int, marked: Int?)?
    for (index, letter) in letters.letters.enumerated() {
      let marked = motion.mark?.words.firstIndex { $0.bytes.contains(letter.bytes.lowerBound) }
      if let marked { marks[marked] = marks[marked]?.union(letter.frame) ?? letter.frame }
      let unit = letters.unit(finest, of: index)
      if let last, last.unit == unit, last.marked == marked, let part = parts.last {
        parts[parts.count - 1] = Part(
          bytes: part.bytes.lowerBound..<letter.bytes.upperBound, letter: part.letter, marked: marked)
      } else {
        parts.append(Part(bytes: letter.bytes, letter: index, marked: marked))
      }
      last = (unit, marked)
    }
    self.parts = parts
    self.marks = marks.map { $0 ?? Rect(0, 0, 0, 0) }
    let kinds = Set(motion.animations.map(\.animation.unit))
    units = Dictionary(uniqueKeysWithValues: kinds.map { ($0, letters.units($0)) })
  }

  /// The states of all parts at a moment at which the text is shown.
  ///
  /// - Parameter range: the time in which the text is shown.
  package func states(at time: MediaTime, in range: MediaTimeRange) throws(TimeError) -> [TextState] {
    var states = parts.map { _ in TextState() }
    guard !parts.isEmpty else { return states }
    try mark(&states, at: time)
    let times = try Times(motion, units, at: time, in: range)
    if let loop = motion.loop {
      try move(&states, loop) { place throws(TimeError) in try loop.loopShare(at: times.elapsed, place: place) ?? 1 }
    }
    if let entrance = motion.entrance {
      try move(&states, entrance) { place throws(TimeError) in try entrance.share(at: times.sinceStart, place: place) }
    }
    if let exit = motion.exit {
      try move(&states, exit) { place throws(TimeError) in try 1 - exit.share(at: times.sinceExit, place: place) }
    }
    return states.indices.map {
      states[$0].finished(line: letters.lines[letters.letters[parts[$0].letter].line], isVertical: letters.isVertical)
    }
  }

  /// The seconds since the text's parts began to come, and to go. Where both together take longer than the text is shown, they are
  /// faster in proportion.
  private struct Times {
    let elapsed: Rational
    let sinceStart: Rational
    let sinceExit: Rational

    init(
      _ motion: TextMotion, _ units: [TextAnimation.Unit: [Rect]], at time: MediaTime, in range: MediaTimeRange
    ) throws(TimeError) {
      func length(_ animation: TextAnimation?) throws(TimeError) -> Rational {
        try animation.map { animation throws(TimeError) in try animation.length(of: units[animation.unit]?.count ?? 1) }
          ?? Rational(0)
      }
      let (coming, going, shown) = (try length(motion.entrance), try length(motion.exit), Rational(range.duration))
      elapsed = try Rational(time) - Rational(range.start)
      let all = try coming + going
      guard all > shown, shown > Rational(0) else {
        (sinceStart, sinceExit) = (elapsed, try elapsed - (shown - going))
        return
      }
      let speed = try all / shown
      sinceStart = try elapsed * speed
      sinceExit = try sinceStart - coming
    }
  }

  /// Moves the parts by an animation.
  ///
  /// - Parameter share: the share of its way to rest that a unit in a place of the order has behind it.
  private func move(
    _ states: inout [TextState], _ animation: TextAnimation, _ share: (Int) throws(TimeError) -> Double
  ) throws(TimeError) {
    let frames = units[animation.unit] ?? []
    let places = animation.places(of: frames.count)
    var poses: [TextPose] = []
    for (unit, place) in places.enumerated() {
      poses.append(animation.pose(at: try share(place), isOdd: !unit.isMultiple(of: 2)))
    }
    for (index, part) in parts.enumerated() {
      let unit = letters.unit(animation.unit, of: part.letter)
      states[index].add(poses[unit], of: frames[unit], animation, em: em, reading: letters.reading(of: part.letter))
    }
  }

  // MARK: - Marks

  private func mark(_ states: inout [TextState], at time: MediaTime) throws(TimeError) {
    guard let mark = motion.mark else { return }
    for (index, part) in parts.enumerated() {
      guard let marked = part.marked else { continue }
      let (word, highlight) = (mark.words[marked], mark.highlight)
      guard time >= word.range.start, highlight.kind != .word || time < word.range.end else { continue }
      let reading = letters.reading(of: part.letter)
      let tint = TextTint(highlight.color)
      if highlight.kind == .fill, time < word.range.end {
        let share = try word.range.progress(at: time)
        let (filled, rest) = Self.windows(marks[marked], share, reading)
        states[index].coats = [TextState.Coat(window: rest), TextState.Coat(tints: [tint], window: filled)]
      } else {
        states[index].coats = [TextState.Coat(tints: [tint])]
      }
      if let animation = highlight.animation {
        let share = try animation.share(at: Rational(time) - Rational(word.range.start), place: 0)
        states[index].add(animation.pose(at: share), of: marks[marked], animation, em: em, reading: reading)
      }
    }
  }

  /// The windows onto the part of a rectangle that was read, and onto the rest. They reach far beyond it on all other sides.
  fileprivate static func windows(_ frame: Rect, _ share: Double, _ reading: TextLetters.Reading) -> (read: Rect, rest: Rect) {
    let far = TextState.far
    switch reading {
    case .rightward:
      let edge = frame.x + frame.width * share
      return (Rect(-far, -far, edge + far, 2 * far), Rect(edge, -far, far - edge, 2 * far))
    case .leftward:
      let edge = frame.maxX - frame.width * share
      return (Rect(edge, -far, far - edge, 2 * far), Rect(-far, -far, edge + far, 2 * far))
    case .downward:
      let edge = frame.y + frame.height * share
      return (Rect(-far, -far, 2 * far, edge + far), Rect(-far, edge, 2 * far, far - edge))
    case .upward:
      let edge = frame.maxY - frame.height * share
      return (Rect(-far, edge, 2 * far, far - edge), Rect(-far, -far, 2 * far, edge + far))
    }
  }
}

extension TextLetters {
  /// The direction in which a letter is read.
  fileprivate enum Reading { case rightward, leftward, downward, upward }

  fileprivate func reading(of index: Int) -> Reading {
    let isBackwards = letters[index].isRightToLeft
    return isVertical ? (isBackwards ? .upward : .downward) : isBackwards ? .leftward : .rightward
  }
}

/// The state of a part of a text at one moment.
package struct TextState: Hashable, Sendable, Encodable {
  /// A drawing of the letters in certain colours.
  package struct Coat: Hashable, Sendable, Encodable {
    /// The colours that are mixed into the letters' own, one after the other.
    package var tints: [TextTint] = []
    /// The part of the layer in which this coat is seen, before the part of the text is moved; nil where all of it is.
    package var window: Rect?

    package init(tints: [TextTint] = [], window: Rect? = nil) { (self.tints, self.window) = (tints, window) }
  }

  /// The map from the part's place at rest, in the layer's pixels.
  package var map = AffineTransform.identity
  package var opacity = 1.0
  /// The standard deviation of the blur, in the layer's pixels.
  package var blur = 0.0
  /// The part of the layer in which the letters are seen, before they are moved; nil where all of it is.
  package var window: Rect?
  /// The coats of the letters, which lie beside each other.
  package var coats = [Coat()]
  private var isClipped = false

  package init() {}

  package static let rest = TextState()
  /// A distance in pixels beyond everything.
  static let far = 100_000.0

  /// Adds a pose to the state.
  fileprivate mutating func add(
    _ pose: TextPose, of frame: Rect, _ animation: TextAnimation, em: Double, reading: TextLetters.Reading
  ) {
    guard pose != TextPose() else { return }
    if pose.scale != Point(1, 1) || pose.rotation != 0 || pose.offset != Point(0, 0) {
      let anchor = Point(frame.x + frame.width * animation.anchor.x, frame.y + frame.height * animation.anchor.y)
      var own = AffineTransform.translation(-anchor.x, -anchor.y).then(.scale(pose.scale.x, pose.scale.y))
      if pose.rotation != 0 { own = own.then(.rotation(degrees: pose.rotation)) }
      map = map.then(own).then(.translation(anchor.x + pose.offset.x * em, anchor.y + pose.offset.y * em))
    }
    opacity *= pose.opacity
    blur = max(blur, pose.blur * em)
    if let tint = pose.tint { for index in coats.indices { coats[index].tints.append(tint) } }
    isClipped = isClipped || animation.isClipped
    if pose.reveal <= 0 {
      opacity = 0
    } else if pose.reveal < 1 {
      let seen = TextChoreography.windows(frame, pose.reveal, reading).read
      guard let both = window.map({ $0.intersection(seen) }) ?? seen else { return opacity = 0 }
      window = both
    }
  }

  /// The state with all windows. What is not seen has the same state, wherever it is.
  fileprivate func finished(line: Rect, isVertical: Bool) -> TextState {
    var state = self
    if isClipped {
      // The map does not turn where letters are clipped, so a rectangle stays one.
      guard let back = map.inverse else { return .hidden }
      let (from, to) =
        isVertical
        ? (back.apply(line.x, -Self.far), back.apply(line.maxX, Self.far))
        : (back.apply(-Self.far, line.y), back.apply(Self.far, line.maxY))
      let (left, top) = (min(from.x, to.x), min(from.y, to.y))
      let clip = Rect(left, top, abs(to.x - from.x), abs(to.y - from.y))
      state.window = window.map { $0.intersection(clip) } ?? clip
      if state.window == nil { return .hidden }
      state.isClipped = false
    }
    return state.opacity > 0 && map.inverse != nil ? state : .hidden
  }

  package static var hidden: TextState {
    var state = TextState()
    state.opacity = 0
    return state
  }
}
