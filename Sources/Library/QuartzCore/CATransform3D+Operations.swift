public func CATransform3DIsIdentity(_ t: CATransform3D) -> Bool { t == CATransform3DIdentity }
public func CATransform3DEqualToTransform(_ a: CATransform3D, _ b: CATransform3D) -> Bool { a == b }

/// Makes the map that applies `a` first, then `b`.
public func CATransform3DConcat(_ a: CATransform3D, _ b: CATransform3D) -> CATransform3D {
  let (left, right) = (a.terms, b.terms)
  var terms: [CGFloat] = []
  for row in 0..<4 {
    for column in 0..<4 {
      var sum: CGFloat = 0
      for index in 0..<4 { sum += left[row * 4 + index] * right[index * 4 + column] }
      terms.append(sum)
    }
  }
  return CATransform3D(terms: terms)
}

/// Makes the map that moves first, then applies `t`.
public func CATransform3DTranslate(_ t: CATransform3D, _ tx: CGFloat, _ ty: CGFloat, _ tz: CGFloat) -> CATransform3D {
  CATransform3DConcat(CATransform3DMakeTranslation(tx, ty, tz), t)
}

/// Makes the map that scales first, then applies `t`.
public func CATransform3DScale(_ t: CATransform3D, _ sx: CGFloat, _ sy: CGFloat, _ sz: CGFloat) -> CATransform3D {
  CATransform3DConcat(CATransform3DMakeScale(sx, sy, sz), t)
}

/// Makes the map that turns first, by an angle in radians about an axis, then applies `t`.
public func CATransform3DRotate(
  _ t: CATransform3D, _ angle: CGFloat, _ x: CGFloat, _ y: CGFloat, _ z: CGFloat
) -> CATransform3D { CATransform3DConcat(CATransform3DMakeRotation(angle, x, y, z), t) }

/// Makes the map that undoes another one; `t` itself where there is none.
public func CATransform3DInvert(_ t: CATransform3D) -> CATransform3D {
  // Gauss and Jordan's elimination, each time with the largest number left in a column.
  var rows: [[CGFloat]] = (0..<4).map { row in
    let unit: [CGFloat] = (0..<4).map { $0 == row ? 1 : 0 }
    return Array(t.terms[(row * 4)..<(row * 4 + 4)]) + unit
  }
  for column in 0..<4 {
    guard let best = (column..<4).max(by: { abs(rows[$0][column]) < abs(rows[$1][column]) }), rows[best][column] != 0 else {
      return t
    }
    rows.swapAt(column, best)
    let pivot = rows[column][column]
    rows[column] = rows[column].map { $0 / pivot }
    for row in 0..<4 where row != column {
      let factor = rows[row][column]
      rows[row] = zip(rows[row], rows[column]).map { $0 - factor * $1 }
    }
  }
  return CATransform3D(terms: rows.flatMap { $0[4...] })
}

extension CATransform3D {
  /// The numbers row by row: m11, m12, … m44.
  package var terms: [CGFloat] { [m11, m12, m13, m14, m21, m22, m23, m24, m31, m32, m33, m34, m41, m42, m43, m44] }

  /// - Precondition: there are 16 numbers.
  package init(terms: [CGFloat]) {
    precondition(terms.count == 16)
    self.init()
    (m11, m12, m13, m14) = (terms[0], terms[1], terms[2], terms[3])
    (m21, m22, m23, m24) = (terms[4], terms[5], terms[6], terms[7])
    (m31, m32, m33, m34) = (terms[8], terms[9], terms[10], terms[11])
    (m41, m42, m43, m44) = (terms[12], terms[13], terms[14], terms[15])
  }
}
