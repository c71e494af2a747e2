import CoreGraphics
import CoreImage
import Foundation
import Testing

@Suite struct `Filters` {
  /// A context that keeps colours as they are, so that formulas can be checked by their numbers.
  private let plain = CIContext(options: [.workingColorSpace: NSNull()])
  private let whole = CGRect(x: 0, y: 0, width: 8, height: 8)

  private func color(_ red: CGFloat, _ green: CGFloat, _ blue: CGFloat, _ alpha: CGFloat = 1) -> CIImage {
    CIImage(color: CIColor(red: red, green: green, blue: blue, alpha: alpha)).cropped(to: whole)
  }

  /// The values of a picture at a pixel, counted from the bottom left.
  private func value(_ image: CIImage?, _ x: Int = 2, _ y: Int = 2, _ context: CIContext? = nil) -> [Float] {
    guard let image else { return [] }
    var values: [Float] = [0, 0, 0, 0]
    unsafe values.withUnsafeMutableBytes { bytes in
      unsafe (context ?? plain).render(
        image, toBitmap: bytes.baseAddress!, rowBytes: 16, bounds: CGRect(x: x, y: y, width: 1, height: 1), format: .RGBAf,
        colorSpace: nil)
    }
    return values
  }

  /// The data of a cube of eight colours, whose parts are 0 or 1.
  private func cube(_ parts: (Int) -> [Int]) -> Data {
    var values: [Float] = []
    for index in 0..<8 { values += parts(index).map(Float.init) + [1] }
    return unsafe values.withUnsafeBytes { unsafe Data($0) }
  }

  private func isNear(_ one: [Float], _ other: [Float], _ margin: Float = 1e-4) -> Bool {
    one.count == other.count && zip(one, other).allSatisfy { abs($0 - $1) <= margin }
  }

