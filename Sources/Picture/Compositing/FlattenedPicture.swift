import Formats
import Media
import Scenes
import Timeline

/// Pieces that were put together: R'G'B' of 16 bits, multiplied by the alpha beside it. It belongs to its maker alone.
struct FlattenedPicture {
  private let colors: PixelBuffer
  /// The alpha of each pixel, 0...65535.
  let alpha: PixelBuffer
  private var size: (width: Int, height: Int) { (colors.width, colors.height) }

  /// - Parameter format: R'G'B' of 16 bits.
  init(overBlack: PixelBuffer, overWhite: PixelBuffer, _ format: PictureFormat) throws(CompositingError) {
    (colors, alpha) = (try PixelBuffer.make(format), try PixelBuffer.makeAlpha(format.width, format.height))
    for (plane, source) in zip(colors.planes, overBlack.planes) { plane.copy(source) }
    for y in 0..<size.height {
      let (black, white) = unsafe (Triple(overBlack, y), Triple(overWhite, y))
      let shares = unsafe alpha.planes[0].row(y, as: UInt16.self)
      for x in 0..<size.width {
        let through = unsafe (white[x] - black[x]).sum() / 3
        unsafe shares[x] = UInt16(min(max(65535 - through, 0), 65535).rounded())
      }
    }
    withExtendedLifetime((overBlack, overWhite)) {}
  }

  /// Makes one of an opaque picture.
  init(opaque picture: PixelBuffer, _ format: PictureFormat) throws(CompositingError) {
    (colors, alpha) = (try PixelBuffer.make(format), try PixelBuffer.makeAlpha(format.width, format.height))
    for (plane, source) in zip(colors.planes, picture.planes) { plane.copy(source) }
    alpha.planes[0].fill(with: Int(PixelBuffer.Alpha.opaque))
    withExtendedLifetime(picture) {}
  }

  // MARK: - Filters

  func apply(_ filters: [LayerFilter.Value]) {
    for filter in filters {
      switch filter {
      case .blur(let radius):
        for plane in colors.planes + alpha.planes { plane.blurLikeGaussian(deviation: Point(radius, radius)) }
      case .color(let matrix): map { color, alpha in (matrix.apply(color / alpha) * alpha, alpha) }
      case .lumaAsAlpha: map { color, _ in (SIMD3(), (color * SIMD3(0.2125, 0.7154, 0.0721)).sum()) }
      }
    }
  }

  /// Changes each pixel that is not clear. Components and alpha are in 0...1.
  private func map(_ change: (SIMD3<Double>, Double) -> (SIMD3<Double>, Double)) {
    for y in 0..<size.height {
      let row = unsafe Triple(colors, y)
      let shares = unsafe alpha.planes[0].row(y, as: UInt16.self)
      for x in 0..<size.width {
        let share = unsafe shares[x]
        if share == 0 { continue }
        let (color, alpha) = unsafe change(SIMD3<Double>(row[x]) / 65535, Double(share) / 65535)
        unsafe row[x] = SIMD3<Float>(color * 65535)
        unsafe shares[x] = UInt16((min(max(alpha, 0), 1) * 65535).rounded())
      }
    }
  }

  /// Leaves of each pixel as much as `share` says.
  func keep(_ share: PixelBuffer) {
    for plane in colors.planes + alpha.planes { plane.multiplyAlpha(by: share.planes[0]) }
  }

  /// Lays a shadow below.
  func cast(_ shadow: Scene.Shadow) throws(CompositingError) {
    let soft = try PixelBuffer.makeAlpha(size.width, size.height)
    let plane = soft.planes[0]
    plane.copy(alpha.planes[0])
    plane.blurLikeGaussian(deviation: shadow.deviation)
    let color = SIMD3<Float>(
      Float(shadow.color.red), Float(shadow.color.green), Float(shadow.color.blue))
    for y in 0..<size.height {
      let row = unsafe Triple(colors, y)
      let shares = unsafe alpha.planes[0].row(y, as: UInt16.self)
      for x in 0..<size.width {
        let own = unsafe Float(shares[x]) / 65535
        let cast = plane.between(Double(x) - shadow.offset.x, Double(y) - shadow.offset.y) * Float(shadow.color.alpha) * (1 - own)
        if cast == 0 { continue }
        unsafe row[x] = row[x] + color * (cast * 65535)
        unsafe shares[x] = UInt16(min((own + cast) * 65535, 65535).rounded())
      }
    }
    withExtendedLifetime(soft) {}
  }

  // MARK: - Results

  /// The picture with straight colours. This one is used up.
  func straight() -> PixelBuffer {
    map { color, alpha in (color / alpha, alpha) }
    return colors.with(PixelBuffer.Alpha(full: alpha, chroma: nil))
  }
}

extension Plane {
  /// Blurs a plane of 16 bits nearly as a Gaussian does: by four boxes in each direction. Beyond its edges the plane goes on with
  /// its outermost samples.
  fileprivate func blurLikeGaussian(deviation: Point) {
    // Four boxes of n samples have the variance (n * n - 1) / 3.
    func reach(_ deviation: Double) -> Double { (3 * min(deviation, 2_000) * min(deviation, 2_000) + 1).squareRoot() - 1 }
    for _ in 0..<2 { blur(reach: (reach(deviation.x), reach(deviation.y)), bitDepth: 16) }
  }

  /// The value at a place between samples, in 0...1; 0 outside.
  fileprivate func between(_ x: Double, _ y: Double) -> Float {
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    guard left >= -1, top >= -1, left < Double(width), top < Double(height) else { return 0 }
    func at(_ column: Int, _ row: Int) -> Float {
      guard column >= 0, row >= 0, column < width, row < height else { return 0 }
      return unsafe Float(self.row(row, as: UInt16.self)[column]) / 65535
    }
    let (across, down, column, row) = (Float(x - left), Float(y - top), Int(left), Int(top))
    return (at(column, row) * (1 - across) + at(column + 1, row) * across) * (1 - down)
      + (at(column, row + 1) * (1 - across) + at(column + 1, row + 1) * across) * down
  }
}
