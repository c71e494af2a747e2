extension CIImage {
  /// The picture under a map. Colours between pixels are linear ones.
  public func transformed(by matrix: CGAffineTransform) -> CIImage {
    if matrix.isIdentity { return self }
    let inverse = matrix.inverted()
    let extent = extent.isInfinite || extent.isNull ? extent : extent.applying(matrix)
    let isShift = matrix.a == 1 && matrix.b == 0 && matrix.c == 0 && matrix.d == 1
    if isShift, matrix.tx == matrix.tx.rounded(), matrix.ty == matrix.ty.rounded(), abs(matrix.tx) < 1e9, abs(matrix.ty) < 1e9 {
      let (dx, dy) = (Int(matrix.tx), Int(matrix.ty))
      return CIImage(extent, properties: properties) { [self] area, rendering in
        let source = rendering.pixels(of: self, Area(x: area.x - dx, y: area.y - dy, width: area.width, height: area.height))
        return Pixels(area, source.values)
      }
    }
    return CIImage(extent, properties: properties) { [self] area, rendering in
      guard let needed = Area(area.rect.applying(inverse))?.grown(by: 1) else { return Pixels(clear: area) }
      let source = rendering.pixels(of: self, Area(self.extent).map { needed.intersection($0.grown(by: 1)) } ?? needed)
      let (a, b, c, d) = (Float(inverse.a), Float(inverse.b), Float(inverse.c), Float(inverse.d))
      let (tx, ty) = (Double(inverse.tx), Double(inverse.ty))
      // Places are counted from the area's corner, so that a Float is fine enough far away from the origin.
      let (x0, y0) = (Double(area.x), Double(area.y))
      let startX = Float(Double(inverse.a) * x0 + Double(inverse.c) * y0 + tx - Double(source.area.x))
      let startY = Float(Double(inverse.b) * x0 + Double(inverse.d) * y0 + ty - Double(source.area.y))
      let local = Pixels(Area(x: 0, y: 0, width: source.area.width, height: source.area.height), source.values)
      var made = Pixels(clear: area)
      for row in 0..<area.height {
        for column in 0..<area.width {
          let (u, v) = (Float(column) + 0.5, Float(row) + 0.5)
          made.values[row * area.width + column] = local.sample(a * u + c * v + startX, b * u + d * v + startY)
        }
      }
      return made
    }
  }

  public func transformed(by matrix: CGAffineTransform, highQualityDownsample: Bool) -> CIImage { transformed(by: matrix) }

  /// The part of the picture in a rectangle.
  public func cropped(to rect: CGRect) -> CIImage {
    let common = extent.intersection(rect.standardized)
    return CIImage(common.isNull || common.isEmpty ? .null : common, properties: properties) { [self] area, rendering in
      rendering.pixels(of: self, area)
    }
  }

  /// The picture over another one.
  public func composited(over dest: CIImage) -> CIImage {
    CIImage(extent.union(dest.extent)) { [self] area, rendering in
      rendering.pixels(of: self, area).joined(rendering.pixels(of: dest, area)) { $0 + $1 * (1 - $0[3]) }
    }
  }

  /// The picture with its outermost pixels repeated without end.
  public func clampedToExtent() -> CIImage {
    guard let bounds = Area(extent) else { return self }
    return CIImage(.infinite) { [self] area, rendering in
      let inside = area.intersection(bounds)
      let columns = bounds.x...(bounds.maxX - 1)
      let rows = bounds.y...(bounds.maxY - 1)
      func near(_ value: Int, _ range: ClosedRange<Int>) -> Int { min(max(value, range.lowerBound), range.upperBound) }
      // What is needed is the area moved into the picture.
      let (left, right) = (near(area.x, columns), near(area.maxX - 1, columns))
      let (low, high) = (near(area.y, rows), near(area.maxY - 1, rows))
      let needed = Area(x: left, y: low, width: right - left + 1, height: high - low + 1)
      let source = rendering.pixels(of: self, inside.isEmpty ? needed : needed)
      var made = Pixels(clear: area)
      for row in 0..<area.height {
        for column in 0..<area.width {
          made.values[row * area.width + column] = source[near(area.x + column, columns), near(area.y + row, rows)]
        }
      }
      return made
    }
  }

  public func clamped(to rect: CGRect) -> CIImage { cropped(to: rect).clampedToExtent() }

  /// The picture turned as a number 1...8 of EXIF says, with its corner at the origin.
  public func oriented(forExifOrientation orientation: Int32) -> CIImage {
    transformed(by: orientationTransform(forExifOrientation: orientation))
  }

  public func oriented(_ orientation: CGImagePropertyOrientation) -> CIImage {
    oriented(forExifOrientation: Int32(orientation.rawValue))
  }

  public func orientationTransform(for orientation: CGImagePropertyOrientation) -> CGAffineTransform {
    orientationTransform(forExifOrientation: Int32(orientation.rawValue))
  }

  public func orientationTransform(forExifOrientation orientation: Int32) -> CGAffineTransform {
    let (x, y, w, h) = (extent.minX, extent.minY, extent.width, extent.height)
    // The turned picture lies where the stored one lies. Its y grows upwards.
    let turn: CGAffineTransform =
      switch orientation {
      case 2: CGAffineTransform(-1, 0, 0, 1, w, 0)
      case 3: CGAffineTransform(-1, 0, 0, -1, w, h)
      case 4: CGAffineTransform(1, 0, 0, -1, 0, h)
      case 5: CGAffineTransform(0, -1, -1, 0, h, w)
      case 6: CGAffineTransform(0, -1, 1, 0, 0, w)
      case 7: CGAffineTransform(0, 1, 1, 0, 0, 0)
      case 8: CGAffineTransform(0, 1, -1, 0, h, 0)
      default: .identity
      }
    return CGAffineTransform(translationX: -x, y: -y).concatenating(turn).concatenating(CGAffineTransform(translationX: x, y: y))
  }

  /// The picture under a filter.
  ///
  /// - Precondition: the filter is made here, and the parameters are all that it needs.
  public func applyingFilter(_ filterName: String, parameters params: [String: Any]) -> CIImage {
    guard let filter = CIFilter(name: filterName, parameters: params) else {
      preconditionFailure("CIImage.applyingFilter: \(FilterDefinition.isMissing(filterName))")
    }
    filter.setValue(self, forKey: kCIInputImageKey)
    guard let image = filter.outputImage else {
      preconditionFailure("CIImage.applyingFilter: \(filterName) needs more than it was given: \(filter.inputKeys)")
    }
    return image
  }

  public func applyingFilter(_ filterName: String) -> CIImage { applyingFilter(filterName, parameters: [:]) }

  public func applyingGaussianBlur(sigma: Double) -> CIImage {
    applyingFilter("CIGaussianBlur", parameters: [kCIInputRadiusKey: sigma])
  }

  private func mapped(_ body: @escaping (Pixel) -> Pixel) -> CIImage {
    CIImage(extent, properties: properties) { [self] area, rendering in rendering.pixels(of: self, area).mapped(body) }
  }

  public func premultiplyingAlpha() -> CIImage { mapped(\.premultiplied) }
  public func unpremultiplyingAlpha() -> CIImage { mapped(\.straight) }

  /// The picture with alpha 1 in a rectangle, and clear outside of it.
  public func settingAlphaOne(in extent: CGRect) -> CIImage {
    cropped(to: extent).mapped { $0.straight.withAlpha(1) }
  }

  public func settingProperties(_ properties: [AnyHashable: Any]) -> CIImage {
    let named = Dictionary(properties.map { ("\($0.key)", $0.value) }, uniquingKeysWith: { one, _ in one })
    return CIImage(extent, properties: named) { [self] area, rendering in rendering.pixels(of: self, area) }
  }

  public func insertingIntermediate() -> CIImage { self }
  public func samplingLinear() -> CIImage { self }
}

extension CIImage {
  // The names that Swift had for these before version 4.
  @available(*, deprecated, renamed: "transformed(by:)")
  public func applying(_ matrix: CGAffineTransform) -> CIImage { transformed(by: matrix) }
  @available(*, deprecated, renamed: "cropped(to:)")
  public func cropping(to rect: CGRect) -> CIImage { cropped(to: rect) }
  @available(*, deprecated, renamed: "clampedToExtent()")
  public func clampingToExtent() -> CIImage { clampedToExtent() }
  @available(*, deprecated, renamed: "oriented(forExifOrientation:)")
  public func applyingOrientation(_ orientation: Int32) -> CIImage { oriented(forExifOrientation: orientation) }
  @available(*, deprecated, renamed: "composited(over:)")
  public func compositingOverImage(_ dest: CIImage) -> CIImage { composited(over: dest) }
  @available(*, deprecated, renamed: "applyingFilter(_:parameters:)")
  public func applyingFilter(_ filterName: String, withInputParameters params: [String: Any]?) -> CIImage {
    applyingFilter(filterName, parameters: params ?? [:])
  }
}
