/// Sets every sample of `plane` to `code`.
func fill(_ plane: Plane, with code: Int) {
  for y in 0..<plane.height {
    if plane.bytesPerSample == 1 {
      unsafe plane.row(y, as: UInt8.self).update(repeating: UInt8(code), count: plane.width)
    } else {
      unsafe plane.row(y, as: UInt16.self).update(repeating: UInt16(code), count: plane.width)
    }
  }
}

/// Copies `source` to `target`.
///
/// - Precondition: the planes have one shape and do not overlap.
func copy(_ source: Plane, to target: Plane) {
  precondition(source.hasSameShape(as: target))
  for y in 0..<target.height {
    unsafe target.row(y, as: UInt8.self).update(from: source.row(y), count: target.width * target.bytesPerSample)
  }
}

/// Repeats the last of `columns` and of `rows` to the right and downwards, to the plane's edges.
func extend(_ plane: Plane, from size: (columns: Int, rows: Int)) {
  for x in size.columns..<plane.width {
    copy(
      plane.part(columns: size.columns - 1..<size.columns, rows: 0..<size.rows),
      to: plane.part(columns: x..<x + 1, rows: 0..<size.rows))
  }
  for y in size.rows..<plane.height {
    copy(
      plane.part(columns: 0..<plane.width, rows: size.rows - 1..<size.rows),
      to: plane.part(columns: 0..<plane.width, rows: y..<y + 1))
  }
}
