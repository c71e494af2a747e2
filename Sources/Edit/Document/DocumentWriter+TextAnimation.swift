internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentWriter {
  /// A text's motion, with all values of its presets. Marks of words are those of captions, and are not written here.
  func motion(_ motion: TextMotion) -> JSONValue {
    .object(motion.animations.map { JSONValue.Member(key: $0.key, value: animation($0.animation)) })
  }

  /// - Parameter isWord: whether it is the marking of a word, which is its one unit.
  func animation(_ animation: TextAnimation, isWord: Bool = false) -> JSONValue {
    .object([
      "unit": isWord ? nil : .string(animation.unit.rawValue),
      "order": unless(animation.order, .forward) { .string($0.rawValue) },
      "seed": animation.order == .random ? unless(animation.seed, 0, JSONValue.integer) : nil,
      "delay": unless(animation.delay, .zero, time), "stagger": unless(animation.stagger, .zero, time),
      "duration": time(animation.duration), "easing": unless(animation.easing, .linear, easing),
      "anchor": unless(animation.anchor, LayerGeometry.middle, point), "clip": unless(animation.isClipped, false, JSONValue.bool),
      "alternate": unless(animation.alternates, false, JSONValue.bool), "repeat": animation.count.map(JSONValue.integer),
      "away": animation.steps.count == 1 ? pose(animation.steps[0]) : .array(animation.steps.map(pose)),
    ])
  }

  private func pose(_ step: TextAnimation.Step) -> JSONValue {
    let (pose, usual) = (step.pose, TextPose())
    return .object([
      "at": unless(step.share, 0, JSONValue.double), "opacity": unless(pose.opacity, usual.opacity, JSONValue.double),
      "offset": unless(pose.offset, usual.offset, point),
      "scale": unless(pose.scale, usual.scale) { $0.x == $0.y ? .double($0.x) : point($0) },
      "rotation": unless(pose.rotation, 0, JSONValue.double), "blur": unless(pose.blur, 0, JSONValue.double),
      "reveal": unless(pose.reveal, 1, JSONValue.double), "color": pose.tint.map { color($0.color) },
    ])
  }
}
