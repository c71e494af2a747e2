internal import MediaTime
internal import Timeline

extension LayerAnimations {
  /// The pictures over time, up to the composition's end.
  func contents(_ model: Any?) throws(AVError) -> [(MediaTimeRange, Any)] {
    var found: [(start: MediaTime, value: Any?)] = []
    for stretch in stretches(of: runs.filter { $0.key == "contents" }) {
      guard let run = stretch.run else {
        found.append((stretch.start, model))
        continue
      }
      guard run.frames.allSatisfy(\.holds), !run.isAdditive else {
        throw unsaid("animations of 'contents' must be discrete: a CATransition fades")
      }
      found.append((stretch.start, (run.frames.last { $0.time <= stretch.start } ?? run.frames.first)?.value))
      let stop = min(stretch.end ?? time.end, run.end)
      found += run.frames.filter { stretch.start < $0.time && $0.time < stop }.map { ($0.time, $0.value) }
    }
    var pictures: [(MediaTimeRange, Any)] = []
    for (index, picture) in found.enumerated() {
      let last = index + 1 < found.count ? min(found[index + 1].start, time.end) : time.end
      guard let value = picture.value, picture.start < last else { continue }
      pictures.append(
        (try timed(name) { () throws(TimeError) in try MediaTimeRange(start: picture.start, end: last) }, value))
    }
    return pictures
  }

  /// The transition of the layer's contents.
  struct Transition {
    var animation: CATransition
    /// How much of the passage is behind; 1 where it is over, or has not begun.
    var progress: Envelope<Double>
    /// The range in which the former contents are seen.
    var range: MediaTimeRange
  }

  /// The layer's transition; nil where it has none.
  func transition() throws(AVError) -> Transition? {
    func found(in animations: [CAAnimation]) throws(AVError) -> CATransition? {
      for animation in animations {
        if let transition = animation as? CATransition { return transition }
        if let group = animation as? CAAnimationGroup, try found(in: group.animations ?? []) != nil {
          throw unsaid("a CATransition in a group is not made")
        }
      }
      return nil
    }
    guard let animation = try found(in: layer.animations.map(\.animation)),
      let run = runs.last(where: { $0.key == AnimationRun.transitionKey })
    else { return nil }
    let range = try timed(name) { () throws(TimeError) in
      try MediaTimeRange(
        start: run.fillsBackwards ? .zero : max(run.begin, .zero), end: max(run.fillsForwards ? time.end : run.end, .zero))
    }
    return Transition(
      animation: animation, progress: try numbers([AnimationRun.transitionKey], 1).map { min(max($0, 0), 1) }, range: range)
  }

  /// The way of the layer along a path; nil where it goes along none.
  func route() throws(AVError) -> (run: AnimationRun, route: AnimationRoute)? {
    let found = runs.compactMap { run in run.route.map { (run, $0) } }
    guard let only = found.first else { return nil }
    guard found.count == 1, runs.filter({ $0.key.hasPrefix("position") }).count == 1 else {
      throw unsaid("a path and another animation of 'position' are not made")
    }
    return only
  }
}
