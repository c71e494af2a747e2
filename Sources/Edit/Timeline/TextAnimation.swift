package import Formats
package import MediaTime

/// A way in which a text comes, goes, or moves while it is shown. All its units do the same, one after the other.
package struct TextAnimation: Hashable, Sendable, Encodable {
  /// The parts of a text that move on their own.
  package enum Unit: String, Hashable, Sendable, Encodable, CaseIterable {
    /// A letter as readers count them. What a font draws as one, such as a ligature or an emoji of several characters, is one.
    case grapheme
    case word, line
    case text
  }

  /// The order in which the units begin.
  package enum Order: String, Hashable, Sendable, Encodable, CaseIterable {
    case forward, backward
    /// The ways from the middle to both ends, and from the ends to the middle.
    case center, edges
    /// An order that `seed` decides.
    case random
  }

  /// A pose, and the share of a unit's time at which it has it.
  package struct Step: Hashable, Sendable, Encodable {
    /// The share, at least 0 and below 1.
    package var share: Double
    package var pose: TextPose

    package init(_ share: Double, _ pose: TextPose) { (self.share, self.pose) = (share, pose) }
  }

  package var unit = Unit.word
  package var order = Order.forward
  package var seed = 0
  /// The time before the first unit begins. In an exit, it is the time between the last unit's end and the text's.
  package var delay = MediaTime.zero
  /// The time from the beginning of one unit to that of the next.
  package var stagger = MediaTime.zero
  /// The time that a unit takes. Where it is zero, the unit jumps.
  package var duration: MediaTime
  package var easing = Easing.linear
  /// The point about which a unit turns and grows, as shares of its width and height.
  package var anchor = LayerGeometry.middle
  /// Whether a unit is seen only between the top and the bottom of its line.
  package var isClipped = false
  /// Whether every second unit moves and turns the other way.
  package var alternates = false
  /// The number of times that a loop is run through; nil for no end. It says nothing elsewhere.
  package var count: Int?
  /// The poses through which a unit comes to rest, the first one at the share 0, by rising shares. At the share 1 it rests.
  package var steps: [Step]

  /// - Precondition: `steps` are not empty, begin at 0 and rise.
  package init(duration: MediaTime, steps: [Step]) {
    precondition(steps.first?.share == 0 && zip(steps, steps.dropFirst()).allSatisfy { $0.share < $1.share })
    (self.duration, self.steps) = (duration, steps)
  }

  // MARK: - Times

  /// The place of each unit in the order. Units of one place begin together.
  package func places(of count: Int) -> [Int] {
    switch order {
    case .forward: Array(0..<count)
    case .backward: (0..<count).reversed()
    case .center: (0..<count).map { Self.distance($0, count) }
    case .edges: (0..<count).map { (count - 1) / 2 - Self.distance($0, count) }
    case .random: Self.permutation(of: count, seed: seed)
    }
  }

  /// The number of units between this one and the middle of `count`.
  private static func distance(_ index: Int, _ count: Int) -> Int {
    (abs(2 * index - (count - 1)) - (count.isMultiple(of: 2) ? 1 : 0)) / 2
  }

  /// A permutation by Fisher and Yates, with the random numbers of SplitMix64.
  private static func permutation(of count: Int, seed: Int) -> [Int] {
    var state = UInt64(bitPattern: Int64(seed))
    func next() -> UInt64 {
      state &+= 0x9e37_79b9_7f4a_7c15
      var word = (state ^ state >> 30) &* 0xbf58_476d_1ce4_e5b9
      word = (word ^ word >> 27) &* 0x94d0_49bb_1331_11eb
      return word ^ word >> 31
    }
    var places = Array(0..<count)
    for last in stride(from: count - 1, to: 0, by: -1) { places.swapAt(last, Int(next() % UInt64(last + 1))) }
    return places
  }

  /// The time from the beginning of the first unit's delay to the end of the last unit, in seconds.
  ///
  /// - Parameter count: the units, at least one.
  package func length(of count: Int) throws(TimeError) -> Rational {
    let last = order == .center || order == .edges ? (count - 1) / 2 : count - 1
    return try Rational(delay) + Rational(stagger) * Rational(Int64(last)) + Rational(duration)
  }

  /// The share of its time that a unit has behind it, 0...1.
  ///
  /// - Parameters:
  ///   - elapsed: the seconds since the animation's beginning.
  ///   - place: the unit's place in the order.
  package func share(at elapsed: Rational, place: Int) throws(TimeError) -> Double {
    let passed = try elapsed - Rational(delay) - Rational(stagger) * Rational(Int64(place))
    if duration == .zero { return passed >= Rational(0) ? 1 : 0 }
    return try min(max((passed / Rational(duration)).approximation, 0), 1)
  }

  /// The share of a round that a unit of a loop has behind it; nil where it rests.
  package func loopShare(at elapsed: Rational, place: Int) throws(TimeError) -> Double? {
    let rounds = try (elapsed - Rational(delay) - Rational(stagger) * Rational(Int64(place))) / Rational(duration)
    guard rounds >= Rational(0) else { return nil }
    let whole = rounds.floor
    if let count, whole >= Int128(count) { return nil }
    return try (rounds - Rational(whole, over: 1)).approximation
  }

  // MARK: - Poses

  /// The pose of a unit that has this share of its time behind it.
  ///
  /// - Parameter isOdd: whether it is the second, fourth or another such unit.
  package func pose(at share: Double, isOdd: Bool = false) -> TextPose {
    guard share < 1, let position = steps.lastIndex(where: { $0.share <= share }) else { return TextPose() }
    let from = steps[position]
    let next = position + 1 < steps.count ? steps[position + 1] : Step(1, TextPose())
    let length = next.share - from.share
    let progress = easing.progress(at: (share - from.share) / length, of: duration.seconds * length)
    let pose = progress == 0 ? from.pose : from.pose.interpolated(to: next.pose, progress: progress)
    return alternates && isOdd ? pose.mirrored : pose
  }
}