  @Test func `a dissolve mixes light, and in a plain context values`() throws {
    let filter = try #require(CIFilter(name: "CIDissolveTransition"))
    filter.setValue(color(1, 0, 0), forKey: kCIInputImageKey)
    filter.setValue(color(0, 0, 1), forKey: kCIInputTargetImageKey)
    filter.setValue(NSNumber(value: 0.25), forKey: kCIInputTimeKey)
    #expect(isNear(value(filter.outputImage), [0.75, 0, 0.25, 1]))
    // In light, three quarters of red are 0.8808 of sRGB.
    let image = CIContext().createCGImage(try #require(filter.outputImage), from: whole)
    #expect(pixel(image, 0, 0) == [225, 0, 137, 255])
  }

  @Test func `colours that are only passed on keep their numbers`() throws {
    let image = CIContext().createCGImage(color(0.2, 0.5, 0.8, 0.5), from: whole)
    #expect(zip(pixel(image, 3, 3), [26, 64, 102, 128]).allSatisfy { abs($0 - $1) <= 1 }, "\(pixel(image, 3, 3))")
  }

  @Test func `colour filters follow their formulas, on colours without alpha`() throws {
    let image = color(0.2, 0.4, 0.6, 0.5)
    let gray: Float = 0.2126 * 0.2 + 0.7152 * 0.4 + 0.0722 * 0.6
    func made(_ name: String, _ inputs: [String: Any]) -> [Float] {
      let result = value(image.applyingFilter(name, parameters: inputs))
      return result.isEmpty ? [] : result[0..<3].map { $0 / result[3] } + [result[3]]
    }
    #expect(isNear(made("CIColorControls", ["inputSaturation": 0]), [gray, gray, gray, 0.5]))
    #expect(isNear(made("CIColorControls", ["inputBrightness": 0.1, "inputContrast": 2]), [0, 0.4, 0.8, 0.5].map { $0 }, 0.11))
    #expect(isNear(made("CIExposureAdjust", ["inputEV": 1]), [0.4, 0.8, 1.2, 0.5]))
    #expect(isNear(made("CIGammaAdjust", ["inputPower": 2.0]), [0.04, 0.16, 0.36, 0.5]))
    #expect(isNear(made("CIColorInvert", [:]), [0.8, 0.6, 0.4, 0.5]))
    #expect(isNear(made("CIHueAdjust", ["inputAngle": 2 * Double.pi / 3]), [0.6, 0.2, 0.4, 0.5]))
    let rows = ["inputRVector": CIVector(x: 0, y: 1, z: 0, w: 0), "inputAVector": CIVector(x: 0, y: 0, z: 0, w: 0.5)]
    #expect(isNear(made("CIColorMatrix", rows), [0.4, 0.4, 0.6, 0.25]))
    #expect(isNear(made("CIMaximumComponent", [:]), [0.6, 0.6, 0.6, 0.5]))
  }

  @Test func `compositing follows Porter and Duff, and blend modes PDF`() throws {
    let (front, back) = (color(0.8, 0.2, 0, 0.5), color(0.5, 0.5, 0.5))
    func made(_ name: String) -> [Float] {
      value(front.applyingFilter(name, parameters: [kCIInputBackgroundImageKey: back]))
    }
    #expect(isNear(made("CISourceOverCompositing"), [0.65, 0.35, 0.25, 1]))
    #expect(isNear(value(front.composited(over: back)), [0.65, 0.35, 0.25, 1]))
    #expect(isNear(made("CISourceInCompositing"), [0.4, 0.1, 0, 0.5]))
    #expect(isNear(made("CIMultiplyBlendMode"), [0.45, 0.3, 0.25, 1]))
    #expect(isNear(made("CIScreenBlendMode"), [0.7, 0.55, 0.5, 1]))
    #expect(isNear(made("CIDifferenceBlendMode"), [0.4, 0.4, 0.5, 1]))
    #expect(isNear(made("CIAdditionCompositing"), [0.9, 0.6, 0.5, 1]))
  }

  @Test func `a blur keeps the sum, and spreads as its deviation says`() throws {
    let dot = CIImage(color: .white).cropped(to: CGRect(x: 0, y: 0, width: 1, height: 1))
    let soft = dot.applyingGaussianBlur(sigma: 2)
    #expect(soft.extent == CGRect(x: -6, y: -6, width: 13, height: 13))
    var (sum, spread): (Float, Float) = (0, 0)
    for y in -6...6 {
      for x in -6...6 {
        let part = value(soft, x, y)[0]
        (sum, spread) = (sum + part, spread + part * Float(x * x))
      }
    }
    #expect(abs(sum - 1) < 1e-3 && abs(spread / sum - 4) < 0.15, "\(sum) \(spread)")
  }

  @Test func `geometry has its origin at the bottom left`() throws {
    let half = CIImage(color: .red).cropped(to: CGRect(x: 0, y: 0, width: 4, height: 2))
    let moved = half.transformed(by: CGAffineTransform(translationX: 3, y: 5))
    #expect(moved.extent == CGRect(x: 3, y: 5, width: 4, height: 2))
    #expect(value(moved, 3, 5) == [1, 0, 0, 1] && value(moved, 2, 5) == [0, 0, 0, 0])
    #expect(half.oriented(.right).extent.size == CGSize(width: 2, height: 4))
    #expect(value(half.clampedToExtent(), 100, -50) == [1, 0, 0, 1])
    let scaled = half.applyingFilter("CILanczosScaleTransform", parameters: [kCIInputScaleKey: 2])
    #expect(scaled.extent == CGRect(x: 0, y: 0, width: 8, height: 4) && isNear(value(scaled, 7, 3), [1, 0, 0, 1]))
    // The top left pixel of a picture is at the top of the extent.
    let context = try sheet(2, 2)
    context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 1, width: 1, height: 1))
    let image = CIImage(cgImage: try #require(context.makeImage()))
    #expect(value(image, 0, 1) == [0, 1, 0, 1] && value(image, 0, 0) == [0, 0, 0, 0])
    // Turned clockwise, the top left pixel is at the top right.
    #expect(value(image.oriented(.right), 1, 1) == [0, 1, 0, 1])
    #expect(value(image.oriented(.left), 0, 0) == [0, 1, 0, 1])
    #expect(value(image.oriented(.down), 1, 0) == [0, 1, 0, 1])
  }

  @Test func `a quadrangle that is put straight is as large as its longer sides`() throws {
    let context = try sheet(60, 50)
    context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    context.fill(CGRect(x: 10, y: 10, width: 40, height: 30))
    let picture = try #require(context.makeImage())
    let straight = CIImage(cgImage: picture).applyingFilter(
      "CIPerspectiveCorrection",
      parameters: [
        "inputBottomLeft": CIVector(x: 10, y: 10), "inputBottomRight": CIVector(x: 50, y: 10),
        "inputTopRight": CIVector(x: 46, y: 40), "inputTopLeft": CIVector(x: 10, y: 40),
      ])
    #expect(straight.extent == CGRect(x: 0, y: 0, width: 40, height: 30))
    #expect(isNear(value(straight, 1, 1), [0, 1, 0, 1], 1e-3) && isNear(value(straight, 38, 28), [0, 1, 0, 1], 1e-3))
  }

