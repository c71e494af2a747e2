extension Plane {
  /// Sets every sample to `code`.
  package func fill(with code: Int) {
    for y in 0..<height {
      if bytesPerSample == 1 {
        unsafe row(y, as: UInt8.self).update(repeating: UInt8(code), count: width)
      } else {
        unsafe row(y, as: UInt16.self).update(repeating: UInt16(code), count: width)
      }
    }
  }

  /// Copies the samples of `source`.
  ///
  /// - Precondition: the planes have one shape and do not overlap.
  package func copy(_ source: Plane) {
    precondition(source.hasSameShape(as: self))
    for y in 0..<height {
      unsafe row(y, as: UInt8.self).update(from: source.row(y), count: width * bytesPerSample)
    }
  }

  /// Copies the samples of `source` in some columns and rows.
  ///
  /// - Precondition: the planes have one shape and do not overlap. The columns and rows lie in it.
  func copy(_ source: Plane, _ columns: Range<Int>, _ rows: Range<Int>) {
    precondition(source.hasSameShape(as: self) && columns.upperBound <= width && rows.upperBound <= height)
    for y in rows {
      let first = columns.lowerBound * bytesPerSample
      unsafe (row(y, as: UInt8.self) + first).update(from: source.row(y) + first, count: columns.count * bytesPerSample)
    }
  }

  /// Repeats the last of `columns` to the right and the last of `rows` downwards, to the plane's edges.
  package func extend(columns: Int, rows: Int) {
    for x in columns..<width {
      part(columns: x..<x + 1, rows: 0..<rows).copy(part(columns: columns - 1..<columns, rows: 0..<rows))
    }
    for y in rows..<height {
      part(columns: 0..<width, rows: y..<y + 1).copy(part(columns: 0..<width, rows: rows - 1..<rows))
    }
  }
}
