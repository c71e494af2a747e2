internal import Formats
internal import MediaTime
internal import Timeline

/// One of the copies of all that stands on a layer.
struct LayerCopy {
  /// The maker at the moment on the copy's clock.
  let maker: LayerMaker
  /// The map from the copy's coordinates to the layer's.
  let map: AffineTransform
  /// Whether the map is the same throughout.
  let isSteady: Bool
  /// The largest factor to which a copy is stretched at any time.
  let scale: Double
  let opacity: Double
  let tint: LayerFilter.ColorMatrix?

  /// The ground of what stands on the layer in this copy.
  func ground(on layer: LayerMaker.Ground) -> LayerMaker.Ground {
    if map == .identity, isSteady, scale == 1 { return layer }
    var ground = layer.moved(by: map)
    (ground.isSteady, ground.scale) = (layer.isSteady && isSteady, layer.scale * scale)
    return ground
  }

  private var filters: [LayerFilter.Value] { tint.map { [.color($0)] } ?? [] }

  /// The node with the copy's colours and opacity.
  func changed(_ node: Scene.Node) -> Scene.Node {
    if opacity >= 1, tint == nil { return node }
    if case .still(let still, let placement) = node {
      return .still(still.with(still.drawing.filtered(by: filters), opacity: opacity), placement)
    }
    return .group(Scene.Group([node], opacity: opacity, filters: filters))
  }

  /// The part of a drawing with the copy's place, colours and opacity.
  func changed(_ part: Scene.Drawing.Part) -> Scene.Drawing.Part {
    Scene.Drawing.Part(
      part.drawing.filtered(by: filters), map: part.map.then(map), opacity: part.opacity * opacity, blendMode: part.blendMode)
  }
}

extension LayerMaker {
  /// The copies of what stands on a layer, bottommost first: the last copy lies on top. Copies that are clear are left out.
  func copies(of layer: Layer, _ size: Point) throws(TimeError) -> [LayerCopy] {
    guard let replicator = layer.replicator else {
      return [LayerCopy(maker: self, map: .identity, isSteady: true, scale: 1, opacity: 1, tint: nil)]
    }
    let step = try replicator.step(about: layer.geometry.anchor(of: size, at: time), at: time)
    var (copies, map) = ([LayerCopy](), AffineTransform.identity)
    for index in 0..<replicator.count {
      let opacity = replicator.opacity(of: index)
      if opacity > 0 {
        copies.append(
          LayerCopy(
            maker: try late(by: replicator.delay * Int64(index)), map: map, isSteady: replicator.isSteady,
            scale: replicator.largestScale, opacity: opacity, tint: replicator.tint(of: index)))
      }
      map = step.then(map)
    }
    return copies
  }
}
