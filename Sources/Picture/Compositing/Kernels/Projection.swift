extension Plane {
  /// Draws a picture's plane, which is turned in space, over this one, in place, with one opacity. Each sample is the mean of
  /// points of its cell: so many that no sample of the picture is passed over, up to a bound. The edge is antialiased by coverage.
  ///
  /// - Parameter depth: that of the warp.
  func project(_ picture: Plane, _ warp: PlaneWarp, _ depth: LinearForm, weight: Weight) {
    if bytesPerSample == 1 {
      projectSamples(BilinearSampler<UInt8>(picture), warp, depth, weight: weight, over: self)
    } else {
      projectSamples(BilinearSampler<UInt16>(picture), warp, depth, weight: weight, over: self)
    }
  }
}

/// The largest depth that is drawn: points of a picture that lie nearer to the eye are left out.
private let deepest = 1024.0

/// The most points of a cell along a row or a column.
private let mostPoints = 8.0

private func projectSamples<Sample: FixedWidthInteger & UnsignedInteger>(
  _ sampler: BilinearSampler<Sample>, _ warp: PlaneWarp, _ depth: LinearForm, weight: Weight, over ground: Plane
) {
  let opacity = Double(weight.rawValue) / Double(Weight.unit)
  for y in 0..<ground.height {
    let seen = depth.columns(atLeast: 0, row: y, in: 0..<ground.width)
    let touched = warp.edges.reduce(seen) { $1.columns(atLeast: 0, row: y, in: $0) }
    let row: UnsafeMutablePointer<Sample> = unsafe ground.row(y)
    for x in touched {
      let deep = depth.value(x, y)
      let share = warp.coverage(x, y) * opacity
      guard deep > 0, deep < deepest, share > 0 else { continue }
      let sample = mean(sampler, warp, depth, x: x, y: y, deep: deep)
      unsafe row[x] = mix(row[x], sample, Weight(share).rawValue)
    }
  }
}

/// The mean of the picture over a sample's cell.
private func mean<Sample: FixedWidthInteger & UnsignedInteger>(
  _ sampler: BilinearSampler<Sample>, _ warp: PlaneWarp, _ depth: LinearForm, x: Int, y: Int, deep: Double
) -> Sample {
  let (u, v) = (warp.u.value(x, y), warp.v.value(x, y))
  // The lengths that a step along the row and the column goes in the picture.
  func reach(_ along: KeyPath<LinearForm, Double>) -> Double {
    let square = deep * deep
    return max(
      abs(warp.u[keyPath: along] * deep - depth[keyPath: along] * u),
      abs(warp.v[keyPath: along] * deep - depth[keyPath: along] * v))
      / square
  }
  let (across, down) = (
    min(max(reach(\.perColumn).rounded(.up), 1), mostPoints), min(max(reach(\.perRow).rounded(.up), 1), mostPoints)
  )
  if across == 1, down == 1 { return sampler.clamped(u / deep, v / deep) }
  var (sum, count) = (UInt64(0), UInt64(0))
  for row in 0..<Int(down) {
    for column in 0..<Int(across) {
      let (dx, dy) = ((Double(column) + 0.5) / across - 0.5, (Double(row) + 0.5) / down - 0.5)
      let here = deep + depth.perColumn * dx + depth.perRow * dy
      guard here > 0 else { continue }
      sum += UInt64(
        sampler.clamped(
          (u + warp.u.perColumn * dx + warp.u.perRow * dy) / here, (v + warp.v.perColumn * dx + warp.v.perRow * dy) / here))
      count += 1
    }
  }
  return count == 0 ? sampler.clamped(u / deep, v / deep) : Sample(truncatingIfNeeded: (sum + count / 2) / count)
}
