extension CALayer {
  /// The map from the layer's coordinates to those of the layer that it stands on.
  ///
  /// - Precondition: the layer lies in the plane.
  var placement: CGAffineTransform {
    let corner = CGPoint(x: bounds.minX + anchorPoint.x * bounds.width, y: bounds.minY + anchorPoint.y * bounds.height)
    let turn = isGeometryFlipped ? CGAffineTransform(1, 0, 0, -1, 0, bounds.minY + bounds.maxY) : .identity
    return turn.concatenating(CGAffineTransform(translationX: -corner.x, y: -corner.y)).concatenating(affineTransform())
      .concatenating(CGAffineTransform(translationX: position.x, y: position.y))
  }

  /// The map from the layer's coordinates to those of the layer that all stands on.
  private var fullPlacement: CGAffineTransform {
    var (map, layer) = (placement, superlayer)
    while let next = layer {
      map = map.concatenating(next.placement)
      layer = next.superlayer
    }
    return map
  }

  private func map(to other: CALayer?) -> CGAffineTransform {
    fullPlacement.concatenating(other.map { $0.fullPlacement.inverted() } ?? .identity)
  }

  /// The point in the coordinates of another layer of the same tree; in those of the whole tree for nil. Turns in space do not count.
  public func convert(_ p: CGPoint, to l: CALayer?) -> CGPoint { p.applying(map(to: l)) }
  public func convert(_ r: CGRect, to l: CALayer?) -> CGRect { r.applying(map(to: l)) }
  public func convert(_ p: CGPoint, from l: CALayer?) -> CGPoint { p.applying(map(to: l).inverted()) }
  public func convert(_ r: CGRect, from l: CALayer?) -> CGRect { r.applying(map(to: l).inverted()) }

  /// Whether a point lies within the bounds.
  public func contains(_ p: CGPoint) -> Bool { bounds.contains(p) }
}
