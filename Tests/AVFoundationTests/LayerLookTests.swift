import AVFoundation
import CoreImage
import FarmTesting
import Foundation
import Testing
import Timeline

@Suite(.serialized) struct `Looks of layers` {
  let stage: LayerStage

  init() throws { stage = try LayerStage() }

  private func picture(_ color: [CGFloat], alpha: CGFloat = 1) throws -> CGImage {
    let context = unsafe CGContext(
      data: nil, width: 8, height: 8, bitsPerComponent: 8, bytesPerRow: 0, space: CGColorSpace(name: CGColorSpace.sRGB),
      bitmapInfo: CGImageAlphaInfo.premultipliedLast.rawValue)
    let canvas = try #require(context)
    canvas.setFillColor(red: color[0], green: color[1], blue: color[2], alpha: alpha)
    canvas.fill(CGRect(x: 0, y: 0, width: 8, height: 8))
    return try #require(canvas.makeImage())
  }

  @Test func `of copies are a step further each, in place, colour and time`() async throws {
    let copies = CAReplicatorLayer()
    copies.frame = CGRect(x: 0, y: 16, width: 64, height: 16)
    stage.root.addSublayer(copies)
    let box = stage.box(CGRect(x: 0, y: 4, width: 8, height: 8), .white, on: copies)
    (copies.instanceCount, copies.instanceTransform) = (4, CATransform3DMakeTranslation(16, 4, 0))
    (copies.instanceColor, copies.instanceRedOffset, copies.instanceAlphaOffset) = (LayerStage.red, -0.5, -0.25)
    let frame = try await stage.frame(0)
    #expect(frame.has(red, 4, 24) && frame.has([96, 0, 0], 20, 28) && frame.has(black, 36, 32))
    // Fading out begins for each copy later; until then it is seen as it is.
    (copies.instanceRedOffset, copies.instanceAlphaOffset, copies.instanceDelay) = (0, 0, 0.2)
    let fade = CABasicAnimation(keyPath: "opacity").at(0, for: 4)
    (fade.fromValue, fade.toValue, fade.fillMode, fade.isRemovedOnCompletion) = (0.8, 0, .forwards, false)
    box.add(fade, forKey: nil)
    let late = try await stage.frame(3)
    #expect(late.has([51, 0, 0], 4, 24), "\(late.pixel(4, 24))")
    #expect(late.has([153, 0, 0], 20, 28), "\(late.pixel(20, 28))")
    #expect(late.has(red, 36, 32) && late.has(red, 52, 36), "\(late.pixel(36, 32))")
    #expect(try await stage.frame(5).has([153, 0, 0], 36, 32))
    copies.instanceDelay = -1
    #expect(stage.fault()?.contains("instanceDelay") == true)
    (copies.instanceDelay, copies.instanceTransform) = (0, CATransform3DMakeRotation(1, 1, 0, 0))
    #expect(stage.fault()?.contains("instanceTransform") == true)
  }

  @Test func `of copies turn about the middle`() async throws {
    let copies = CAReplicatorLayer()
    copies.frame = CGRect(x: 8, y: 0, width: 48, height: 48)
    stage.root.addSublayer(copies)
    _ = stage.box(CGRect(x: 20, y: 36, width: 8, height: 8), on: copies)
    (copies.instanceCount, copies.instanceTransform) = (2, CATransform3DMakeRotation(.pi / 2, 0, 0, 1))
    let frame = try await stage.frame(0)
    // Where y grows upwards, a quarter turn leads from the top to the left.
    #expect(frame.has(red, 32, 40) && frame.has(red, 16, 24) && frame.has(black, 48, 24))
  }

