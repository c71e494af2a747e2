package import Formats

/// The corner from which the geometry of layers counts.
package enum LayerOrigin: String, Hashable, Sendable, CaseIterable {
  /// The top left corner: y grows downwards.
  case topLeft
  /// The bottom left corner: y grows upwards, as in Core Animation on a Mac.
  case bottomLeft
}

extension Layer {
  /// The layer with the geometry that it has from the top left corner, where this one's counts from the bottom left. What stands on
  /// it, and its mask, stay as they are.
  ///
  /// This is the only place where one becomes the other. All that is seen stays upright: images, texts, and corners, which are named
  /// as they are seen.
  ///
  /// - Parameters:
  ///   - ground: the height of what the layer stands on; nil where it is not known.
  ///   - height: its own height; nil where it is not known.
  /// - Returns: nil where a height is needed that is not known.
  package func flipped(on ground: Double?, height: Double?) -> Layer? {
    var layer = self
    guard let geometry = geometry.flipped(on: ground, isImage: isImage) else { return nil }
    layer.geometry = geometry
    switch content {
    case .image(var image):
      image.contentsRect = image.contentsRect.map(\.flippedShare)
      image.contentsCenter = image.contentsCenter?.flippedShare
      layer.content = .image(image)
    case .shape(var shape):
      if case .path(let path) = shape.outline {
        guard let height else { return nil }
        shape.outline = .path(path.flipped(in: height))
        shape.motion.path = shape.motion.path.map { $0.flipped(in: height) }
      }
      layer.content = .shape(shape)
    case .gradient(var gradient):
      (gradient.start.y, gradient.end.y) = (1 - gradient.start.y, 1 - gradient.end.y)
      gradient.course.start = gradient.course.start.map { Point($0.x, 1 - $0.y) }
      gradient.course.end = gradient.course.end.map { Point($0.x, 1 - $0.y) }
      layer.content = .gradient(gradient)
    case .text, .waveform, .moving, nil: break
    }
    if var shadow = style.shadow {
      shadow.offset = shadow.offset.map { Point($0.x, -$0.y) }
      if let path = shadow.path {
        guard let height else { return nil }
        shadow.path = path.flipped(in: height)
      }
      layer.style.shadow = shadow
    }
    if var replicator {
      replicator.offset = replicator.offset.map { Point($0.x, -$0.y) }
      replicator.rotation = replicator.rotation.map { -$0 }
      layer.replicator = replicator
    }
    return layer
  }

  private var isImage: Bool { if case .image? = content { true } else { false } }
}

extension LayerGeometry {
  /// - Parameter isImage: whether the layer has its picture's own size where it has no frame.
  fileprivate func flipped(on ground: Double?, isImage: Bool) -> LayerGeometry? {
    var geometry = self
    geometry.anchorPoint.y = 1 - anchorPoint.y
    geometry.anchorMotion = anchorMotion.map(added: { Point($0.x, -$0.y) }) { Point($0.x, 1 - $0.y) }
    if let frame {
      guard let ground else { return nil }
      geometry.frame = Rect(frame.x, ground - frame.maxY, frame.width, frame.height)
    }
    // A picture of its own size stands in the corner from which is counted.
    if isImage, frame == nil, position.keyframes.isEmpty, motionPath == nil { return nil }
    if !position.keyframes.isEmpty {
      guard let ground else { return nil }
      geometry.position = position.map(added: { Point($0.x, -$0.y) }) { Point($0.x, ground - $0.y) }
    }
    if let motionPath {
      guard let ground else { return nil }
      geometry.motionPath?.path = motionPath.path.flipped(in: ground)
    }
    // A turn about the y axis is the same turn from below.
    geometry.rotation = rotation.map { -$0 }
    geometry.rotationX = rotationX.map { -$0 }
    geometry.transform = transform.map { AffineTransform($0.a, -$0.b, -$0.c, $0.d, $0.tx, -$0.ty) }
    geometry.transform3D = transform3D.map { transform in
      Transform3D(transform.terms.enumerated().map { ($0 / 4 == 1) != ($0 % 4 == 1) ? -$1 : $1 })
    }
    return geometry
  }
}

extension LayerGeometry {
  /// The geometry of a layer that keeps its distance from the bottom of what it stands on, whose height changes. It is one that
  /// counts from the top left of the height at rest.
  ///
  /// - Parameters:
  ///   - bounds: the ground's size over time; its height is never below 0.
  ///   - rest: the ground's height at rest.
  /// - Returns: nil where that cannot be said: a layer on a motion path has no position, and the passes of a cumulative height add up
  ///   all of it.
  package func led(by bounds: Envelope<Point>, from rest: Double) -> LayerGeometry? {
    // A layer without a frame fills its ground, and only a stated position keeps a distance.
    guard let usual = position.keyframes.isEmpty ? restingPosition.map({ Envelope(constant: $0) }) : position else {
      return motionPath == nil ? self : nil
    }
    guard motionPath == nil, bounds.repetition?.isCumulative != true else { return nil }
    let growth = bounds.map(added: { Point(0, $0.y) }) { Point(0, $0.y - rest) }
    var led = self
    led.position = usual.with(usual.repetition, adding: (usual.additions ?? []) + growth.summands)
    return led
  }

  /// The place that the frame gives the anchor point; nil without a frame.
  private var restingPosition: Point? {
    frame.map { Point($0.x + anchorPoint.x * $0.width, $0.y + anchorPoint.y * $0.height) }
  }
}

extension VectorPath {
  fileprivate func flipped(in height: Double) -> VectorPath { map { Point($0.x, height - $0.y) } }
}

extension Rect {
  /// The part of a picture, as shares of it, that counts from the other corner.
  fileprivate var flippedShare: Rect { Rect(x, 1 - y - height, width, height) }
}
