@_exported public import CoreGraphics

/// A map of points in space, by rows.
public struct CATransform3D: Hashable, Sendable {
  public var m11: CGFloat, m12: CGFloat, m13: CGFloat, m14: CGFloat
  public var m21: CGFloat, m22: CGFloat, m23: CGFloat, m24: CGFloat
  public var m31: CGFloat, m32: CGFloat, m33: CGFloat, m34: CGFloat
  public var m41: CGFloat, m42: CGFloat, m43: CGFloat, m44: CGFloat

  /// Makes the map that is zero throughout, as Core Animation does.
  public init() {
    (m11, m12, m13, m14, m21, m22, m23, m24) = (0, 0, 0, 0, 0, 0, 0, 0)
    (m31, m32, m33, m34, m41, m42, m43, m44) = (0, 0, 0, 0, 0, 0, 0, 0)
  }

  package init(_ map: CGAffineTransform) {
    self.init()
    (m11, m12, m21, m22, m41, m42) = (map.a, map.b, map.c, map.d, map.tx, map.ty)
    (m33, m44) = (1, 1)
  }

  /// The map as an affine one of the plane; nil where it turns out of the plane or has a perspective.
  package var affine: CGAffineTransform? {
    guard (m13, m14, m23, m24) == (0, 0, 0, 0), (m31, m32, m34) == (0, 0, 0), m44 == 1 else { return nil }
    return CGAffineTransform(m11, m12, m21, m22, m41, m42)
  }
}

public let CATransform3DIdentity = CATransform3D(.identity)

public func CATransform3DMakeTranslation(_ tx: CGFloat, _ ty: CGFloat, _ tz: CGFloat) -> CATransform3D {
  var map = CATransform3D(CGAffineTransform(translationX: tx, y: ty))
  map.m43 = tz
  return map
}

public func CATransform3DMakeScale(_ sx: CGFloat, _ sy: CGFloat, _ sz: CGFloat) -> CATransform3D {
  var map = CATransform3D(CGAffineTransform(scaleX: sx, y: sy))
  map.m33 = sz
  return map
}

/// Makes the turn about the axis (x, y, z) by an angle in radians.
public func CATransform3DMakeRotation(_ angle: CGFloat, _ x: CGFloat, _ y: CGFloat, _ z: CGFloat) -> CATransform3D {
  let length = (x * x + y * y + z * z).squareRoot()
  guard length > 0 else { return CATransform3DIdentity }
  if x == 0, y == 0 { return CATransform3D(CGAffineTransform(rotationAngle: z > 0 ? angle : -angle)) }
  let (u, v, w) = (x / length, y / length, z / length)
  let (s, c) = (sin(angle), cos(angle))
  var map = CATransform3D(.identity)
  (map.m11, map.m12, map.m13) = (c + u * u * (1 - c), u * v * (1 - c) + w * s, u * w * (1 - c) - v * s)
  (map.m21, map.m22, map.m23) = (u * v * (1 - c) - w * s, c + v * v * (1 - c), v * w * (1 - c) + u * s)
  (map.m31, map.m32, map.m33) = (u * w * (1 - c) + v * s, v * w * (1 - c) - u * s, c + w * w * (1 - c))
  return map
}

public func CATransform3DMakeAffineTransform(_ m: CGAffineTransform) -> CATransform3D { CATransform3D(m) }
public func CATransform3DIsAffine(_ t: CATransform3D) -> Bool { t.affine != nil }
/// The map as an affine one; the identity where it is none.
public func CATransform3DGetAffineTransform(_ t: CATransform3D) -> CGAffineTransform { t.affine ?? .identity }
