package import Formats

extension Plane {
  /// Draws a picture's plane through an affine map over this one, in place, with one opacity. It is bilinear between pixel
  /// centres, and its edge is antialiased by coverage.
  ///
  /// - Precondition: the planes hold samples of `bitDepth` bits and do not overlap; the picture's plane is not empty.
  package func warp(_ picture: Plane, _ warp: PlaneWarp, bitDepth: Int, weight: Weight) {
    precondition(picture.bytesPerSample == bytesPerSample && picture.width > 0 && picture.height > 0)
    if let depth = warp.depth { return project(picture, warp, depth, weight: weight) }
    if bytesPerSample == 1 {
      warpSamples(BilinearSampler<UInt8>(picture), BilinearRun(picture, bitDepth: bitDepth), by: warp, weight: weight, over: self)
    } else {
      warpSamples(
        BilinearSampler<UInt16>(picture), BilinearRun(picture, bitDepth: bitDepth), by: warp, weight: weight, over: self)
    }
  }
}

/// The geometry of a warp for one plane, as linear forms of the ground plane's column and row. The ground plane is the one that
/// is drawn on.
package struct PlaneWarp {
  /// The position in the picture's plane that is shown, in samples. Whole numbers are sample centres.
  let u: LinearForm
  let v: LinearForm
  /// How far a sample's cell lies within each edge of the picture, in cells: 0 or less is outside, 1 or more is inside.
  let edges: [LinearForm]
  /// The divisor of `u` and `v`, for a picture that is turned in space; nil where it is 1. Where it is not above 0, nothing is seen.
  let depth: LinearForm?

  /// - Parameters:
  ///   - map: the map from the ground's pixels to the picture's; not singular.
  ///   - shown: the part of the picture that is drawn, in its pixels.
  ///   - cell: the block of pixels that one sample of the plane stands for. A halved chroma sample is at the left of its cell, in
  ///     the middle vertically, as in MPEG-2 and H.264. It covers the whole cell all the same.
  package init(fromGround map: AffineTransform, shown: Rect, cell: (width: Int, height: Int)) {
    let (width, height) = (Double(cell.width), Double(cell.height))
    let x = LinearForm(perColumn: map.a * width, perRow: map.c * height, constant: map.tx)
    let y = LinearForm(perColumn: map.b * width, perRow: map.d * height, constant: map.ty)
    // These are the picture's coordinates at a sample's site, then in samples of its plane.
    let site = (x: 0.5, y: height / 2)
    u = x.moved(site.x / width, site.y / height).scaled(1 / width, minus: site.x)
    v = y.moved(site.x / width, site.y / height).scaled(1 / height, minus: site.y)
    // These are a cell's extents across a vertical and across a horizontal edge of the picture.
    let (acrossX, acrossY) = (abs(x.perColumn) + abs(x.perRow), abs(y.perColumn) + abs(y.perRow))
    let (middleX, middleY) = (x.moved(0.5, 0.5), y.moved(0.5, 0.5))
    edges = [
      middleX.scaled(1 / acrossX, minus: shown.x).raised(0.5),
      middleX.scaled(-1 / acrossX, minus: shown.maxX).raised(0.5),
      middleY.scaled(1 / acrossY, minus: shown.y).raised(0.5),
      middleY.scaled(-1 / acrossY, minus: shown.maxY).raised(0.5),
    ]
    depth = nil
  }

  /// Makes the geometry of a picture that is turned in space.
  ///
  /// - Parameter map: the map from the ground's pixels to the picture's; not singular.
  package init(fromGround map: Projection, shown: Rect, cell: (width: Int, height: Int)) {
    let (width, height) = (Double(cell.width), Double(cell.height))
    let x = LinearForm(perColumn: map.flat.a * width, perRow: map.flat.c * height, constant: map.flat.tx)
    let y = LinearForm(perColumn: map.flat.b * width, perRow: map.flat.d * height, constant: map.flat.ty)
    let deep = LinearForm(perColumn: map.p * width, perRow: map.q * height, constant: map.r)
    let site = (x: 0.5, y: height / 2)
    let (atX, atY, atDeep) = (
      x.moved(site.x / width, site.y / height), y.moved(site.x / width, site.y / height),
      deep.moved(site.x / width, site.y / height)
    )
    depth = atDeep
    u = atX.scaled(1 / width, minus: 0).plus(atDeep, times: -site.x / width)
    v = atY.scaled(1 / height, minus: 0).plus(atDeep, times: -site.y / height)
    // An edge is a line in the ground, too.
    let (middleX, middleY, middleDeep) = (x.moved(0.5, 0.5), y.moved(0.5, 0.5), deep.moved(0.5, 0.5))
    edges = [
      middleX.plus(middleDeep, times: -shown.x), middleX.plus(middleDeep, times: -shown.maxX).scaled(-1, minus: 0),
      middleY.plus(middleDeep, times: -shown.y), middleY.plus(middleDeep, times: -shown.maxY).scaled(-1, minus: 0),
    ].map { form in
      let across = abs(form.perColumn) + abs(form.perRow)
      return across > 0
        ? form.scaled(1 / across, minus: 0).raised(0.5)
        : LinearForm(perColumn: 0, perRow: 0, constant: form.constant < 0 ? -1 : 2)
    }
  }

  /// The share of a sample's cell that the picture covers.
  func coverage(_ column: Int, _ row: Int) -> Double {
    let inside = edges.map { min(max($0.value(column, row), 0), 1) }
    return max(inside[0] + inside[1] - 1, 0) * max(inside[2] + inside[3] - 1, 0)
  }
}

