internal import Formats
internal import MediaTime
internal import Timeline

/// The animations of a layer. Where several are of one property, the one that was added last decides, as long as it is active.
struct LayerAnimations {
  private var runs: [AnimationRun] = []
  private let end: MediaTime
  private let name: String
  private let layer: CALayer

  private static let keys: Set<String> = [
    "opacity", "position", "position.x", "position.y", "transform", "transform.scale", "transform.scale.x", "transform.scale.y",
    "transform.scale.xy", "transform.rotation", "transform.rotation.z", "backgroundColor", "cornerRadius", "borderWidth",
  ]

  /// - Parameter end: the time at which the movie ends, on the clock on which the layer's keyframes count.
  init(_ layer: CALayer, until end: MediaTime, _ name: String) throws(AVError) {
    (self.layer, self.name, self.end) = (layer, name, end)
    let clock = AnimationClock(end: end.seconds, name: name)
    let isShape = layer is CAShapeLayer
    let isPicture = !isShape && !(layer is CATextLayer) && !(layer is CAGradientLayer)
    for (_, animation) in layer.animations {
      for run in try clock.runs(of: animation, model: { Self.model($0, layer) }) {
        let isKnown =
          Self.keys.contains(run.key) || isShape && ["strokeStart", "strokeEnd"].contains(run.key)
          || isPicture && run.key == "contents"
        guard isKnown else {
          throw AVError(.operationNotAllowed, "animationTool: \(name): animations of '\(run.key)' are not made", property: name)
        }
        runs.append(run)
      }
    }
  }

  private static func model(_ key: String, _ layer: CALayer) -> Any? {
    switch key {
    case "opacity": decimal(layer.opacity)
    case "position": layer.position
    case "position.x": layer.position.x
    case "position.y": layer.position.y
    case "transform": layer.transform
    case "transform.scale", "transform.scale.x", "transform.scale.y", "transform.scale.xy": 1.0
    case "transform.rotation", "transform.rotation.z": 0.0
    case "backgroundColor": layer.backgroundColor ?? CGColor.clear
    case "cornerRadius": layer.cornerRadius
    case "borderWidth": layer.borderWidth
    case "strokeStart": (layer as? CAShapeLayer)?.strokeStart
    case "strokeEnd": (layer as? CAShapeLayer)?.strokeEnd
    default: nil
    }
  }

  func changes(_ key: String) -> Bool { runs.contains { $0.key == key } }

  /// The stretches of time from zero on, each with the animation that decides in it; nil where the layer's own value is seen.
  private func stretches(_ keys: [String]) -> [(start: MediaTime, end: MediaTime?, run: AnimationRun?)] {
    let runs = runs.filter { keys.contains($0.key) }
    let borders = Set(runs.flatMap { [$0.begin, $0.end] }.filter { $0 > .zero } + [.zero]).sorted()
    var found: [(start: MediaTime, end: MediaTime?, index: Int?)] = []
    for start in borders {
      let index = runs.lastIndex { $0.holds(from: start) }
      if let last = found.last, last.index == index { continue }
      if !found.isEmpty { found[found.count - 1].end = start }
      found.append((start, nil, index))
    }
    return found.map { ($0.start, $0.end, $0.index.map { runs[$0] }) }
  }

  /// The values over time of a property.
  func envelope<Value: Interpolable>(
    _ keys: [String], _ model: Value, _ convert: (Any) throws(AVError) -> Value
  ) throws(AVError) -> Envelope<Value> {
    var frames: [Envelope<Value>.Keyframe] = []
    for stretch in stretches(keys) {
      guard let run = stretch.run else {
        frames.append(.init(stretch.start, model, holds: true))
        continue
      }
      var own: [Envelope<Value>.Keyframe] = []
      for frame in run.frames {
        own.append(.init(frame.time, try convert(frame.value), holds: frame.holds, easing: frame.easing))
      }
      do { frames += try Self.part(Envelope(own), from: stretch.start, to: stretch.end, of: run) } catch {
        throw AVError(
          .operationNotAllowed,
          "animationTool: \(name): an eased animation of '\(run.key)' is cut off by another one or by its end", property: name)
      }
    }
    if frames.count == 1, frames[0].time == .zero { return Envelope(constant: frames[0].value) }
    return Envelope(frames)
  }

  private struct Cut: Error {}

  /// The keyframes of a stretch. An animation that goes on beyond it is cut there.
  private static func part<Value: Interpolable>(
    _ own: Envelope<Value>, from start: MediaTime, to end: MediaTime?, of run: AnimationRun
  ) throws -> [Envelope<Value>.Keyframe] {
    func value(at time: MediaTime) throws -> Value {
      guard let span = try own.span(at: time) else { return own.keyframes[0].value }
      let here = own.keyframes.last { $0.time <= time }
      if span.progress > 0, let here, here.easing != .linear { throw Cut() }
      return span.progress == 0 ? span.from : span.from.interpolated(to: span.to, progress: span.progress)
    }
    // The run's own end may lie within its last pass.
    let stop = end.map { min($0, run.end) } ?? run.end
    var frames: [Envelope<Value>.Keyframe] = []
    if start >= stop || own.keyframes.first(where: { $0.time == start }) == nil {
      let here = own.keyframes.last { $0.time <= start }
      let isMoving = start < stop && (here.map { !$0.holds } ?? false)
      frames.append(.init(start, try value(at: min(start, run.end)), holds: !isMoving))
    }
    frames += own.keyframes.filter { start <= $0.time && $0.time < stop }
    if let last = own.keyframes.last(where: { $0.time < stop }), start < stop, !last.holds {
      let arrival = own.keyframes.first { $0.time >= stop }
      let value = try arrival?.time == stop ? arrival?.value ?? last.value : value(at: stop)
      frames.append(.init(stop, value, holds: true))
    }
    return frames
  }

  /// The pictures over time, up to the composition's end.
  func contents(_ model: Any?) throws(AVError) -> [(MediaTimeRange, Any)] {
    var found: [(start: MediaTime, value: Any?)] = []
    for stretch in stretches(["contents"]) {
      guard let run = stretch.run else {
        found.append((stretch.start, model))
        continue
      }
      guard run.frames.allSatisfy(\.holds) else {
        throw AVError(
          .operationNotAllowed, "animationTool: \(name): animations of 'contents' must be discrete", property: name)
      }
      found.append((stretch.start, (run.frames.last { $0.time <= stretch.start } ?? run.frames.first)?.value))
      let stop = min(stretch.end ?? end, run.end)
      found += run.frames.filter { stretch.start < $0.time && $0.time < stop }.map { ($0.time, $0.value) }
    }
    var pictures: [(MediaTimeRange, Any)] = []
    for (index, picture) in found.enumerated() {
      let last = index + 1 < found.count ? min(found[index + 1].start, end) : end
      guard let value = picture.value, picture.start < last else { continue }
      do { pictures.append((try MediaTimeRange(start: picture.start, end: last), value)) } catch {
        throw AVError(.operationNotAllowed, "animationTool: \(name): \(error)", property: name)
      }
    }
    return pictures
  }
}
