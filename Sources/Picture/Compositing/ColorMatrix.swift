import Formats

/// A linear map of three colour components.
struct ColorMatrix {
  typealias Row = SIMD3<Double>

  let rows: (Row, Row, Row)

  init(_ row0: Row, _ row1: Row, _ row2: Row) { rows = (row0, row1, row2) }

  /// The matrix with each row multiplied by the component of `factors` with the row's number.
  func scaled(by factors: Row) -> ColorMatrix {
    ColorMatrix(rows.0 * factors.x, rows.1 * factors.y, rows.2 * factors.z)
  }

  /// The map from light in one set of primaries to light in another. D65 is the white of both.
  init(from: ColorTags.Primaries, to: ColorTags.Primaries) {
    self =
      from == to
      ? ColorMatrix(Row(1, 0, 0), Row(0, 1, 0), Row(0, 0, 1))
      : ColorMatrix(toXYZ: to).inverse * ColorMatrix(toXYZ: from)
  }

  /// The map from R'G'B' to Y'CbCr, with luma 0...1 and chroma -0.5...0.5.
  init(fromRGB matrix: ColorTags.Matrix) {
    let (red, blue) =
      switch matrix {
      case .bt470bg, .smpte170m: (0.299, 0.114)
      case .bt2020nc: (0.2627, 0.0593)
      case .bt709, .rgb, .unknown: (0.2126, 0.0722)
      }
    let luma = Row(red, 1 - red - blue, blue)
    self.init(luma, (Row(0, 0, 1) - luma) / (2 - 2 * blue), (Row(1, 0, 0) - luma) / (2 - 2 * red))
  }

  /// The map to XYZ, derived from the chromaticities as in SMPTE RP 177.
  private init(toXYZ primaries: ColorTags.Primaries) {
    func xyz(_ x: Double, _ y: Double) -> Row { Row(x / y, 1, (1 - x - y) / y) }
    let (red, green, blue): (Row, Row, Row) =
      switch primaries {
      case .bt709, .unknown: (xyz(0.64, 0.33), xyz(0.30, 0.60), xyz(0.15, 0.06))
      case .bt470bg: (xyz(0.64, 0.33), xyz(0.29, 0.60), xyz(0.15, 0.06))
      case .smpte170m: (xyz(0.630, 0.340), xyz(0.310, 0.595), xyz(0.155, 0.070))
      case .bt2020: (xyz(0.708, 0.292), xyz(0.170, 0.797), xyz(0.131, 0.046))
      case .smpte432: (xyz(0.680, 0.320), xyz(0.265, 0.690), xyz(0.150, 0.060))
      }
    let unscaled = ColorMatrix(Row(red.x, green.x, blue.x), Row(1, 1, 1), Row(red.z, green.z, blue.z))
    let luminance = unscaled.inverse * xyz(0.3127, 0.3290)
    self.init(unscaled.rows.0 * luminance, unscaled.rows.1 * luminance, unscaled.rows.2 * luminance)
  }

  static func * (matrix: ColorMatrix, vector: Row) -> Row {
    Row((matrix.rows.0 * vector).sum(), (matrix.rows.1 * vector).sum(), (matrix.rows.2 * vector).sum())
  }

  static func * (a: ColorMatrix, b: ColorMatrix) -> ColorMatrix {
    func row(_ row: Row) -> Row { row.x * b.rows.0 + row.y * b.rows.1 + row.z * b.rows.2 }
    return ColorMatrix(row(a.rows.0), row(a.rows.1), row(a.rows.2))
  }

  /// The inverse, by Cramer's rule. The matrices of primaries and colours are never singular.
  var inverse: ColorMatrix {
    func cross(_ a: Row, _ b: Row) -> Row { Row(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x) }
    let (c0, c1, c2) = (cross(rows.1, rows.2), cross(rows.2, rows.0), cross(rows.0, rows.1))
    let determinant = (rows.0 * c0).sum()
    return ColorMatrix(
      Row(c0.x, c1.x, c2.x) / determinant, Row(c0.y, c1.y, c2.y) / determinant, Row(c0.z, c1.z, c2.z) / determinant)
  }
}
