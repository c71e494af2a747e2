internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads how texts move: presets by their names, animations of the document's own, and poses.
extension DocumentReader {
  /// The document's own animations, by their names.
  func namedAnimations(_ node: DocumentNode) -> [String: TextAnimation] {
    guard case .object(let members) = node.value else { return node.refuse("an object") ?? [:] }
    guard members.count <= DocumentLimits.textAnimations else {
      return node.refuse(because: "\(members.count) animations; at most \(DocumentLimits.textAnimations) are accepted") ?? [:]
    }
    var animations: [String: TextAnimation] = [:]
    for member in members {
      let own = DocumentNode(value: member.value, path: node.path[member.key], log: log)
      _ = DocumentNode(value: .string(member.key), path: own.path, log: log).string(atMost: DocumentLimits.nameLength)
      if TextPresets.named[member.key] != nil { own.note("is the name of a preset: choose another name") }
      // A faulty animation is known all the same, so that references to it are not faults too.
      animations[member.key] = textAnimation(own, .any) ?? Self.still
    }
    return animations
  }

  private static var still: TextAnimation { TextAnimation(duration: .zero, steps: [.init(0, TextPose())]) }

  /// The motion of a text: how it comes, goes and moves in between. A name alone is that of how it comes.
  func textMotion(_ node: DocumentNode) -> TextMotion? {
    if case .string = node.value { return textAnimation(node, .once).map { TextMotion(entrance: $0) } }
    guard let object = DocumentObject(.textMotion, node) else { return nil }
    guard (object["in"] ?? object["out"] ?? object["loop"]) != nil else {
      return node.refuse(because: "needs \"in\", \"out\" or \"loop\"")
    }
    let motion = TextMotion(
      entrance: object["in"].flatMap { textAnimation($0, .once) }, exit: object["out"].flatMap { textAnimation($0, .once) },
      loop: object["loop"].flatMap { textAnimation($0, .loop) })
    // A text has come before it goes, so only a loop is seen together with another animation.
    let pairs = [motion.entrance, motion.exit].map { [$0, motion.loop].compactMap(\.self) }
    if pairs.contains(where: { $0.contains(where: \.isClipped) && $0.contains(where: \.turns) }) {
      node.note("\"clip\" cuts off between the top and the bottom of a line, so what is clipped cannot turn")
    }
    return motion
  }

  enum AnimationUse {
    case once, loop
    /// The marking of a word, which is its one unit.
    case word
    /// An animation that is named, for any of these.
    case any
  }

  func textAnimation(_ node: DocumentNode, _ use: AnimationUse) -> TextAnimation? {
    guard var animation = readAnimation(node, use) else { return nil }
    if use == .loop, animation.duration <= .zero {
      return node.refuse(because: "a loop takes time: \"duration\" must be positive")
    }
    if use == .word {
      (animation.unit, animation.order, animation.seed) = (.word, .forward, 0)
      (animation.stagger, animation.delay) = (.zero, .zero)
    }
    if use != .loop, use != .any { animation.count = nil }
    return animation
  }

  private func readAnimation(_ node: DocumentNode, _ use: AnimationUse) -> TextAnimation? {
    if case .string = node.value { return preset(node) }
    guard let object = DocumentObject(.textAnimation, node) else { return nil }
    if use == .word {
      for key in ["unit", "order", "seed", "stagger", "delay"] {
        object[key]?.note("a word that is marked moves as one, at its own time")
      }
    }
    if use == .once || use == .word { object["repeat"]?.note("only a loop is repeated") }
    let faultsBefore = log.count
    let base = object["preset"].map(preset)
    if base == nil {
      for key in ["duration", "away"] where object[key] == nil {
        log.note("missing: give it, or a \"preset\" that has it", at: node.path[key], .missingKey)
      }
    }
    let steps = object["away"].flatMap(textSteps)
    let duration = object["duration"].flatMap { time($0) }
    var animation = (base ?? nil) ?? TextAnimation(duration: duration ?? .zero, steps: steps ?? Self.still.steps)
    if let steps { animation.steps = steps }
    if let duration { animation.duration = duration }
    read(object, into: &animation)
    return log.count == faultsBefore ? animation : nil
  }

