@_exported public import CoreVideo

extension CIImage {
  public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer) { self.init(cvPixelBuffer: pixelBuffer, options: nil) }

  /// Makes a picture of a pixel buffer, which is read when the picture is rendered.
  ///
  /// The values are those of the space that the buffer's attachments name, or of the option `colorSpace`, else of sRGB. Y, Cb and Cr
  /// are turned into colours by the attachment's matrix, else by that of BT.709.
  ///
  /// - Precondition: the buffer has colours.
  public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [CIImageOption: Any]?) {
    precondition(PlanarSamples(pixelBuffer.type) != nil, "CIImage: the pixel buffer's format has no colours")
    let isPlain = options?[.colorSpace] is NSNull
    let space = options?[.colorSpace] as? CGColorSpace ?? pixelBuffer.namedSpace
    self.init(
      width: pixelBuffer.width, height: pixelBuffer.height, values: { pixelBuffer.colors }, space: isPlain ? nil : space)
  }

  public convenience init(cvImageBuffer imageBuffer: CVImageBuffer) { self.init(cvPixelBuffer: imageBuffer, options: nil) }
  public convenience init(cvImageBuffer imageBuffer: CVImageBuffer, options: [CIImageOption: Any]?) {
    self.init(cvPixelBuffer: imageBuffer, options: options)
  }
}

extension CIContext {
  /// Renders a picture into a pixel buffer, whose bottom left corner is the origin. What the picture does not cover becomes clear.
  public func render(_ image: CIImage, to buffer: CVPixelBuffer) {
    render(image, to: buffer, bounds: CGRect(x: 0, y: 0, width: buffer.width, height: buffer.height), colorSpace: nil)
  }

  /// Renders a part of a picture into a pixel buffer.
  ///
  /// - Parameters:
  ///   - bounds: the part, which comes to lie at the buffer's bottom left corner.
  ///   - colorSpace: the space of the values; nil for the one that the buffer's attachments name, else sRGB.
  public func render(_ image: CIImage, to buffer: CVPixelBuffer, bounds: CGRect, colorSpace: CGColorSpace?) {
    let area = Area(
      x: Int(bounds.minX.rounded()), y: Int(bounds.minY.rounded()), width: buffer.width, height: buffer.height)
    let shown = image.cropped(to: bounds)
    buffer.write(values(of: shown, area, in: colorSpace ?? buffer.namedSpace))
  }
}

extension CVBuffer {
  /// The space that the attachments name; sRGB where they name none.
  fileprivate var namedSpace: CGColorSpace? {
    func text(_ key: CFString) -> String { CVBufferCopyAttachment(self, key, nil) as? String ?? "" }
    if let space = CVBufferCopyAttachment(self, kCVImageBufferCGColorSpaceKey, nil) as? CGColorSpace { return space }
    let (transfer, primaries) = (text(kCVImageBufferTransferFunctionKey), text(kCVImageBufferColorPrimariesKey))
    if transfer == "SMPTE_ST_2084_PQ" { return CGColorSpace(name: CGColorSpace.itur_2100_PQ) }
    if transfer == "ITU_R_2100_HLG" { return CGColorSpace(name: CGColorSpace.itur_2100_HLG) }
    if primaries == "ITU_R_2020" { return CGColorSpace(name: CGColorSpace.itur_2020) }
    if primaries == "P3_D65" { return CGColorSpace(name: CGColorSpace.displayP3) }
    return CGColorSpace(name: CGColorSpace.sRGB)
  }

  /// The shares of red and blue in Y.
  private var weights: (red: Float, blue: Float) {
    switch CVBufferCopyAttachment(self, kCVImageBufferYCbCrMatrixKey, nil) as? String {
    case "ITU_R_601_4": (0.299, 0.114)
    case "ITU_R_2020": (0.2627, 0.0593)
    default: (0.2126, 0.0722)
    }
  }

  /// The places of red, green, blue and alpha in a pixel's bytes; nil for other formats than those of bytes.
  private var places: [Int?]? {
    guard case .rgb(let red, let green, let blue, let alpha, .byte) = layout.kind else { return nil }
    return [red, green, blue, alpha]
  }

  /// The colours with alpha multiplied in, by rows from the top.
  fileprivate var colors: [Pixel] {
    var made = [Pixel](repeating: Pixel(0, 0, 0, 1), count: width * height)
    guard let places else { return planarColors(made) }
    guard let base = unsafe CVPixelBufferGetBaseAddress(self) else { return made }
    let (size, stride) = (places[3] == nil ? 3 : 4, CVPixelBufferGetBytesPerRow(self))
    for y in 0..<height {
      let row = unsafe (base + y * stride).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width {
        for part in 0..<4 {
          if let place = places[part] { made[y * width + x][part] = unsafe Float(row[x * size + place]) / 255 }
        }
      }
    }
    return made
  }

