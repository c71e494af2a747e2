import CoreGraphics
import CoreText
import Foundation
import Testing
import UIFoundation

@Suite struct `A context of pixels` {
  @Test func `the origin is at the bottom left`() throws {
    let context = try sheet(8, 6)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
    let image = context.makeImage()
    #expect(pixel(image, 0, 5) == [255, 0, 0, 255])
    #expect(pixel(image, 1, 5) == [255, 0, 0, 255])
    #expect(pixel(image, 2, 5) == [0, 0, 0, 0])
    #expect(pixel(image, 0, 4) == [0, 0, 0, 0])
  }

  @Test func `a frame of text leaves the context as it was`() throws {
    let context = try sheet(40, 20)
    let text = NSAttributedString(string: "x", attributes: [.font: CTFontCreateWithName("DejaVu Sans", 8, nil)])
    let setter = CTFramesetterCreateWithAttributedString(text)
    let path = unsafe CGPath(rect: CGRect(x: 0, y: 0, width: 10, height: 20), transform: nil)
    CTFrameDraw(CTFramesetterCreateFrame(setter, CFRangeMake(0, 0), path, nil), context)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.fill(CGRect(x: 20, y: 0, width: 20, height: 20))
    #expect(pixel(context.makeImage(), 30, 10) == [255, 0, 0, 255], "what lies outside of the frame is not clipped any more")
  }

  /// The orders of bytes in which callers keep pixels, with the bytes of half-transparent orange.
  static let layouts: [(UInt32, [UInt8])] = [
    (CGImageAlphaInfo.premultipliedLast.rawValue, [128, 64, 0, 128]),
    (CGImageAlphaInfo.premultipliedFirst.rawValue, [128, 128, 64, 0]),
    (CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue, [0, 64, 128, 128]),
    (CGImageAlphaInfo.premultipliedLast.rawValue | CGBitmapInfo.byteOrder32Little.rawValue, [128, 0, 64, 128]),
  ]

  @Test(arguments: layouts)
  func `the caller's memory gets pixels in its own order, and rows of its own length`(info: UInt32, expected: [UInt8]) throws {
    var memory = [UInt8](repeating: 0, count: 3 * 20)
    try unsafe memory.withUnsafeMutableBytes { bytes in
      let made = unsafe CGContext(
        data: bytes.baseAddress, width: 4, height: 3, bitsPerComponent: 8, bytesPerRow: 20,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: info)
      let context = try #require(made)
      context.setFillColor(red: 1, green: 0.5, blue: 0, alpha: 0.5)
      context.fill(CGRect(x: 1, y: 1, width: 1, height: 1))
    }
    #expect(zip(memory[24..<28], expected).allSatisfy { abs(Int($0) - Int($1)) <= 1 }, "\(memory[24..<28])")
    #expect(memory.enumerated().filter { $0.element != 0 }.allSatisfy { (24..<28).contains($0.offset) })
  }

