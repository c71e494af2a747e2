import Media

extension WipeField {
  /// Draws the frame in which the edge stands at `front`.
  ///
  /// A chroma sample is mixed by the weights around its site: those of the luma columns before, at and after it with shares of
  /// 1/4, 1/2 and 1/4, and those of the rows of its cell evenly.
  /// - Parameters:
  ///   - border: the border's code in each plane.
  ///   - mixture: how light is mixed; nil mixes codes.
  /// - Precondition: the pictures have the field's size and one format.
  func draw(
    from: PixelBuffer, to: PixelBuffer, front: WipeFront, border: [Int], _ mixture: LightMixture?, into frame: PixelBuffer
  ) {
    let planes = frame.planes.indices.map { index in
      WipedPlane(
        from: from.planes[index], to: to.planes[index], out: frame.planes[index], border: border[index],
        shift: frame.format.shift(ofPlane: index))
    }
    let runs = runs(front)
    // Planes are copied one by one, since a few long streams through memory are faster than many.
    for plane in planes {
      for run in runs where run.side != .across {
        let source = run.side == .before ? plane.from : plane.to
        plane.out.copy(source, plane.columns(run.columns), plane.rows(run.band, cell.height))
      }
    }
    unsafe values.withUnsafeBufferPointer { values in
      // The values are not empty, since a field has at least one column.
      let brush = unsafe WipeBrush(field: self, values: values.baseAddress!, front: front, mixture: mixture)
      for run in runs where run.side == .across {
        brush.prepare(run.columns, run.band)
        for plane in planes { brush.paint(plane, run.columns, run.band) }
      }
    }
    withExtendedLifetime((from, to, frame)) {}
  }

  /// Neighbouring tiles of one band that lie on the same side of the edge.
  private struct Run {
    let band: Int
    let columns: Range<Int>
    let side: WipeFront.Side
  }

  private func runs(_ front: WipeFront) -> [Run] {
    var runs: [Run] = []
    for band in 0..<height / cell.height {
      var tile = 0
      while tile < tilesAcross {
        let first = tile
        let side = side(of: first, in: band, front)
        repeat { tile += 1 } while tile < tilesAcross && self.side(of: tile, in: band, front) == side
        runs.append(Run(band: band, columns: first * Self.tileWidth..<min(tile * Self.tileWidth, width), side: side))
      }
    }
    return runs
  }

  private func side(of tile: Int, in band: Int, _ front: WipeFront) -> WipeFront.Side {
    let bound = bounds[band * tilesAcross + tile]
    return front.side(low: bound.low, high: bound.high)
  }
}

/// One plane of the frame and of both pictures.
private struct WipedPlane {
  let from: Plane
  let to: Plane
  let out: Plane
  let border: Int
  let shift: (x: Int, y: Int)

  /// The plane's columns for columns of luma, which are whole cells.
  func columns(_ luma: Range<Int>) -> Range<Int> { luma.lowerBound >> shift.x..<luma.upperBound >> shift.x }

  /// The plane's rows for a band of `height` rows of luma.
  func rows(_ band: Int, _ height: Int) -> Range<Int> { band * (height >> shift.y)..<(band + 1) * (height >> shift.y) }
}

/// The weights of one run of tiles, for luma and for chroma.
// Safe: the rows are owned, allocated once and freed once, and hold a field's width and the column in front of it.
@safe private struct WipeBrush: ~Copyable {
  private let field: WipeField
  private let values: UnsafePointer<UInt16>
  private let front: WipeFront
  private let mixture: LightMixture?
  /// The weights of the incoming picture: the rows of luma, each with one more column in front, then a row of chroma. The weights
  /// of border and incoming picture together follow in the same form.
  private let rows: UnsafeMutablePointer<UInt16>
  private let rowLength: Int

  private enum Edge: Int, CaseIterable { case inner, outer }

  /// - Parameter values: the field's values. They must outlive the brush.
  init(field: WipeField, values: UnsafePointer<UInt16>, front: WipeFront, mixture: LightMixture?) {
    (self.field, self.front, self.mixture, rowLength) = (field, front, mixture, field.width + 1)
    unsafe self.values = values
    let count = Edge.allCases.count * (field.cell.height + 1) * rowLength
    unsafe rows = .allocate(capacity: count)
    unsafe rows.initialize(repeating: 0, count: count)
  }

  deinit { unsafe rows.deallocate() }

  private func luma(_ edge: Edge, _ line: Int) -> UnsafeMutablePointer<UInt16> {
    unsafe rows + (edge.rawValue * (field.cell.height + 1) + line) * rowLength
  }

  private func chroma(_ edge: Edge) -> UnsafeMutablePointer<UInt16> { unsafe luma(edge, field.cell.height) }

  func prepare(_ columns: Range<Int>, _ band: Int) {
    for edge in front.hasBorder ? Edge.allCases : [.inner] {
      for line in 0..<field.cell.height {
        // The frame's first column also stands for the missing column before it.
        let start = max(columns.lowerBound - 1, 0)
        let (skip, count) = (start - columns.lowerBound + 1, columns.upperBound - start)
        let source = unsafe values + (band * field.cell.height + line) * field.width + start
        let weights = unsafe luma(edge, line)
        switch edge {
        case .inner: unsafe front.weights(source, into: weights + skip, count: count)
        case .outer: unsafe front.outerWeights(source, into: weights + skip, count: count)
        }
        if skip == 1 { unsafe weights[0] = weights[1] }
      }
      if field.cell.width > 1 {
        unsafe average(luma(edge, 0), luma(edge, field.cell.height - 1), into: chroma(edge), count: columns.count / 2)
      }
    }
  }

  /// Computes the weights of chroma from those of luma. Where a cell has one row of luma, that row counts twice.
  @unsafe private func average(
    _ above: UnsafeMutablePointer<UInt16>, _ below: UnsafeMutablePointer<UInt16>, into chroma: UnsafeMutablePointer<UInt16>,
    count: Int
  ) {
    for x in 0..<count {
      let top = unsafe UInt32(above[2 &* x]) &+ 2 &* UInt32(above[2 &* x &+ 1]) &+ UInt32(above[2 &* x &+ 2])
      let bottom = unsafe UInt32(below[2 &* x]) &+ 2 &* UInt32(below[2 &* x &+ 1]) &+ UInt32(below[2 &* x &+ 2])
      unsafe chroma[x] = UInt16(truncatingIfNeeded: (top &+ bottom &+ 4) &>> 3)
    }
  }

  func paint(_ plane: WipedPlane, _ luma: Range<Int>, _ band: Int) {
    let columns = plane.columns(luma)
    for (line, row) in plane.rows(band, field.cell.height).enumerated() {
      let inner = unsafe plane.shift.x == 0 ? self.luma(.inner, line) + 1 : chroma(.inner)
      guard front.hasBorder else {
        unsafe plane.out.mix(plane.from, plane.to, inner, by: mixture, columns: columns, row: row)
        continue
      }
      let outer = unsafe plane.shift.x == 0 ? self.luma(.outer, line) + 1 : chroma(.outer)
      unsafe plane.out.mix(
        plane.from, code: plane.border, plane.to, outer: outer, inner: inner, by: mixture, columns: columns, row: row)
    }
  }
}
