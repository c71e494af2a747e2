internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentWriter {
  /// The first value of what changes by keyframes, or these.
  func changing<Value>(_ envelope: Envelope<Value>, _ first: Value, _ write: (Value) -> JSONValue) -> JSONValue {
    self.envelope(envelope, neutral: nil, write) ?? write(first)
  }

  func images(_ image: ImageContent) -> JSONValue {
    guard !image.sequence.keyframes.isEmpty else { return .string(image.asset.rawValue) }
    return steps(image.sequence) { .string($0.rawValue) }
  }

  /// Values each of which stays until the next one; a single one where it holds throughout.
  func steps<Value>(_ values: Envelope<Value>, _ write: (Value) -> JSONValue) -> JSONValue {
    if let constant = values.constant { return write(constant) }
    // The later one of two at one time counts, as for readers.
    let steps = values.keyframes
    let seen = steps.indices.filter { $0 == 0 || $0 + 1 == steps.count || steps[$0 + 1].time > steps[$0].time }
    return .array(seen.map { .object(["at": time(steps[$0].time), "value": write(steps[$0].value)]) })
  }

  func motionPath(_ way: MotionPath) -> JSONValue {
    .object([
      "path": .string(way.path.svg), "progress": envelope(way.progress, neutral: nil, JSONValue.double),
      "rotate": unless(way.rotates, false, JSONValue.bool),
    ])
  }

  func corners(_ corners: Corners) -> JSONValue {
    corners.uniform.map(JSONValue.double) ?? .array(corners.all.map(JSONValue.double))
  }

  func layerShadow(_ shadow: LayerShadow) -> JSONValue {
    let usual = LayerStyle.Shadow()
    return .object([
      "color": envelope(shadow.color, neutral: usual.color, color),
      "offset": envelope(shadow.offset, neutral: usual.offset, point),
      "radius": envelope(shadow.radius, neutral: usual.radius, JSONValue.double), "path": shadow.path.map { .string($0.svg) },
      "ofContent": unless(shadow.isOfContent, false, JSONValue.bool),
    ])
  }

  func filter(_ filter: LayerFilter) -> JSONValue {
    switch filter {
    case .gaussianBlur(let radius): .object(["blur": envelope(radius, neutral: nil, JSONValue.double)])
    case .colorControls(let controls):
      // One value at least is written, so that it stays a filter of colours.
      .object([
        "brightness": envelope(controls.brightness, neutral: 0, JSONValue.double),
        "contrast": envelope(controls.contrast, neutral: 1, JSONValue.double),
        "saturation": envelope(controls.saturation, neutral: 1, JSONValue.double)
          ?? (controls == LayerFilter.ColorControls() ? .double(1) : nil),
      ])
    }
  }

  func replicator(_ replicator: Replicator) -> JSONValue {
    .object([
      "count": .integer(replicator.count), "offset": envelope(replicator.offset, neutral: .zero, point),
      "rotation": envelope(replicator.rotation, neutral: 0, JSONValue.double),
      "scale": envelope(replicator.scale, neutral: Point(1, 1), scale), "delay": unless(replicator.delay, .zero, time),
      "opacityStep": unless(replicator.opacityStep, 0, JSONValue.double), "color": unless(replicator.color, .white, color),
      "colorStep": unless(replicator.colorStep, [0, 0, 0]) { .array($0.map(JSONValue.double)) },
    ])
  }
}