  @Test func `of conic gradients go round with the angle`() async throws {
    let wheel = CAGradientLayer()
    (wheel.frame, wheel.type) = (CGRect(x: 8, y: 0, width: 48, height: 48), .conic)
    wheel.colors = [CGColor.black, LayerStage.red]
    (wheel.startPoint, wheel.endPoint) = (CGPoint(x: 0.5, y: 0.5), CGPoint(x: 1, y: 0.5))
    stage.root.addSublayer(wheel)
    let frame = try await stage.frame(0)
    // From the right on, where y grows upwards: to the top, to the left, to the bottom.
    #expect(frame.has([64, 0, 0], 32, 44) && frame.has([128, 0, 0], 12, 24) && frame.has([191, 0, 0], 32, 4))
    stage.root.isGeometryFlipped = true
    let flipped = try await stage.frame(0)
    #expect(flipped.has([191, 0, 0], 32, 44) && flipped.has([128, 0, 0], 12, 24) && flipped.has([64, 0, 0], 32, 4))
  }

  @Test func `have round corners where their mask says`() async throws {
    let box = stage.box(CGRect(x: 8, y: 8, width: 32, height: 32))
    (box.cornerRadius, box.maskedCorners) = (16, [.layerMinXMinYCorner, .layerMaxXMaxYCorner])
    let frame = try await stage.frame(0)
    #expect(frame.has(black, 10, 10) && frame.has(black, 37, 37) && frame.has(red, 37, 10) && frame.has(red, 10, 37))
  }

  @Test func `change in shadows, strokes, fills and colours`() async throws {
    let box = stage.box(CGRect(x: 8, y: 24, width: 16, height: 16))
    (box.shadowColor, box.shadowOffset, box.shadowRadius) = (LayerStage.green, CGSize(width: 24, height: -16), 0)
    let shade = CABasicAnimation(keyPath: "shadowOpacity").at(0, for: 10)
    (shade.fromValue, shade.toValue) = (0, 1)
    box.add(shade, forKey: nil)
    let shape = CAShapeLayer()
    (shape.frame, shape.fillColor) = (CGRect(x: 48, y: 0, width: 16, height: 16), LayerStage.red)
    shape.path = unsafe CGPath(rect: CGRect(x: 0, y: 0, width: 16, height: 16), transform: nil)
    let fill = CABasicAnimation(keyPath: "fillColor").at(0, for: 10)
    (fill.fromValue, fill.toValue) = (LayerStage.red, LayerStage.blue)
    shape.add(fill, forKey: nil)
    stage.root.addSublayer(shape)
    let frame = try await stage.frame(5)
    #expect(frame.has([0, 128, 0], 40, 16) && frame.has(red, 16, 32) && frame.has([128, 0, 128], 56, 8))
    #expect(try await stage.frame(0).has(black, 40, 16))
  }

  @Test func `of shapes pass from one outline to another`() async throws {
    let shape = CAShapeLayer()
    (shape.frame, shape.fillColor) = (CGRect(x: 0, y: 0, width: 64, height: 48), LayerStage.red)
    let (small, large) = unsafe (
      CGPath(rect: CGRect(x: 8, y: 8, width: 8, height: 8), transform: nil),
      CGPath(rect: CGRect(x: 8, y: 8, width: 48, height: 32), transform: nil)
    )
    shape.path = small
    let grow = CABasicAnimation(keyPath: "path").at(0, for: 10)
    (grow.fromValue, grow.toValue) = (small, large)
    shape.add(grow, forKey: "grow")
    stage.root.addSublayer(shape)
    #expect(try await stage.frame(5).reach() == CGRect(x: 8, y: 8, width: 28, height: 20))
    grow.toValue = unsafe CGPath(ellipseIn: CGRect(x: 0, y: 0, width: 8, height: 8), transform: nil)
    shape.add(grow, forKey: "grow")
    #expect(stage.fault()?.contains("same lines and curves") == true)
  }

