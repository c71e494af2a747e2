/// A map of points in space, with the terms and the order of CATransform3D: a point is a row, `[x, y, z, 1]`, and stands left of the
/// matrix. x grows to the right, y downwards, z towards the eye.
package struct Transform3D: Hashable, Sendable {
  /// The terms m11, m12, … m44, row by row.
  package let terms: [Double]

  package static let identity = Transform3D([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1])

  /// - Precondition: there are 16 terms.
  package init(_ terms: [Double]) {
    precondition(terms.count == 16)
    self.terms = terms
  }

  /// The map of the plane z = 0 into itself. Depths stay.
  package init(_ flat: AffineTransform) {
    self.init([flat.a, flat.b, 0, 0, flat.c, flat.d, 0, 0, 0, 0, 1, 0, flat.tx, flat.ty, 0, 1])
  }

  /// The turn about the x axis by an angle in degrees: what lies below comes nearer (CATransform3DMakeRotation).
  package static func rotationX(degrees: Double) -> Transform3D {
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: degrees)
    return Transform3D([1, 0, 0, 0, 0, cosine, sine, 0, 0, -sine, cosine, 0, 0, 0, 0, 1])
  }

  /// The turn about the y axis by an angle in degrees: what lies to the right goes further away.
  package static func rotationY(degrees: Double) -> Transform3D {
    let (sine, cosine) = Trigonometry.sineAndCosine(degrees: degrees)
    return Transform3D([cosine, 0, -sine, 0, 0, 1, 0, 0, sine, 0, cosine, 0, 0, 0, 0, 1])
  }

  /// The view of an eye at a distance before the origin: m34 is -1 over the distance.
  package static func perspective(distance: Double) -> Transform3D {
    Transform3D([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, -1 / distance, 0, 0, 0, 1])
  }

  /// The map that applies this one first, then `next` (CATransform3DConcat).
  package func then(_ next: Transform3D) -> Transform3D {
    var product = [Double](repeating: 0, count: 16)
    for row in 0..<4 {
      for column in 0..<4 {
        var sum = 0.0
        for index in 0..<4 { sum += terms[row * 4 + index] * next.terms[index * 4 + column] }
        product[row * 4 + column] = sum
      }
    }
    return Transform3D(product)
  }

  /// The image of the plane z = 0 as it is seen: depths are dropped.
  package var projection: Projection {
    Projection(
      AffineTransform(terms[0], terms[1], terms[4], terms[5], terms[12], terms[13]), p: terms[3], q: terms[7], r: terms[15])
  }

  /// Whether the plane z = 0 is seen from behind.
  package var showsBack: Bool { projection.determinant * determinant < 0 }

  /// The determinant, by the first row's minors.
  package var determinant: Double {
    func minor(_ without: Int) -> Double {
      let columns = (0..<4).filter { $0 != without }
      func at(_ row: Int, _ column: Int) -> Double { terms[row * 4 + columns[column]] }
      let first: Double = at(1, 0) * (at(2, 1) * at(3, 2) - at(2, 2) * at(3, 1))
      let second: Double = at(1, 1) * (at(2, 0) * at(3, 2) - at(2, 2) * at(3, 0))
      let third: Double = at(1, 2) * (at(2, 0) * at(3, 1) - at(2, 1) * at(3, 0))
      return first - second + third
    }
    return terms[0] * minor(0) - terms[1] * minor(1) + terms[2] * minor(2) - terms[3] * minor(3)
  }
}