/// The linear form `perColumn * column + perRow * row + constant`.
struct LinearForm {
  var perColumn: Double
  var perRow: Double
  var constant: Double

  @inline(__always)
  func value(_ column: Int, _ row: Int) -> Double { perColumn * Double(column) + (perRow * Double(row) + constant) }

  /// The form as seen from `columns` and `rows` further on.
  func moved(_ columns: Double, _ rows: Double) -> LinearForm { raised(perColumn * columns + perRow * rows) }
  func raised(_ amount: Double) -> LinearForm { LinearForm(perColumn: perColumn, perRow: perRow, constant: constant + amount) }
  /// The sum of the form and a multiple of another one.
  func plus(_ other: LinearForm, times factor: Double) -> LinearForm {
    LinearForm(
      perColumn: perColumn + other.perColumn * factor, perRow: perRow + other.perRow * factor,
      constant: constant + other.constant * factor)
  }
  func scaled(_ factor: Double, minus offset: Double) -> LinearForm {
    LinearForm(perColumn: perColumn * factor, perRow: perRow * factor, constant: (constant - offset) * factor)
  }

  /// The columns of `range` where the form is at least `bound` in `row`, to within the rounding of one division.
  func columns(atLeast bound: Double, row: Int, in range: Range<Int>) -> Range<Int> {
    guard !range.isEmpty else { return range }
    let start = value(0, row)
    guard perColumn != 0 else { return start >= bound ? range : range.lowerBound..<range.lowerBound }
    let crossing = (bound - start) / perColumn
    let (lower, upper) = (Double(range.lowerBound), Double(range.upperBound))
    if perColumn > 0 {
      let first = Int(min(max(crossing.rounded(.up), lower), upper))
      return first..<range.upperBound
    }
    let last = Int(min(max(crossing.rounded(.down) + 1, lower), upper))
    return range.lowerBound..<last
  }
}

