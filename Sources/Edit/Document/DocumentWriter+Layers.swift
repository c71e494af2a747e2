internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentWriter {
  func layer(_ layer: Layer) -> JSONValue {
    .object(members(of: layer.content) + members(of: layer.geometry) + members(of: layer.style) + rest(of: layer))
  }

  func members(_ pairs: KeyValuePairs<String, JSONValue?>) -> [JSONValue.Member] {
    pairs.compactMap { key, value in value.map { JSONValue.Member(key: key, value: $0) } }
  }

  private func rest(of layer: Layer) -> [JSONValue.Member] {
    members([
      "opacity": envelope(layer.opacity, neutral: 1, JSONValue.double),
      "from": layer.timeRange.flatMap { layer.staysToEnd ? time($0.start) : unless($0.start, .zero, time) },
      "to": layer.staysToEnd ? nil : layer.timeRange.map { time($0.end) },
      "clock": layer.clock.map(clock), "zPosition": envelope(layer.zPosition, neutral: 0, JSONValue.double),
      "hidden": layer.hidden.keyframes.isEmpty ? nil : steps(layer.hidden, JSONValue.bool), "mask": layer.mask.map(self.layer),
      "layers": unlessEmpty(layer.sublayers) { .array($0.map(self.layer)) },
      "maskMode": unless(layer.maskMode, .alpha) { .string($0.rawValue) }, "replicator": layer.replicator.map(replicator),
    ])
  }

  func spring(_ spring: Spring) -> JSONValue {
    let usual = Spring()
    return .object(
      members([
        "mass": unless(spring.mass, usual.mass, JSONValue.double),
        "stiffness": unless(spring.stiffness, usual.stiffness, JSONValue.double),
        "damping": unless(spring.damping, usual.damping, JSONValue.double),
        "velocity": unless(spring.velocity, usual.velocity, JSONValue.double),
      ]))
  }

  private func clock(_ clock: LayerClock) -> JSONValue {
    let usual = LayerClock()
    return .object(
      members([
        "begin": unless(clock.begin, usual.begin, time), "speed": unless(clock.speed, usual.speed, fraction),
        "offset": unless(clock.offset, usual.offset, time), "duration": clock.cycle.map { time($0.duration) },
        "repeat": clock.cycle.flatMap { cycle in
          cycle.count.map { unless(Int($0), 1, JSONValue.integer) } ?? .string("forever")
        },
        "autoreverse": clock.cycle.flatMap { unless($0.autoreverses, false, JSONValue.bool) },
      ]))
  }

  func fraction(_ number: Rational) -> JSONValue {
    .string(number.denominator == 1 ? "\(number.numerator)" : "\(number.numerator)/\(number.denominator)")
  }

  func point(_ point: Point) -> JSONValue { .array([.double(point.x), .double(point.y)]) }

  func scale(_ scale: Point) -> JSONValue { scale.x == scale.y ? .double(scale.x) : point(scale) }

  private func members(of geometry: LayerGeometry) -> [JSONValue.Member] {
    members([
      "frame": geometry.frame.map(rect), "bounds": envelope(geometry.bounds, neutral: nil, point),
      "anchorPoint": geometry.anchorMotion.keyframes.isEmpty
        ? unless(geometry.anchorPoint, LayerGeometry.middle, point) : envelope(geometry.anchorMotion, neutral: nil, point),
      "position": envelope(geometry.position, neutral: nil, point),
      "scale": envelope(geometry.scale, neutral: Point(1, 1), scale),
      "rotation": envelope(geometry.rotation, neutral: 0, JSONValue.double),
      "transform": envelope(geometry.transform, neutral: .identity, transform),
      "rotationX": envelope(geometry.rotationX, neutral: 0, JSONValue.double),
      "rotationY": envelope(geometry.rotationY, neutral: 0, JSONValue.double),
      "transform3D": envelope(geometry.transform3D, neutral: .identity) { .array($0.terms.map(JSONValue.double)) },
      "perspective": envelope(geometry.perspective, neutral: nil, JSONValue.double),
      "doubleSided": unless(geometry.isDoubleSided, true, JSONValue.bool), "motionPath": geometry.motionPath.map(motionPath),
    ])
  }

  private func members(of style: LayerStyle) -> [JSONValue.Member] {
    members([
      "backgroundColor": envelope(style.backgroundColor, neutral: nil, color),
      "cornerRadius": envelope(style.cornerRadius, neutral: 0, corners),
      "borderWidth": envelope(style.borderWidth, neutral: 0, JSONValue.double),
      "borderColor": envelope(style.borderColor, neutral: .black, color),
      "masksToBounds": unless(style.masksToBounds, false, JSONValue.bool),
      "shadow": style.shadow.map(layerShadow),
      "blendMode": unless(style.blendMode, .normal) { .string($0.rawValue) },
      "filters": unlessEmpty(style.filters) { .array($0.map(filter)) },
      "backdropFilters": unlessEmpty(style.backdropFilters) { .array($0.map(filter)) },
    ])
  }

  func shadow(_ shadow: LayerStyle.Shadow) -> JSONValue {
    let usual = LayerStyle.Shadow()
    return .object([
      "color": unless(shadow.color, usual.color, color), "offset": unless(shadow.offset, usual.offset, point),
      "radius": unless(shadow.radius, usual.radius, JSONValue.double),
    ])
  }

  private func members(of content: Layer.Content?) -> [JSONValue.Member] {
    switch content {
    case nil: []
    case .image(let image):
      members([
        "image": images(image), "gravity": unless(image.gravity, .resizeAspect) { .string($0.rawValue) },
        "contentsRect": envelope(image.contentsRect, neutral: ImageContent.whole, rect),
        "contentsCenter": image.contentsCenter.map(rect),
      ])
    case .moving(let moving): members(of: moving)
    case .text(let text): members(of: text)
    case .shape(let shape): members(of: shape)
    case .gradient(let gradient): members(["gradient": self.gradient(gradient)])
    case .waveform(let waveform): members(["waveform": self.waveform(waveform)])
    }
  }

  private func members(of moving: MovingContent) -> [JSONValue.Member] {
    let gravity = unless(moving.gravity, .resizeAspect) { JSONValue.string($0.rawValue) }
    return switch moving.source {
    case .track(let track): members(["track": .string(track.rawValue), "gravity": gravity])
    case .video: members(["video": .bool(true), "gravity": gravity])
    case .asset(let asset, let loops):
      members(["clip": .string(asset.rawValue), "loop": unless(loops, true, JSONValue.bool), "gravity": gravity])
    }
  }

  private func members(of shape: ShapeContent) -> [JSONValue.Member] {
    let (usual, motion) = (ShapeContent(outline: shape.outline), shape.motion)
    let outline: JSONValue =
      switch shape.outline {
      case .rectangle: .string("rectangle")
      case .ellipse: .string("ellipse")
      case .path(let path): .object(["path": changing(motion.path, path) { .string($0.svg) }])
      }
    return members([
      "shape": outline, "fillColor": shape.fillColor.map { changing(motion.fillColor, $0, color) },
      "fillRule": unless(shape.fillRule, usual.fillRule) { .string($0.rawValue) },
      "strokeColor": shape.strokeColor.map { changing(motion.strokeColor, $0, color) },
      "lineWidth": motion.lineWidth.keyframes.isEmpty
        ? unless(shape.lineWidth, usual.lineWidth, JSONValue.double) : envelope(motion.lineWidth, neutral: nil, JSONValue.double),
      "lineCap": unless(shape.lineCap, usual.lineCap) { .string($0.rawValue) },
      "lineJoin": unless(shape.lineJoin, usual.lineJoin) { .string($0.rawValue) },
      "miterLimit": unless(shape.miterLimit, usual.miterLimit, JSONValue.double),
      "dash": unlessEmpty(shape.dash) { .array($0.map(JSONValue.double)) },
      "dashPhase": motion.dashPhase.keyframes.isEmpty
        ? unless(shape.dashPhase, 0, JSONValue.double) : envelope(motion.dashPhase, neutral: nil, JSONValue.double),
      "strokeStart": envelope(shape.strokeStart, neutral: 0, JSONValue.double),
      "strokeEnd": envelope(shape.strokeEnd, neutral: 1, JSONValue.double),
    ])
  }

  func gradient(_ gradient: GradientContent) -> JSONValue {
    func colors(_ stops: [GradientContent.Stop]) -> JSONValue { .array(stops.map { color($0.color) }) }
    return .object([
      "kind": unless(gradient.kind, .linear) { .string($0.rawValue) },
      "colors": changing(gradient.motion, gradient.stops, colors),
      "locations": changing(gradient.course.locations, gradient.stops.map(\.location)) { .array($0.map(JSONValue.double)) },
      "start": gradient.course.start.keyframes.isEmpty
        ? unless(gradient.start, gradient.kind.usualStart, point) : envelope(gradient.course.start, neutral: nil, point),
      "end": gradient.course.end.keyframes.isEmpty
        ? unless(gradient.end, gradient.kind.usualEnd, point) : envelope(gradient.course.end, neutral: nil, point),
    ])
  }
}
