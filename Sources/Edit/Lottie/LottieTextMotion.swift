internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// The changes that animators make to a text in a font, whose characters have no places before somebody lays it out.
///
/// An animator that reaches all of the text evenly changes the text as a whole. One that lets go of its units one after the other,
/// or takes hold of them, is an animation of a text layer. All others are told as lost.
struct LottieTextMotion {
  let clock: LottieClock
  let log: LottieLog
  let lines: [String]
  /// The text's size, in pixels.
  let size: Double

  /// The way in which a selector goes over the units of a text, in frames.
  fileprivate struct Passage {
    /// Whether the units come to rest; otherwise they leave it.
    let isEntrance: Bool
    /// The share of the animator that all units have on its far side.
    let share: Double
    let order: TextAnimation.Order
    let begin: Double
    let stagger: Double
    let duration: Double
    let end: Double
    let isEven: Bool
  }

  func apply(_ nodes: [LottieNode], to layer: inout Layer) throws(LottieFault) {
    guard case .text(var text)? = layer.content else { return }
    for node in nodes {
      let animator = try LottieAnimators.animator(node, log)
      let (numbers, count) = LottieAnimators.units(animator.selector.unit, lines.map(Array.init))
      let places = visible(numbers)
      if let share = evenShare(animator.selector, places, count) {
        change(&text, &layer, animator, by: share, at: node.path)
      } else if layer.timeRange == nil, text.string.unicodeScalars.count <= DocumentLimits.movingLetters,
        let passage = passage(animator.selector, places, count)
      {
        move(&text, animator, passage, at: node.path)
      } else {
        log.lose(node.path, "a text in a font is animated only as a whole, or where its parts come or go one after the other")
      }
    }
    layer.content = .text(text)
    guard text.motion != nil else { return }
    do throws(TimeError) { layer.timeRange = try MediaTimeRange(start: .zero, end: last) } catch {
      throw LottieFault(path: nodes[0].path.description, reason: "its times cannot be told: \(error)")
    }
  }

  /// The end of the time in which the text is there. The layer's own times say when it is seen.
  private var last: MediaTime { clock.time(LottieLimits.frames) }

  /// The numbers of the units that have something to see, in order, each once.
  private func visible(_ numbers: [Int]) -> [Int] {
    var places: [Int] = []
    for (character, number) in zip(lines.joined(), numbers) where !character.isWhitespace && places.last != number {
      places.append(number)
    }
    return places
  }

  // MARK: - The whole text

  /// The share that all units have throughout; nil where they differ.
  private func evenShare(_ selector: LottieSelector, _ places: [Int], _ count: Int) -> Double? {
    guard !selector.values.contains(where: \.isMoving), let first = places.first else { return nil }
    let share = selector.share(of: first, count: count, at: 0)
    return places.allSatisfy { abs(selector.share(of: $0, count: count, at: 0) - share) < 1e-6 } ? share : nil
  }

  private func change(
    _ text: inout TextContent, _ layer: inout Layer, _ animator: LottieAnimators.Animator, by share: Double, at path: JSONPath
  ) {
    if let opacity = animator.opacity, layer.opacity.keyframes.isEmpty {
      layer.opacity = clock.scalar(opacity) { min(max(1 + ($0 / 100 - 1) * share, 0), 1) }
    } else if animator.opacity != nil {
      lose("o", path)
    }
    if let place = animator.place, let frame = layer.geometry.frame, layer.geometry.position.keyframes.isEmpty {
      let middle = Point(frame.x + frame.width / 2, frame.y + frame.height / 2)
      if place.hasWay { log.approximate(path["a"]["p"], "the text goes along a line") }
      layer.geometry.position = clock.point(
        place.map { [middle.x + $0[0] * share, middle.y + ($0.count > 1 ? $0[1] : 0) * share] })
    } else if animator.place != nil {
      lose("p", path)
    }
    if let tracking = animator.tracking, !tracking.isMoving {
      let bounds = DocumentLimits.letterSpacing
      text.letterSpacing = min(max(text.letterSpacing + tracking.first[0] * share, bounds.lowerBound), bounds.upperBound)
    } else if animator.tracking != nil {
      lose("t", path)
    }
    if let fill = animator.fill, !fill.isMoving {
      text.color = text.color.interpolated(to: Self.color(fill), progress: share).bounded
    } else if animator.fill != nil {
      lose("fc", path)
    }
    loseOthers(animator, path, besides: [animator.scale, animator.rotation], ["s", "r"])
  }

  // MARK: - One part after the other

  /// The way in which a selector goes over the units; nil where it does anything else than going over them once.
  private func passage(_ selector: LottieSelector, _ places: [Int], _ count: Int) -> Passage? {
    let frames = selector.values.filter(\.isMoving).flatMap { $0.keys.map(\.frame) }
    guard let from = frames.min(), let to = frames.max(), to > from, !places.isEmpty else { return nil }
    let steps = max(min(Int(min((to - from) * 4, 4_000)), 400_000 / places.count), 64)
    func frame(_ step: Int) -> Double { from + (to - from) * Double(step) / Double(steps) }
    let shares = places.map { place in (0...steps).map { selector.share(of: place, count: count, at: frame($0)) } }
    let (before, after) = (shares[0][0], shares[0][steps])
    let far = abs(before) > abs(after) ? before : after
    guard abs(far) > 0.02 else { return nil }
    let isEntrance = abs(before) > abs(after)
    // How far each unit is from rest: it falls from 1 to 0. A passage that leaves rest is looked at from its end.
    var times: [(begin: Double, end: Double)] = []
    for row in shares {
      let course = (isEntrance ? row : row.reversed()).map { $0 / far }
      guard abs(course[0] - 1) < 0.02, abs(course[steps]) < 0.02,
        zip(course, course.dropFirst()).allSatisfy({ $1 <= $0 + 0.02 }),
        let high = Self.crossing(course, 0.75), let low = Self.crossing(course, 0.25)
      else { return nil }
      // A line through both crossings.
      let (first, last) = (high - (low - high) / 2, low + (low - high) / 2)
      let length = (to - from) / Double(steps)
      times.append(
        isEntrance ? (from + first * length, from + last * length) : (to - last * length, to - first * length))
    }
    return Passage(isEntrance: isEntrance, share: far, times: times)
  }

