package import Drawing
package import Media
package import Timeline

/// A text or an image, ready to be drawn over frames. It is rasterised and converted once, and only where it has pixels.
///
/// It depends on the raster, the opacity and the render format only, not on when or where it is made. It never changes, so
/// threads may share it.
package struct OverlayPicture: Sendable {
  /// The area of the planes in the frame, in whole chroma cells; nil when nothing of the layer can be seen.
  let area: PixelArea?
  /// The planes, in the render format.
  let planes: [Plane]

  /// The samples of a plane. The colour is not multiplied by alpha.
  struct Plane: Sendable {
    let width: Int
    let height: Int
    /// The samples, of 1 or 2 bytes each, as in the render format.
    var samples: [UInt8]
    /// The alpha of each sample, 0...65535.
    var alpha: [UInt16]
  }

  /// - Parameters:
  ///   - opacity: the layer's opacity, 0...1.
  ///   - renderSize: the frame's size. Parts of the layer outside the frame are cut off.
  ///   - color: the output's colour, as for `Compositor`.
  package init(_ raster: Raster, opacity: Double, renderSize: PixelSize, format: PixelFormat, color: ColorTags) {
    let resolved = PictureFormat(
      width: renderSize.width, height: renderSize.height, format: format, color: color, taggedHeight: renderSize.height)
    guard opacity > 0, let seen = raster.visibleBounds(in: renderSize) else {
      (area, planes) = (nil, [])
      return
    }
    // A chroma sample affects the luma columns on either side of its own, so the area reaches further by these columns.
    let spread = format.cell.width - 1
    let reach = Rect(
      Double(seen.columns.lowerBound), Double(seen.rows.lowerBound), Double(seen.columns.count + spread), Double(seen.rows.count))
    let area = PixelArea(around: reach, cell: format.cell, within: (renderSize.width, renderSize.height))
    self.area = area
    var builder = OverlayBuilder(area: area, format: format, color: GraphicsColor(resolved))
    for y in seen.rows {
      for x in seen.columns {
        let pixel = raster.pixel(x, y)
        if pixel.alpha > 0 { builder.add(pixel, opacity: opacity, x: x, y: y) }
      }
      if y == seen.rows.last || (y + 1).isMultiple(of: format.cell.height) { builder.finishCells(ofRow: y) }
    }
    planes = builder.planes
  }

  /// The same picture, with its opacity multiplied by `opacity`.
  ///
  /// - Parameter opacity: the factor, 0...1.
  package func faded(to opacity: Double) -> OverlayPicture {
    let weight = UInt64((opacity * 65535).rounded())
    let faded = planes.map { plane in
      var plane = plane
      for index in plane.alpha.indices { plane.alpha[index] = UInt16((UInt64(plane.alpha[index]) * weight + 32767) / 65535) }
      return plane
    }
    return OverlayPicture(area: area, planes: faded)
  }

  private init(area: PixelArea?, planes: [Plane]) { (self.area, self.planes) = (area, planes) }

  /// Draws the picture over a frame of the render format.
  func blend(over frame: PixelBuffer, _ mixture: LightMixture?) {
    guard let area else { return }
    for (index, ground) in frame.planes.enumerated() {
      let part = area.area(ofPlane: index, in: frame.format)
      planes[index].withPlanes(bytesPerSample: frame.format.bytesPerSample) { samples, alpha in
        ground.part(columns: part.columns, rows: part.rows).blend(samples, alpha: alpha, mixture)
      }
    }
  }
}

extension OverlayPicture.Plane {
  init(width: Int, height: Int, format: PixelFormat) {
    (self.width, self.height) = (width, height)
    samples = [UInt8](repeating: 0, count: width * height * format.bytesPerSample)
    alpha = [UInt16](repeating: 0, count: width * height)
  }

  /// Calls `body` with the samples and the alpha as planes. They are only read, and live for the call.
  fileprivate func withPlanes(bytesPerSample: Int, _ body: (_ samples: Plane, _ alpha: Plane) -> Void) {
    unsafe samples.withUnsafeBytes { samples in
      unsafe alpha.withUnsafeBytes { alpha in
        // The kernels take writable planes, but write to the plane that they draw on, never to these. The arrays are not empty,
        // since areas are not.
        unsafe body(
          Plane(
            base: UnsafeMutableRawPointer(mutating: samples.baseAddress!), stride: width * bytesPerSample, width: width,
            height: height, bytesPerSample: bytesPerSample),
          Plane(
            base: UnsafeMutableRawPointer(mutating: alpha.baseAddress!), stride: width * 2, width: width, height: height,
            bytesPerSample: 2))
      }
    }
  }
}