  @Test func `rows whose length is no multiple of four bytes are the caller's too`() throws {
    var memory = [UInt8](repeating: 0, count: 3 * 13)
    try unsafe memory.withUnsafeMutableBytes { bytes in
      let made = unsafe CGContext(
        data: bytes.baseAddress, width: 3, height: 3, bitsPerComponent: 8, bytesPerRow: 13, space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
      let context = try #require(made)
      context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
      context.fill(CGRect(x: 1, y: 1, width: 1, height: 1))
    }
    #expect(memory.enumerated().filter { $0.element != 0 }.map(\.offset) == [13 + 4 + 2, 13 + 4 + 3])
    #expect(memory[19] == 255 && memory[20] == 255)
  }

  @Test func `what the caller wrote before is drawn over`() throws {
    var memory = [UInt8](repeating: 255, count: 16)
    try unsafe memory.withUnsafeMutableBytes { bytes in
      let made = unsafe CGContext(
        data: bytes.baseAddress, width: 2, height: 2, bitsPerComponent: 8, bytesPerRow: 8,
        space: CGColorSpaceCreateDeviceRGB(), bitmapInfo: CGImageAlphaInfo.noneSkipLast.rawValue)
      let context = try #require(made)
      context.setFillColor(gray: 0, alpha: 0.5)
      context.fill(CGRect(x: 0, y: 1, width: 1, height: 1))
    }
    #expect(abs(Int(memory[0]) - 128) <= 1)
    #expect(memory[4...6].allSatisfy { $0 == 255 } && memory[8...10].allSatisfy { $0 == 255 })
  }

  @Test func `kinds of pixels that are not made are refused`() {
    let space = CGColorSpaceCreateDeviceRGB()
    func make(_ bits: Int, _ info: UInt32) -> CGContext? {
      unsafe CGContext(data: nil, width: 4, height: 4, bitsPerComponent: bits, bytesPerRow: 0, space: space, bitmapInfo: info)
    }
    #expect(make(16, CGImageAlphaInfo.premultipliedLast.rawValue) == nil)
    #expect(make(8, CGImageAlphaInfo.last.rawValue) == nil)
    #expect(make(8, CGImageAlphaInfo.none.rawValue) == nil)
    #expect(make(8, CGImageAlphaInfo.premultipliedLast.rawValue) != nil)
  }

  @Test func `pictures are drawn upright, also when they are stretched`() throws {
    let source = try sheet(2, 2)
    source.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    source.fill(CGRect(x: 0, y: 1, width: 2, height: 1))
    source.setFillColor(red: 0, green: 0, blue: 1, alpha: 1)
    source.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
    let target = try sheet(8, 8)
    target.interpolationQuality = .none
    target.draw(try #require(source.makeImage()), in: CGRect(x: 2, y: 2, width: 4, height: 4))
    let image = target.makeImage()
    #expect(pixel(image, 3, 2) == [0, 255, 0, 255])
    #expect(pixel(image, 3, 5) == [0, 0, 255, 255])
    #expect(pixel(image, 1, 2) == [0, 0, 0, 0])
  }

  @Test func `transforms, clips and states nest`() throws {
    let context = try sheet(10, 10)
    context.saveGState()
    context.translateBy(x: 5, y: 5)
    context.clip(to: CGRect(x: 0, y: 0, width: 2, height: 2))
    context.setFillColor(gray: 1, alpha: 1)
    context.fill(CGRect(x: -5, y: -5, width: 10, height: 10))
    context.restoreGState()
    #expect(context.ctm == .identity)
    let image = context.makeImage()
    #expect(pixel(image, 5, 4) == [255, 255, 255, 255] && pixel(image, 6, 3) == [255, 255, 255, 255])
    #expect(pixel(image, 4, 4) == [0, 0, 0, 0] && pixel(image, 7, 3) == [0, 0, 0, 0] && pixel(image, 5, 5) == [0, 0, 0, 0])
  }

  @Test func `an infinite rectangle fills all`() throws {
    let context = try sheet(3, 3)
    context.setFillColor(red: 0, green: 0, blue: 1, alpha: 1)
    context.fill(.infinite)
    #expect(pixel(context.makeImage(), 0, 0) == [0, 0, 255, 255] && pixel(context.makeImage(), 2, 2) == [0, 0, 255, 255])
  }

  @Test func `blend modes keep to what is drawn`() throws {
    let context = try sheet(4, 1)
    context.setFillColor(red: 0.5, green: 0.5, blue: 0.5, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 4, height: 1))
    context.setBlendMode(.multiply)
    context.setFillColor(red: 1, green: 0.5, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    context.setBlendMode(.destinationIn)
    context.setFillColor(gray: 0, alpha: 0)
    context.fill(CGRect(x: 1, y: 0, width: 1, height: 1))
    context.setBlendMode(.normal)
    context.clear(CGRect(x: 2, y: 0, width: 1, height: 1))
    let image = context.makeImage()
    #expect(zip(pixel(image, 0, 0), [128, 64, 0, 255]).allSatisfy { abs($0 - $1) <= 1 })
    #expect(pixel(image, 1, 0) == [0, 0, 0, 0] && pixel(image, 2, 0) == [0, 0, 0, 0])
    #expect(zip(pixel(image, 3, 0), [128, 128, 128, 255]).allSatisfy { abs($0 - $1) <= 1 })
  }

  @Test func `a shadow lies where its offset says, in the default user space`() throws {
    let context = try sheet(20, 20)
    context.setShadow(offset: CGSize(width: 5, height: -5), blur: 0, color: CGColor(red: 0, green: 0, blue: 1, alpha: 1))
    context.scaleBy(x: 2, y: 2)
    context.setFillColor(red: 1, green: 0, blue: 0, alpha: 1)
    context.fill(CGRect(x: 3, y: 5, width: 1, height: 1))
    let image = context.makeImage()
    #expect(pixel(image, 6, 9) == [255, 0, 0, 255])
    #expect(pixel(image, 11, 14) == [0, 0, 255, 255])
    #expect(pixel(image, 11, 9) == [0, 0, 0, 0])
  }

  @Test func `a gradient is the mean in its middle, and clear beyond its ends`() throws {
    let context = try sheet(40, 2)
    let colors = [CGColor(red: 1, green: 0, blue: 0, alpha: 1), CGColor(red: 0, green: 0, blue: 1, alpha: 1)]
    let made = unsafe CGGradient(colorsSpace: nil, colors: colors, locations: nil)
    let gradient = try #require(made)
    context.drawLinearGradient(
      gradient, start: CGPoint(x: 10, y: 0), end: CGPoint(x: 30, y: 0), options: [.drawsAfterEndLocation])
    let image = context.makeImage()
    #expect(pixel(image, 5, 0) == [0, 0, 0, 0])
    #expect(pixel(image, 35, 0) == [0, 0, 255, 255])
    let middle = pixel(image, 19, 1)
    #expect(abs(middle[0] - 134) <= 3 && abs(middle[2] - 121) <= 3)
  }

  @Test func `a layer is laid over the picture as one`() throws {
    let context = try sheet(2, 1)
    context.setAlpha(0.5)
    context.beginTransparencyLayer(auxiliaryInfo: nil)
    context.setFillColor(gray: 1, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    context.endTransparencyLayer()
    #expect(zip(pixel(context.makeImage(), 0, 0), [128, 128, 128, 128]).allSatisfy { abs($0 - $1) <= 1 })
  }

  @Test func `a mask clips by its gray`() throws {
    var gray: [UInt8] = [0, 128, 255, 255]
    let mask = unsafe gray.withUnsafeMutableBytes { bytes in
      unsafe CGContext(
        data: bytes.baseAddress, width: 4, height: 1, bitsPerComponent: 8, bytesPerRow: 4, space: CGColorSpaceCreateDeviceGray(),
        bitmapInfo: CGImageAlphaInfo.none.rawValue)?.makeImage()
    }
    let context = try sheet(4, 1)
    context.clip(to: CGRect(x: 0, y: 0, width: 4, height: 1), mask: try #require(mask))
    context.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    context.fill(CGRect(x: 0, y: 0, width: 4, height: 1))
    let image = context.makeImage()
    #expect(pixel(image, 0, 0)[3] == 0 && abs(pixel(image, 1, 0)[3] - 128) <= 1 && pixel(image, 3, 0) == [0, 255, 0, 255])
  }

  @Test func `an arc turns as it is said`() {
    let path = CGMutablePath()
    path.addArc(center: CGPoint(x: 0, y: 0), radius: 10, startAngle: 0, endAngle: .pi / 2, clockwise: false)
    path.addLine(to: .zero)
    #expect(path.contains(CGPoint(x: 5, y: 5)) && !path.contains(CGPoint(x: -5, y: 5)) && !path.contains(CGPoint(x: 8, y: 8)))
    let other = CGMutablePath()
    other.addArc(center: .zero, radius: 10, startAngle: 0, endAngle: .pi / 2, clockwise: true)
    #expect(other.contains(CGPoint(x: -5, y: -5)))
    #expect(abs(path.boundingBoxOfPath.width - 10) < 0.01)
  }

  @Test func `colours are converted between spaces`() throws {
    let p3 = try #require(CGColorSpace(name: CGColorSpace.displayP3))
    let color = unsafe CGColor(colorSpace: p3, components: [1, 0, 0, 1])
    let red = try #require(color)
    let wide = try #require(CGColorSpace(name: CGColorSpace.extendedSRGB))
    let made = try #require(red.converted(to: wide, intent: .defaultIntent, options: nil)?.components)
    // The red of P3 in sRGB's terms, as ColorSync and CSS have it.
    #expect(abs(made[0] - 1.0931) < 0.001 && abs(made[1] + 0.2267) < 0.001 && abs(made[2] + 0.1501) < 0.001)
  }
}