  /// The step at which a falling course crosses a level, with its fraction.
  private static func crossing(_ course: [Double], _ level: Double) -> Double? {
    guard let next = course.firstIndex(where: { $0 < level }), next > 0 else { return nil }
    let (high, low) = (course[next - 1], course[next])
    return Double(next - 1) + (high > low ? (high - level) / (high - low) : 0)
  }

  private func move(
    _ text: inout TextContent, _ animator: LottieAnimators.Animator, _ passage: Passage, at path: JSONPath
  ) {
    var motion = text.motion ?? TextMotion()
    guard passage.isEntrance ? motion.entrance == nil : motion.exit == nil, let pose = pose(animator, passage.share, path) else {
      return log.lose(path, "a text in a font comes by one animator, and goes by one")
    }
    var animation = TextAnimation(duration: clock.length(passage.duration), steps: [TextAnimation.Step(0, pose)])
    animation.unit =
      switch animator.selector.unit {
      case .character, .visible: .grapheme
      case .word: .word
      case .line: .line
      }
    (animation.order, animation.stagger) = (passage.order, clock.length(passage.stagger))
    // Characters turn and grow about the middle of their width, on the line.
    animation.anchor = Point(0.5, 0.8)
    if passage.isEntrance {
      animation.delay = clock.time(passage.begin)
      motion.entrance = animation
    } else {
      // The times of documents end long before those that could overflow.
      guard let delay = try? last - clock.time(passage.end) else { return }
      animation.delay = delay
      motion.exit = animation
    }
    text.motion = motion
    let evenly = passage.isEven ? "" : ", evenly"
    log.approximate(path, "the parts of a text in a font come and go one after the other\(evenly), each at a constant pace")
  }

  private func pose(_ animator: LottieAnimators.Animator, _ share: Double, _ path: JSONPath) -> TextPose? {
    var pose = TextPose()
    func rests(_ value: LottieValue?, _ key: String) -> [Double]? {
      guard let value else { return nil }
      if !value.isMoving { return value.first }
      lose(key, path)
      return nil
    }
    let bounds = DocumentLimits.poseDistance
    func bounded(_ value: Double) -> Double { min(max(value, bounds.lowerBound), bounds.upperBound) }
    if let opacity = rests(animator.opacity, "o") { pose.opacity = min(max(1 + (opacity[0] / 100 - 1) * share, 0), 1) }
    if let place = rests(animator.place, "p") {
      pose.offset = Point(bounded(place[0] * share / size), bounded((place.count > 1 ? place[1] : 0) * share / size))
    }
    if let scale = rests(animator.scale, "s") {
      let other = scale.count > 1 ? scale[1] : scale[0]
      pose.scale = Point(bounded(1 + (scale[0] / 100 - 1) * share), bounded(1 + (other / 100 - 1) * share))
    }
    if let rotation = rests(animator.rotation, "r") {
      pose.rotation = min(max(rotation[0] * share, DocumentLimits.rotation.lowerBound), DocumentLimits.rotation.upperBound)
    }
    if let fill = animator.fill, rests(fill, "fc") != nil, share > 0 {
      pose.tint = TextTint(Self.color(fill).bounded, share: min(share, 1))
    }
    loseOthers(animator, path, besides: [animator.tracking], ["t"])
    return pose == TextPose() ? nil : pose
  }

  // MARK: - What is lost

  private static func color(_ value: LottieValue) -> RGBAColor {
    let parts = value.first
    return RGBAColor(parts[0], parts[1], parts[2]).bounded
  }

  private func loseOthers(
    _ animator: LottieAnimators.Animator, _ path: JSONPath, besides more: [LottieValue?], _ names: [String]
  ) {
    let others = [
      ("a", animator.anchor), ("sk", animator.skew), ("fo", animator.fillOpacity), ("sc", animator.stroke),
      ("so", animator.strokeOpacity), ("sw", animator.lineWidth),
    ]
    for (key, value) in others + zip(names, more) where value != nil { lose(key, path) }
  }

  private func lose(_ key: String, _ path: JSONPath) {
    log.lose(path["a"][key], "an animator does not change this of a text in a font")
  }
}

extension LottieTextMotion.Passage {
  /// - Parameter times: those at which the units begin and end, in their order.
  fileprivate init(isEntrance: Bool, share: Double, times: [(begin: Double, end: Double)]) {
    let (first, last) = (times[0].begin, times[times.count - 1].begin)
    let gap = times.count > 1 ? (last - first) / Double(times.count - 1) : 0
    let length = times.reduce(0) { $0 + $1.end - $1.begin } / Double(times.count)
    let isEven = times.indices.allSatisfy { abs(times[$0].begin - first - gap * Double($0)) < 1 }
    self.init(
      isEntrance: isEntrance, share: share, order: gap < 0 ? .backward : .forward, begin: min(first, last), stagger: abs(gap),
      duration: length, end: max(first, last) + length, isEven: isEven)
  }
}
