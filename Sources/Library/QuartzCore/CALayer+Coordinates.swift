extension CALayer {
  /// The map from the layer's coordinates to those of the layer that it stands on.
  ///
  /// - Precondition: the layer lies in the plane.
  var placement: CGAffineTransform {
    let turn = isGeometryFlipped ? CGAffineTransform(1, 0, 0, -1, 0, bounds.minY + bounds.maxY) : .identity
    return turn.concatenating(CGAffineTransform(translationX: -corner.x, y: -corner.y)).concatenating(affineTransform())
      .concatenating(CGAffineTransform(translationX: position.x, y: position.y))
  }

  /// The point of another layer of the same tree that is seen at the same place; in the coordinates of what the tree stands on for nil.
  ///
  /// Turns in space and perspectives count. A point that is behind the viewer, or that would be on a layer seen edge on, has no place:
  /// both coordinates are no numbers (NaN) then.
  public func convert(_ p: CGPoint, to l: CALayer?) -> CGPoint { Self.carry([p], from: self, to: l).first ?? .nowhere }
  /// The point of this layer that is seen where a point of another one is; NaN where there is none.
  public func convert(_ p: CGPoint, from l: CALayer?) -> CGPoint { Self.carry([p], from: l, to: self).first ?? .nowhere }
  /// The smallest rectangle around the four corners, each converted; null where one of them has no place.
  public func convert(_ r: CGRect, to l: CALayer?) -> CGRect { CGRect(around: Self.carry(r.corners, from: self, to: l)) }
  /// The smallest rectangle around the four corners, each converted; null where one of them has no place.
  public func convert(_ r: CGRect, from l: CALayer?) -> CGRect { CGRect(around: Self.carry(r.corners, from: l, to: self)) }

  /// Whether a point lies within the bounds.
  public func contains(_ p: CGPoint) -> Bool { bounds.contains(p) }

  /// The points in the coordinates of another layer: up to the nearest plane that both layers are drawn on, and down from it.
  ///
  /// - Returns: as many points; none where one of them has no place.
  private static func carry(_ points: [CGPoint], from: CALayer?, to: CALayer?) -> [CGPoint] {
    let above = from?.planes ?? [], below = to?.planes ?? []
    let shared = above.first { plane in below.contains { $0 === plane } }
    let up = from?.map(to: shared) ?? PlaneMap(CATransform3DIdentity)
    guard let down = (to?.map(to: shared) ?? PlaneMap(CATransform3DIdentity)).inverted else { return [] }
    return down.images(of: up.images(of: points))
  }

  /// The layer and those that it stands on, without those that have no plane because what stands on them keeps its depth.
  private var planes: [CALayer] { sequence(first: self, next: \.superlayer).filter { !($0 is CATransformLayer) } }

  /// The map from the layer's plane to that of one below it; to what the tree stands on for nil.
  private func map(to plane: CALayer?) -> PlaneMap {
    var (map, layer) = (CATransform3DIdentity, self)
    while layer !== plane {
      map = CATransform3DConcat(map, layer.spacePlacement)
      guard let parent = layer.superlayer else { break }
      map = CATransform3DConcat(map, parent.sublayerPlacement)
      // What stands on a usual layer is drawn on its plane, and has no depth there.
      if !(parent is CATransformLayer) { (map.m13, map.m23, map.m33, map.m43) = (0, 0, 0, 0) }
      layer = parent
    }
    return PlaneMap(map)
  }

  /// The map from the layer's coordinates, with depth, to those of the layer that it stands on.
  var spacePlacement: CATransform3D {
    let turn = isGeometryFlipped ? CGAffineTransform(1, 0, 0, -1, 0, bounds.minY + bounds.maxY) : .identity
    let middle = CATransform3DMakeTranslation(-corner.x, -corner.y, -anchorPointZ)
    let place = CATransform3DMakeTranslation(position.x, position.y, zPosition)
    return CATransform3DConcat(CATransform3DConcat(CATransform3DConcat(CATransform3D(turn), middle), transform), place)
  }

  /// The sublayerTransform about the anchor point.
  private var sublayerPlacement: CATransform3D {
    guard sublayerTransform != CATransform3DIdentity else { return CATransform3DIdentity }
    let back = CATransform3DMakeTranslation(-corner.x, -corner.y, 0)
    let forth = CATransform3DMakeTranslation(corner.x, corner.y, 0)
    return CATransform3DConcat(CATransform3DConcat(back, sublayerTransform), forth)
  }

  /// The anchor point in the layer's own coordinates.
  private var corner: CGPoint {
    CGPoint(x: bounds.minX + anchorPoint.x * bounds.width, y: bounds.minY + anchorPoint.y * bounds.height)
  }
}