  /// Writes colours with alpha multiplied in, by rows from the top.
  fileprivate func write(_ values: [Pixel]) {
    guard let places, let base = unsafe CVPixelBufferGetBaseAddress(self) else { return writePlanar(values) }
    let (size, stride) = (places[3] == nil ? 3 : 4, CVPixelBufferGetBytesPerRow(self))
    for y in 0..<height {
      let row = unsafe (base + y * stride).assumingMemoryBound(to: UInt8.self)
      for x in 0..<width {
        for part in 0..<4 {
          guard let place = places[part] else { continue }
          unsafe row[x * size + place] = UInt8((min(max(values[y * width + x][part], 0), 1) * 255).rounded())
        }
      }
    }
  }

  /// The scale of a format's samples: black and the range of Y, and the middle and the range of Cb and Cr.
  private func scale(_ form: PlanarSamples) -> (black: Float, luma: Float, middle: Float, chroma: Float) {
    let step = Float(1 << (form.bitDepth - 8))
    let most = Float(1 << form.bitDepth) - 1
    return form.isFullRange ? (0, most, 128 * step, most) : (16 * step, 219 * step, 128 * step, 224 * step)
  }

  private func planarColors(_ empty: [Pixel]) -> [Pixel] {
    guard let form = PlanarSamples(type) else { return empty }
    let bytes = planarSamples()
    func sample(_ index: Int) -> Float {
      form.bitDepth > 8 ? Float(UInt16(bytes[index * 2]) | UInt16(bytes[index * 2 + 1]) << 8) : Float(bytes[index])
    }
    var made = empty
    let count = width * height
    if form.layout == "gbr" {
      let most = Float(1 << form.bitDepth) - 1
      for index in 0..<count {
        made[index] = Pixel(sample(2 * count + index) / most, sample(index) / most, sample(count + index) / most, 1)
      }
      return made
    }
    let (black, luma, middle, chroma) = scale(form)
    let (kr, kb) = weights
    let (sx, sy) = (form.layout == "yuv444" ? 0 : 1, form.layout == "yuv420" ? 1 : 0)
    let (cw, ch) = ((width + sx) >> sx, (height + sy) >> sy)
    for index in 0..<count {
      // Each sample of Cb and Cr stands for its pixels, so that a picture that is only passed on stays as it is.
      let place = count + ((index / width) >> sy) * cw + ((index % width) >> sx)
      let y = (sample(index) - black) / luma
      let (u, v) = ((sample(place) - middle) / chroma, (sample(place + cw * ch) - middle) / chroma)
      let (r, b) = (y + 2 * (1 - kr) * v, y + 2 * (1 - kb) * u)
      made[index] = Pixel(r, (y - kr * r - kb * b) / (1 - kr - kb), b, 1)
    }
    return made
  }

  private func writePlanar(_ values: [Pixel]) {
    guard let form = PlanarSamples(type) else { return }
    var bytes = [UInt8](repeating: 0, count: form.byteCount(width: width, height: height))
    let most = Float(1 << form.bitDepth) - 1
    func set(_ index: Int, _ value: Float) {
      let sample = UInt16(min(max(value, 0), most).rounded())
      if form.bitDepth > 8 {
        (bytes[index * 2], bytes[index * 2 + 1]) = (UInt8(sample & 255), UInt8(sample >> 8))
      } else {
        bytes[index] = UInt8(sample)
      }
    }
    let count = width * height
    if form.layout == "gbr" {
      for (index, value) in values.enumerated() {
        set(index, value[1] * most)
        set(count + index, value[2] * most)
        set(2 * count + index, value[0] * most)
      }
      return fill(with: bytes)
    }
    let (black, luma, middle, chroma) = scale(form)
    let (kr, kb) = weights
    let (sx, sy) = (form.layout == "yuv444" ? 0 : 1, form.layout == "yuv420" ? 1 : 0)
    let (cw, ch) = ((width + sx) >> sx, (height + sy) >> sy)
    var sums = [(u: Float, v: Float, count: Float)](repeating: (0, 0, 0), count: cw * ch)
    for (index, value) in values.enumerated() {
      let y = kr * value[0] + (1 - kr - kb) * value[1] + kb * value[2]
      set(index, black + y * luma)
      let place = ((index / width) >> sy) * cw + ((index % width) >> sx)
      sums[place].u += (value[2] - y) / (2 * (1 - kb))
      sums[place].v += (value[0] - y) / (2 * (1 - kr))
      sums[place].count += 1
    }
    for (index, sum) in sums.enumerated() {
      set(count + index, middle + sum.u / sum.count * chroma)
      set(count + cw * ch + index, middle + sum.v / sum.count * chroma)
    }
    fill(with: bytes)
  }
}