  @Test func `of transitions lead from the former contents to the present ones`() async throws {
    let layer = CALayer()
    (layer.frame, layer.masksToBounds) = (CGRect(x: 16, y: 8, width: 32, height: 32), true)
    layer.contents = try picture([1, 0, 0])
    let fade = CATransition().at(2, for: 6)
    fade.fillMode = .backwards
    layer.add(fade, forKey: "any")
    layer.contents = try picture([0, 0, 1])
    stage.root.addSublayer(layer)
    #expect(layer.animationKeys() == [kCATransition])
    #expect(try await stage.frame(0).has(red, 32, 24))
    #expect(try await stage.frame(5).has([128, 0, 128], 32, 24))
    #expect(try await stage.frame(9).has(blue, 32, 24))

    // Each side comes as it is named, with y upwards.
    func kind(_ type: CATransitionType, _ subtype: CATransitionSubtype?) throws {
      layer.contents = try picture([1, 0, 0])
      (fade.type, fade.subtype) = (type, subtype)
      layer.add(fade, forKey: nil)
      layer.contents = try picture([0, 0, 1])
    }
    try kind(.push, .fromRight)
    let push = try await stage.frame(5)
    #expect(push.has(red, 24, 24) && push.has(blue, 40, 24) && push.has(black, 8, 24))
    try kind(.moveIn, .fromTop)
    let moveIn = try await stage.frame(5)
    #expect(moveIn.has(blue, 32, 34) && moveIn.has(red, 32, 14))
    try kind(.reveal, .fromBottom)
    let reveal = try await stage.frame(5)
    #expect(reveal.has(red, 32, 34) && reveal.has(blue, 32, 14))
    try kind(.push, nil)
    #expect(stage.fault()?.contains("subtype") == true)
    layer.contents = try picture([1, 0, 0], alpha: 0.5)
    (fade.type, fade.subtype) = (.fade, nil)
    layer.add(fade, forKey: nil)
    layer.contents = try picture([0, 0, 1])
    #expect(stage.fault()?.contains("opaque") == true)
  }

  @Test func `are filtered by Core Image's filters that documents have`() async throws {
    let box = stage.box(CGRect(x: 8, y: 8, width: 32, height: 32))
    let grey = try #require(CIFilter(name: "CIColorControls", parameters: [kCIInputSaturationKey: 0]))
    box.filters = [grey]
    let frame = try await stage.frame(0)
    let shown = frame.pixel(24, 24)
    #expect(abs(shown[0] - 54) < 12 && abs(shown[0] - shown[1]) < 8 && abs(shown[0] - shown[2]) < 8, "\(shown)")
    let blur = try #require(CIFilter(name: "CIGaussianBlur"))
    blur.name = "soft"
    box.filters = [blur]
    let sharpen = CABasicAnimation(keyPath: "filters.soft.inputRadius").at(0, for: 10)
    (sharpen.fromValue, sharpen.toValue) = (8, 0)
    box.add(sharpen, forKey: nil)
    let (soft, sharp) = (try await stage.frame(0), try await stage.frame(9))
    #expect(abs(soft.pixel(8, 24)[0] - 128) < 40 && sharp.pixel(2, 24)[0] < 16 && soft.pixel(2, 24)[0] > 30)
    let ground = stage.box(CGRect(x: 44, y: 0, width: 20, height: 48), LayerStage.green)
    let over = stage.box(CGRect(x: 44, y: 0, width: 20, height: 20))
    over.compositingFilter = CIFilter(name: "CIScreenBlendMode")
    #expect(try await stage.frame(0).has([255, 255, 0], 58, 8))
    over.compositingFilter = CIFilter(name: "CIAdditionCompositing")
    #expect(try await stage.frame(0).has([255, 255, 0], 58, 8))
    ground.removeFromSuperlayer()
    box.removeAllAnimations()
    box.filters = [try #require(CIFilter(name: "CIColorInvert"))]
    #expect(stage.fault()?.contains("CIColorInvert") == true)
    box.filters = nil
    over.compositingFilter = "multiply"
    #expect(stage.fault()?.contains("compositingFilter") == true)
  }
}