private func warpSamples<Sample>(
  _ sampler: BilinearSampler<Sample>, _ run: consuming BilinearRun<Sample>, by warp: PlaneWarp, weight: Weight,
  over ground: Plane
) {
  let opacity = Double(weight.rawValue) / Double(Weight.unit)
  var inside: [Range<Int>] = []
  for y in 0..<ground.height {
    let touched = warp.edges.reduce(0..<ground.width) { $1.columns(atLeast: 0, row: y, in: $0) }
    let inner = sampler.unclamped(warp, row: y, in: warp.edges.reduce(touched) { $1.columns(atLeast: 1, row: y, in: $0) })
    inside.append(inner)
    let row: UnsafeMutablePointer<Sample> = unsafe ground.row(y)
    for x in inner.isEmpty ? [touched] : [touched.lowerBound..<inner.lowerBound, inner.upperBound..<touched.upperBound] {
      for column in x {
        let share = Weight(warp.coverage(column, y) * opacity)
        let sample = sampler.clamped(warp.u.value(column, y), warp.v.value(column, y))
        unsafe row[column] = mix(row[column], sample, share.rawValue)
      }
    }
  }
  // Runs below each other read the same lines of the picture, so they follow each other.
  let step = (fixed(warp.u.perColumn), fixed(warp.v.perColumn))
  for left in stride(from: 0, to: ground.width, by: BilinearRun<Sample>.capacity) {
    for (y, inner) in inside.enumerated() {
      let columns = inner.clamped(to: left..<min(left + BilinearRun<Sample>.capacity, ground.width))
      if columns.isEmpty { continue }
      // Fixed point is exact enough: over a run the error stays below 2^-24 of a sample.
      let (u, v) = (fixed(warp.u.value(columns.lowerBound, y)), fixed(warp.v.value(columns.lowerBound, y)))
      let samples = unsafe run.samples(u, v, step: step, count: columns.count)
      ground.part(columns: columns, rows: y..<y + 1).blend(samples, weight: weight)
    }
  }
}

@inline(__always)
private func fixed(_ value: Double) -> Int {
  // Only the step of a run with a single column can be larger than the largest picture, and that step is never taken.
  Int((min(max(value, -65536), 65536) * 4_294_967_296).rounded())
}

/// Samples of the picture one by one: at its edges, where some of the four neighbours are missing, and elsewhere.
// Safe: reads stay inside the plane.
@safe struct BilinearSampler<Sample: FixedWidthInteger & UnsignedInteger> {
  private let base: UnsafeRawPointer
  private let plane: Plane
  /// The distance, in samples, by which the fixed-point walk along a row stays clear of the last sample, whatever it rounds.
  private let margin = 1.0 / 1024

  init(_ plane: Plane) {
    self.plane = plane
    unsafe base = UnsafeRawPointer(plane.row(0, as: Sample.self))
  }

  /// The columns of `range` whose four samples all lie in the plane.
  func unclamped(_ warp: PlaneWarp, row: Int, in range: Range<Int>) -> Range<Int> {
    let bounds = [
      (warp.u, margin), (warp.u.scaled(-1, minus: 0), margin - Double(plane.width - 1)),
      (warp.v, margin), (warp.v.scaled(-1, minus: 0), margin - Double(plane.height - 1)),
    ]
    return bounds.reduce(range) { $1.0.columns(atLeast: $1.1, row: row, in: $0) }
  }

  /// The picture at (u, v). A point outside counts as the nearest point inside.
  func clamped(_ u: Double, _ v: Double) -> Sample {
    let (u, v) = (min(max(u, 0), Double(plane.width - 1)), min(max(v, 0), Double(plane.height - 1)))
    let (x, y) = (min(Int(u), max(plane.width - 2, 0)), min(Int(v), max(plane.height - 2, 0)))
    let (right, below) = (plane.width > 1 ? 1 : 0, plane.height > 1 ? 1 : 0)
    return unsafe sample(
      x, y, right: right, below: below, across: UInt64((u - Double(x)) * 65536), down: UInt64((v - Double(y)) * 65536))
  }

  /// Mixes four samples by 16-bit fractions, rounded half up. Intermediate values have at most 48 bits.
  @inline(__always)
  @unsafe private func sample(_ x: Int, _ y: Int, right: Int, below: Int, across fx: UInt64, down fy: UInt64) -> Sample {
    let above = unsafe (base + y &* plane.stride).assumingMemoryBound(to: Sample.self) + x
    let under = unsafe (UnsafeRawPointer(above) + below &* plane.stride).assumingMemoryBound(to: Sample.self)
    let top = unsafe UInt64(above[0]) &* (65536 &- fx) &+ UInt64(above[right]) &* fx
    let bottom = unsafe UInt64(under[0]) &* (65536 &- fx) &+ UInt64(under[right]) &* fx
    return Sample(truncatingIfNeeded: (top &* (65536 &- fy) &+ bottom &* fy &+ 1 &<< 31) &>> 32)
  }
}