  @Test func `the page of filters names those that are made, and no others`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let page = try String(contentsOf: root.appendingPathComponent("docs/avfoundation-pictures.md"), encoding: .utf8)
    let start = try #require(page.range(of: "| two pictures |")?.lowerBound)
    let table = try #require(page[start...].components(separatedBy: "\n\n").first)
    #expect(Set(table.matches(of: /`(CI\w+)`/).map { String($0.1) }) == Set(CIFilter.filterNames(inCategory: nil)))
  }

  @Test func `a picture that is only passed on between pixel buffers keeps its samples`() throws {
    for type in [kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange, kCVPixelFormatType_32BGRA] {
      var made: CVPixelBuffer?
      let status = unsafe CVPixelBufferCreate(kCFAllocatorDefault, 8, 4, type, nil, &made)
      #expect(status == kCVReturnSuccess)
      let target = try #require(made)
      // Red, with a white square of two pixels at the bottom left.
      let white = CIImage(color: .white).cropped(to: CGRect(x: 0, y: 0, width: 2, height: 2))
      plain.render(white.composited(over: color(1, 0, 0)), to: target)
      let read = CIImage(cvPixelBuffer: target)
      #expect(isNear(value(read, 1, 1), [1, 1, 1, 1], 0.01) && isNear(value(read, 0, 0), [1, 1, 1, 1], 0.01))
      #expect(isNear(value(read, 2, 1), [1, 0, 0, 1], 0.01) && isNear(value(read, 7, 3), [1, 0, 0, 1], 0.01))
    }
  }

  @Test func `filters by type are those by name`() throws {
    let filter = CIFilter.gaussianBlur()
    #expect(filter.radius == 10 && filter.name == "CIGaussianBlur" && filter.outputImage == nil)
    filter.inputImage = color(1, 1, 1)
    filter.radius = 0
    #expect(value(filter.outputImage) == [1, 1, 1, 1])
    let dissolve = CIFilter.dissolveTransition()
    (dissolve.inputImage, dissolve.targetImage, dissolve.time) = (color(1, 0, 0), color(0, 1, 0), 0.5)
    #expect(isNear(value(dissolve.outputImage), [0.5, 0.5, 0, 1]))
  }

  @Test func `filters whose rules are not public are none, and others have pictures with their defaults`() throws {
    #expect(CIFilter(name: "CIPhotoEffectNoir") == nil && CIFilter(name: "CINothing") == nil)
    for name in CIFilter.filterNames(inCategory: nil) {
      let filter = try #require(CIFilter(name: name))
      for key in filter.inputKeys where key.hasSuffix("Image") { filter.setValue(color(0.5, 0.25, 0.75), forKey: key) }
      if name.hasPrefix("CIColorCube") {
        filter.setValue(cube { [$0 & 1, $0 >> 1 & 1, $0 >> 2 & 1] }, forKey: "inputCubeData")
      }
      if name == "CIAttributedTextImageGenerator" { filter.setValue(NSAttributedString(string: "a"), forKey: "inputText") }
      if name == "CITextImageGenerator" { filter.setValue("a", forKey: "inputText") }
      let made = try #require(filter.outputImage, "\(name)")
      #expect(value(made).allSatisfy { $0.isFinite }, "\(name)")
    }
  }

  @Test func `a gradient and a checkerboard have their colours where they are said`() throws {
    let gradient = CIFilter.linearGradient()
    (gradient.point0, gradient.point1) = (CGPoint(x: 0, y: 0), CGPoint(x: 10, y: 0))
    (gradient.color0, gradient.color1) = (.red, .blue)
    #expect(isNear(value(gradient.outputImage, 4, 3), [0.55, 0, 0.45, 1]))
    let board = CIFilter.checkerboardGenerator()
    (board.center, board.width) = (.zero, 2)
    #expect(value(board.outputImage, 0, 0) == [1, 1, 1, 1] && value(board.outputImage, 2, 0) == [0, 0, 0, 1])
  }

  @Test func `a cube looks colours up, with linear steps between`() throws {
    // This cube swaps red and blue.
    let filter = CIFilter.colorCube()
    (filter.inputImage, filter.cubeDimension) = (color(0.2, 0.4, 0.6), 2)
    filter.cubeData = cube { [$0 >> 2 & 1, $0 >> 1 & 1, $0 & 1] }
    #expect(isNear(value(filter.outputImage), [0.6, 0.4, 0.2, 1]))
  }
}
