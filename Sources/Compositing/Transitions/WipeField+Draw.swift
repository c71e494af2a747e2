import Media

extension WipeField {
  /// Draws the frame in which the edge stands at `front`.
  ///
  /// A chroma sample is mixed by the weights around its site: of the luma columns before, at and after its own with shares
  /// 1/4, 1/2, 1/4, of the two rows evenly.
  /// - Parameters:
  ///   - border: the border's code in each plane.
  ///   - mixture: how light is mixed; nil mixes codes.
  /// - Precondition: the pictures have the field's size and one format.
  func draw(
    from: PixelBuffer, to: PixelBuffer, front: WipeFront, border: [Int], _ mixture: LightMixture?, into frame: PixelBuffer
  ) {
    let sides = (from: from.planes, to: to.planes, out: frame.planes)
    let shifts = (0..<frame.format.planeCount).map(frame.format.shift(ofPlane:))
    var brush = WipeBrush(field: self, front: front, border: border, mixture: mixture)
    for band in 0..<height / cell.height {
      let rows = band * cell.height..<(band + 1) * cell.height
      var tile = 0
      while tile < tilesAcross {
        let first = tile
        let side = side(of: first, in: band, front)
        repeat { tile += 1 } while tile < tilesAcross && self.side(of: tile, in: band, front) == side
        let columns = first * Self.tileWidth..<min(tile * Self.tileWidth, width)
        if side == .across { brush.prepare(columns, rows) }
        for index in sides.out.indices {
          let part = PixelArea(columns, rows).area(ofPlane: index, in: frame.format)
          let out = sides.out[index].part(columns: part.columns, rows: part.rows)
          let from = sides.from[index].part(columns: part.columns, rows: part.rows)
          let to = sides.to[index].part(columns: part.columns, rows: part.rows)
          switch side {
          case .before: out.copy(from)
          case .behind: out.copy(to)
          case .across: brush.paint(index, shifts[index], from: from, to: to, into: out)
          }
        }
      }
    }
    withExtendedLifetime((from, to)) {}
  }

  private func side(of tile: Int, in band: Int, _ front: WipeFront) -> WipeFront.Side {
    let bound = bounds[band * tilesAcross + tile]
    return front.side(low: bound.low, high: bound.high)
  }
}

/// The weights of one run of tiles, in luma and in chroma.
private struct WipeBrush {
  private let field: WipeField
  private let front: WipeFront
  private let border: [Int]
  private let mixture: LightMixture?
  /// Of the incoming picture, and of border and incoming picture together; each has a column in front of its first.
  private var inner: Weights
  private var outer: Weights

  private struct Weights {
    var luma: [[UInt16]]
    var chroma: [UInt16]

    /// Those of a plane's line; luma's begin with the column before.
    func row(_ line: Int, _ shift: (x: Int, y: Int)) -> [UInt16] { shift.x == 0 ? luma[line] : chroma }

    /// Makes the chroma weights from those of luma; a single row of luma stands for two.
    mutating func average(_ count: Int) {
      let (above, below) = (luma[0], luma[luma.count - 1])
      for x in 0..<count {
        let top = UInt32(above[2 * x]) &+ 2 &* UInt32(above[2 * x + 1]) &+ UInt32(above[2 * x + 2])
        let bottom = UInt32(below[2 * x]) &+ 2 &* UInt32(below[2 * x + 1]) &+ UInt32(below[2 * x + 2])
        chroma[x] = UInt16(truncatingIfNeeded: (top &+ bottom &+ 4) &>> 3)
      }
    }
  }

  init(field: WipeField, front: WipeFront, border: [Int], mixture: LightMixture?) {
    (self.field, self.front, self.border, self.mixture) = (field, front, border, mixture)
    let row = [UInt16](repeating: 0, count: field.width + 1)
    inner = Weights(luma: Array(repeating: row, count: field.cell.height), chroma: row)
    outer = inner
  }

  mutating func prepare(_ columns: Range<Int>, _ rows: Range<Int>) {
    for (line, row) in rows.enumerated() {
      // The frame's first column stands in for the one before it.
      let start = max(columns.lowerBound - 1, 0)
      let (skip, count) = (start - columns.lowerBound + 1, columns.upperBound - start)
      unsafe field.values.withUnsafeBufferPointer { values in
        let values = unsafe values.baseAddress! + row * field.width + start
        unsafe inner.luma[line].withUnsafeMutableBufferPointer {
          unsafe front.weights(values, into: $0.baseAddress! + skip, count: count)
          if skip == 1 { unsafe $0[0] = $0[1] }
        }
        guard front.hasBorder else { return }
        unsafe outer.luma[line].withUnsafeMutableBufferPointer {
          unsafe front.outerWeights(values, into: $0.baseAddress! + skip, count: count)
          if skip == 1 { unsafe $0[0] = $0[1] }
        }
      }
    }
    guard field.cell.width > 1 else { return }
    inner.average(columns.count / 2)
    if front.hasBorder { outer.average(columns.count / 2) }
  }

  func paint(_ index: Int, _ shift: (x: Int, y: Int), from: Plane, to: Plane, into out: Plane) {
    let skip = shift.x == 0 ? 1 : 0
    for line in 0..<out.height {
      let rows = (out: out.part(rows: line), from: from.part(rows: line), to: to.part(rows: line))
      unsafe inner.row(line, shift).withUnsafeBufferPointer { inner in
        // Not empty: a field has a column.
        let inner = unsafe inner.baseAddress! + skip
        guard front.hasBorder else { return unsafe rows.out.mix(rows.from, rows.to, inner, mixture) }
        unsafe outer.row(line, shift).withUnsafeBufferPointer { outer in
          unsafe rows.out.mix(rows.from, border[index], rows.to, outer: outer.baseAddress! + skip, inner: inner, mixture)
        }
      }
    }
  }
}

extension Plane {
  fileprivate func part(rows line: Int) -> Plane { part(columns: 0..<width, rows: line..<line + 1) }
}