/// The look of a unit of a text, against its look at rest.
package struct TextPose: Hashable, Sendable, Encodable {
  package var opacity = 1.0
  /// The distance from its place, in ems of the text.
  package var offset = Point(0, 0)
  package var scale = Point(1, 1)
  /// The angle in degrees, clockwise as seen.
  package var rotation = 0.0
  /// The standard deviation of the blur, in ems of the text.
  package var blur = 0.0
  /// The share of the unit's width that is seen, from where reading begins.
  package var reveal = 1.0
  /// The colour towards which that of the letters is moved, and how far, 0...1.
  package var tint: TextTint?

  package init() {}

  /// The pose on the other side: offset and rotation are turned round.
  var mirrored: TextPose {
    var pose = self
    (pose.offset, pose.rotation) = (Point(-offset.x, -offset.y), -rotation)
    return pose
  }
}

extension TextPose {
  package func interpolated(to other: TextPose, progress: Double) -> TextPose {
    var pose = TextPose()
    pose.opacity = min(max(opacity.interpolated(to: other.opacity, progress: progress), 0), 1)
    pose.offset = offset.interpolated(to: other.offset, progress: progress)
    pose.scale = scale.interpolated(to: other.scale, progress: progress)
    pose.rotation = rotation.interpolated(to: other.rotation, progress: progress)
    pose.blur = max(blur.interpolated(to: other.blur, progress: progress), 0)
    pose.reveal = min(max(reveal.interpolated(to: other.reveal, progress: progress), 0), 1)
    if let color = tint?.color ?? other.tint?.color {
      let share = (tint?.share ?? 0).interpolated(to: other.tint?.share ?? 0, progress: progress)
      let mixed = color.interpolated(to: other.tint?.color ?? color, progress: min(max(progress, 0), 1))
      if share > 0 { pose.tint = TextTint(mixed, share: min(share, 1)) }
    }
    return pose
  }
}

/// A colour that is mixed into that of letters.
package struct TextTint: Hashable, Sendable, Encodable {
  package var color: RGBAColor
  /// The colour's share, above 0 and at most 1.
  package var share: Double

  package init(_ color: RGBAColor, share: Double = 1) { (self.color, self.share) = (color, share) }

  package func applied(to own: RGBAColor) -> RGBAColor {
    share >= 1 ? color : own.interpolated(to: color, progress: share)
  }
}