  private func read(_ object: DocumentObject, into animation: inout TextAnimation) {
    if let unit = object["unit"]?.choice(TextAnimation.Unit.self) { animation.unit = unit }
    if let order = object["order"]?.choice(TextAnimation.Order.self) { animation.order = order }
    if let seed = object["seed"]?.integer(in: 0...DocumentLimits.animationSeed) { animation.seed = seed }
    if let node = object["seed"], animation.order != .random { node.note("only the order \"random\" has a seed") }
    if animation.order != .random { animation.seed = 0 }
    if let stagger = object["stagger"].flatMap({ time($0) }) { animation.stagger = stagger }
    if let delay = object["delay"].flatMap({ time($0) }) { animation.delay = delay }
    if let easing = object["easing"].flatMap(keyframeEasing) { animation.easing = easing }
    if let anchor = object["anchor"].flatMap({ point($0, in: DocumentLimits.overshoot) }) { animation.anchor = anchor }
    if let isClipped = object["clip"]?.bool() { animation.isClipped = isClipped }
    if let alternates = object["alternate"]?.bool() { animation.alternates = alternates }
    if let count = object["repeat"]?.integer(in: 1...DocumentLimits.clockCycles) { animation.count = count }
  }

  private func preset(_ node: DocumentNode) -> TextAnimation? {
    guard let name = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    return textAnimations[name] ?? TextPresets.named[name]
      ?? node.refuse("no animation '\(name)'", name, among: Array(textAnimations.keys) + TextPresets.named.keys)
  }

  // MARK: - Poses

  /// The steps: one pose, or several by rising shares of a unit's time.
  private func textSteps(_ node: DocumentNode) -> [TextAnimation.Step]? {
    guard case .array = node.value else {
      guard let object = DocumentObject(.textPose, node) else { return nil }
      object["at"]?.note("only several poses have shares of the time")
      return textPose(object).map { [TextAnimation.Step(0, $0)] }
    }
    guard let nodes = node.elements(atMost: DocumentLimits.textSteps) else { return nil }
    guard !nodes.isEmpty else { return node.refuse(because: "must not be empty") }
    var steps: [TextAnimation.Step] = []
    for node in nodes {
      guard let object = DocumentObject(.textPose, node) else { return nil }
      let share = object["at"].map { $0.number(in: 0...1) } ?? 0
      guard let share, let pose = textPose(object) else { return nil }
      guard steps.isEmpty ? share == 0 : share < 1 && share > steps[steps.count - 1].share else {
        return (object["at"] ?? node).refuse(
          because: "the poses' shares of the time begin at 0, rise, and stay below 1, at which all rests")
      }
      steps.append(TextAnimation.Step(share, pose))
    }
    return steps
  }

  private func textPose(_ object: DocumentObject) -> TextPose? {
    let faultsBefore = log.count
    var pose = TextPose()
    let bounds = DocumentLimits.poseDistance
    if let opacity = object["opacity"]?.number(in: 0...1) { pose.opacity = opacity }
    if let offset = object["offset"].flatMap({ point($0, in: bounds) }) { pose.offset = offset }
    if let node = object["scale"] {
      if case .array = node.value {
        if let scale = point(node, in: bounds) { pose.scale = scale }
      } else if let scale = node.number(in: bounds) {
        pose.scale = Point(scale, scale)
      }
    }
    if let rotation = object["rotation"]?.number(in: DocumentLimits.rotation) { pose.rotation = rotation }
    if let blur = object["blur"]?.number(in: DocumentLimits.poseBlur) { pose.blur = blur }
    if let reveal = object["reveal"]?.number(in: 0...1) { pose.reveal = reveal }
    if let color = object["color"].flatMap(color) { pose.tint = TextTint(color) }
    return log.count == faultsBefore ? pose : nil
  }

  /// Notes what a text that moves cannot have.
  func checkMotion(_ text: TextContent, _ object: DocumentObject) {
    guard let motion = text.motion, let node = object["animation"] else { return }
    if text.timestamp != nil { node.note("a text with a timestamp changes in each frame, and its letters do not move") }
    object["shadow"]?.note("the shadow of a text that moves would be that of its rectangle: give \"textShadow\"")
    let count = text.string.unicodeScalars.count
    if motion.finestUnit < .line, count > DocumentLimits.movingLetters {
      node.note("\(count) characters move one by one; at most \(DocumentLimits.movingLetters) are accepted")
    }
  }
}

extension TextAnimation {
  /// Whether a unit turns.
  fileprivate var turns: Bool { steps.contains { $0.pose.rotation != 0 } }
}

extension TextAnimation.Unit {
  fileprivate static func < (one: Self, other: Self) -> Bool {
    (allCases.firstIndex(of: one) ?? 0) < (allCases.firstIndex(of: other) ?? 0)
  }
}
