import CoreGraphics
import Foundation
import MobileCoreServices
import QuartzCore
import Testing
import UIKit

@Suite struct `A tree of layers` {
  private func layer(_ frame: CGRect) -> CALayer {
    let layer = CALayer()
    layer.frame = frame
    return layer
  }

  @Test func `is set as a whole`() {
    let (root, other) = (CALayer(), CALayer())
    let layers = (0..<3).map { _ in CALayer() }
    other.addSublayer(layers[0])
    root.addSublayer(layers[2])
    root.sublayers = [layers[1], layers[0]]
    #expect(root.sublayers?.map(ObjectIdentifier.init) == [layers[1], layers[0]].map(ObjectIdentifier.init))
    #expect(other.sublayers == nil && layers[2].superlayer == nil && layers[0].superlayer === root)
    root.sublayers?.append(layers[2])
    #expect(root.sublayers?.last === layers[2] && layers[2].superlayer === root)
    root.replaceSublayer(layers[0], with: other)
    #expect(root.sublayers?[1] === other && layers[0].superlayer == nil)
    root.sublayers = nil
    #expect(root.sublayers == nil && other.superlayer == nil)
  }

  @Test func `converts between its layers`() {
    let root = layer(CGRect(x: 0, y: 0, width: 100, height: 100))
    let outer = layer(CGRect(x: 10, y: 20, width: 40, height: 40))
    let inner = layer(CGRect(x: 5, y: 5, width: 10, height: 10))
    let beside = layer(CGRect(x: 60, y: 0, width: 20, height: 20))
    root.addSublayer(outer)
    outer.addSublayer(inner)
    root.addSublayer(beside)
    #expect(inner.convert(CGPoint(x: 1, y: 2), to: root) == CGPoint(x: 16, y: 27))
    #expect(inner.convert(CGPoint(x: 16, y: 27), from: root) == CGPoint(x: 1, y: 2))
    #expect(inner.convert(CGPoint(x: 1, y: 2), to: beside) == CGPoint(x: -44, y: 27))
    outer.isGeometryFlipped = true
    #expect(inner.convert(CGPoint(x: 0, y: 0), to: root) == CGPoint(x: 15, y: 55))
    beside.setAffineTransform(CGAffineTransform(scaleX: 2, y: 2))
    #expect(root.convert(CGRect(x: 50, y: -10, width: 40, height: 40), to: beside) == beside.bounds)
  }

  /// A layer of 40 by 40 about the middle of a root of 100 by 100, turned by 60° about the vertical axis.
  private func turned(perspective: CGFloat) -> (root: CALayer, card: CALayer) {
    let root = layer(CGRect(x: 0, y: 0, width: 100, height: 100))
    let card = layer(CGRect(x: 30, y: 30, width: 40, height: 40))
    root.addSublayer(card)
    root.sublayerTransform.m34 = perspective
    card.transform = CATransform3DMakeRotation(.pi / 3, 0, 1, 0)
    return (root, card)
  }

  private func near(_ point: CGPoint, _ x: Double, _ y: Double) -> Bool { abs(point.x - x) < 1e-9 && abs(point.y - y) < 1e-9 }

  @Test func `converts through turns in space and perspectives`() {
    // Without a perspective the card is half as wide. With one of 200 its right edge is 20 sin 60° behind the plane.
    let (flat, card) = turned(perspective: 0)
    #expect(near(card.convert(CGPoint(x: 40, y: 0), to: flat), 60, 30))
    #expect(near(flat.convert(CGPoint(x: 60, y: 30), to: card), 40, 0))
    #expect(near(card.frame.origin, 40, 30) && abs(card.frame.width - 20) < 1e-9 && abs(card.frame.height - 40) < 1e-9)
    let (root, leaning) = turned(perspective: -1 / 200)
    let depth = 1 + 20 * (0.75 as Double).squareRoot() / 200
    #expect(near(leaning.convert(CGPoint(x: 40, y: 0), to: root), 50 + 10 / depth, 50 - 20 / depth))
    #expect(near(root.convert(leaning.convert(CGPoint(x: 7, y: 31), to: root), to: leaning), 7, 31))
    #expect(near(leaning.convert(leaning.convert(CGPoint(x: 7, y: 31), from: nil), to: nil), 7, 31))
    let (left, right) = (leaning.convert(CGPoint(x: 0, y: 0), to: root), leaning.convert(CGPoint(x: 40, y: 40), to: root))
    let around = leaning.convert(leaning.bounds, to: root)
    #expect(near(CGPoint(x: around.minX, y: around.minY), left.x, left.y))
    #expect(abs(around.maxX - right.x) < 1e-9 && abs(around.maxY - (100 - left.y)) < 1e-9)
  }

  @Test func `keeps depth in transform layers alone`() {
    // Two turns of 45° about one axis are seen edge on in one space. Through a plane each halves the square.
    for (isSpace, between) in [(true, CATransformLayer()), (false, CALayer())] {
      let (root, inner) = (layer(CGRect(x: 0, y: 0, width: 100, height: 100)), layer(CGRect(x: 0, y: 0, width: 40, height: 40)))
      between.frame = CGRect(x: 30, y: 30, width: 40, height: 40)
      root.addSublayer(between)
      between.addSublayer(inner)
      for tilted in [between, inner] { tilted.transform = CATransform3DMakeRotation(.pi / 4, 1, 0, 0) }
      #expect(near(inner.convert(CGPoint(x: 3, y: 40), to: root), 33, isSpace ? 50 : 60))
    }
  }

  @Test func `says where nothing is seen`() {
    let (root, card) = turned(perspective: -1 / 200)
    card.transform = CATransform3DMakeTranslation(0, 0, 300)
    #expect(card.convert(CGPoint(x: 1, y: 1), to: root).x.isNaN && card.convert(card.bounds, to: root).isNull)
    card.transform = CATransform3DMakeScale(0, 1, 1)
    #expect(root.convert(CGPoint(x: 50, y: 50), to: card).x.isNaN && root.convert(root.bounds, to: card).isNull)
    #expect(near(card.convert(CGPoint(x: 1, y: 1), to: root), 50, 31))
  }

  @Test func `is that of views, whose rectangles convert, too`() {
    let (root, view) = (
      UIView(frame: CGRect(x: 3, y: 4, width: 50, height: 50)), UIView(frame: CGRect(x: 5, y: 6, width: 8, height: 9))
    )
    root.addSubview(view)
    #expect(view.convert(view.bounds, to: root) == view.frame)
    #expect(root.convert(CGPoint(x: 5, y: 6), to: view) == .zero)
    #expect(view.convert(CGPoint.zero, from: root) == CGPoint(x: -5, y: -6))
  }

  private final class ShapeView: UIView {
    override class var layerClass: AnyClass { CAShapeLayer.self }
    var shape: CAShapeLayer? { layer as? CAShapeLayer }
  }

  @Test func `is of the class that a view names, and draws what that layer draws`() throws {
    let view = ShapeView(frame: CGRect(x: 0, y: 0, width: 10, height: 10))
    let shape = try #require(view.shape)
    #expect(shape.frame == view.frame && shape.lineWidth == 1)
    shape.path = unsafe CGPath(rect: CGRect(x: 0, y: 0, width: 5, height: 10), transform: nil)
    shape.fillColor = CGColor(red: 0, green: 1, blue: 0, alpha: 1)
    let root = UIView(frame: view.frame)
    root.addSubview(view)
    #expect(
      root.layer.sublayers?.first === shape && ObjectIdentifier(type(of: root.layer)) != ObjectIdentifier(CAShapeLayer.self))
  }

  @Test func `is changed at once by animations of views, which have no screen`() {
    let view = UIView(frame: .zero)
    var ends: [Bool] = []
    UIView.animate(withDuration: 5) {
      view.alpha = 0.5
    } completion: {
      ends.append($0)
    }
    #expect(view.alpha == 0.5 && ends == [true])
    UIView.animate(withDuration: 1, delay: 2, options: [.curveEaseIn, .repeat]) { view.frame.origin.x = 7 }
    UIView.animate(withDuration: 1, delay: 0, usingSpringWithDamping: 0.5, initialSpringVelocity: 1) { view.isHidden = true }
    #expect(view.frame.minX == 7 && view.isHidden)
    UIView.transition(with: view, duration: 1, animations: nil) { ends.append($0) }
    #expect(ends == [true, true])
  }

  private final class Painter: NSObject, CALayerDelegate {
    func draw(_ layer: CALayer, in ctx: CGContext) {
      ctx.setFillColor(CGColor(red: 1, green: 0, blue: 0, alpha: 1))
      ctx.fill(layer.bounds)
    }
  }

  @Test func `asks the delegates of its layers to draw`() throws {
    let (root, painter) = (layer(CGRect(x: 0, y: 0, width: 4, height: 4)), Painter())
    root.delegate = painter
    let context = try sheet(4, 4)
    root.render(in: context)
    #expect(pixel(context.makeImage(), 1, 1) == [0, 0, 0, 0])
    root.setNeedsDisplay()
    root.render(in: context)
    #expect(pixel(context.makeImage(), 1, 1) == [255, 0, 0, 255])
  }

  @Test func `has texts that say their size`() {
    let text = CATextLayer()
    (text.string, text.fontSize) = ("wide words", 20)
    let size = text.preferredFrameSize()
    text.fontSize = 40
    #expect(size.width > 20 && size.height > 15 && abs(text.preferredFrameSize().height - 2 * size.height) <= 2)
    text.string = nil
    #expect(text.preferredFrameSize() == .zero)
  }
}

@Suite struct `Smaller parts of the library` {
  @Test func `a transaction calls its block when it is committed`() {
    var calls: [Int] = []
    CATransaction.begin()
    CATransaction.setDisableActions(true)
    CATransaction.setCompletionBlock { calls.append(1) }
    CATransaction.begin()
    #expect(!CATransaction.disableActions())
    CATransaction.setCompletionBlock { calls.append(2) }
    CATransaction.commit()
    #expect(CATransaction.disableActions() && calls == [2])
    CATransaction.commit()
    #expect(calls == [2, 1] && !CATransaction.disableActions())
  }

  @Test func `an animation keeps words, and is copied`() throws {
    let animation = CABasicAnimation(keyPath: "opacity")
    animation.setValue("fade", forKey: "name")
    animation.toValue = 1
    let copy = try #require(animation.copy() as? CABasicAnimation)
    #expect(copy !== animation && copy.value(forKey: "name") as? String == "fade" && copy.keyPath == "opacity")
    #expect(CAValueFunction(name: CAValueFunctionName(rawValue: "none")) == nil)
  }

  @Test func `a reversed outline runs the other way`() {
    let path = UIBezierPath()
    path.move(to: CGPoint(x: 1, y: 1))
    path.addLine(to: CGPoint(x: 5, y: 1))
    path.addCurve(to: CGPoint(x: 9, y: 1), controlPoint1: CGPoint(x: 6, y: 3), controlPoint2: CGPoint(x: 8, y: 4))
    let back = path.reversing()
    #expect(
      back.cgPath.parts == [
        .move(CGPoint(x: 9, y: 1)), .curve(CGPoint(x: 8, y: 4), CGPoint(x: 6, y: 3), to: CGPoint(x: 5, y: 1)),
        .line(CGPoint(x: 1, y: 1)),
      ])
    #expect(back.reversing().cgPath.parts == path.cgPath.parts)
    // A ring: the inner square runs the other way, and is a hole.
    let ring = UIBezierPath(rect: CGRect(x: 0, y: 0, width: 9, height: 9))
    ring.append(UIBezierPath(rect: CGRect(x: 3, y: 3, width: 3, height: 3)).reversing())
    #expect(ring.contains(CGPoint(x: 1, y: 1)) && !ring.contains(CGPoint(x: 4, y: 4)))
  }

  @Test func `a colour is what an editor writes`() {
    let color: UIColor = #colorLiteral(red: 1, green: 0.5, blue: 0, alpha: 0.25)
    var (red, green, blue, alpha): (CGFloat, CGFloat, CGFloat, CGFloat) = (0, 0, 0, 0)
    unsafe color.getRed(&red, green: &green, blue: &blue, alpha: &alpha)
    #expect([red, green, blue, alpha] == [1, 0.5, 0, 0.25] && CIColor(color: color).green == 0.5)
  }

  @Test func `kinds of files are found by the older functions`() {
    let type = UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, "mov", nil)?.takeRetainedValue()
    #expect(type == kUTTypeQuickTimeMovie && UTTypeConformsTo(kUTTypeQuickTimeMovie, kUTTypeMovie))
    #expect(UTTypeCopyPreferredTagWithClass(kUTTypeMPEG4, kUTTagClassMIMEType)?.takeRetainedValue() == "video/mp4")
    #expect(!UTTypeConformsTo(kUTTypeMovie, kUTTypeQuickTimeMovie))
    #expect(UTTypeCreatePreferredIdentifierForTag(kUTTagClassFilenameExtension, "nothing", nil) == nil)
  }

  @Test func `a replicator's copies stand where its transform puts them`() throws {
    let (replicator, square) = (CAReplicatorLayer(), CALayer())
    replicator.frame = CGRect(x: 0, y: 0, width: 16, height: 4)
    replicator.instanceCount = 3
    replicator.instanceTransform = CATransform3DMakeTranslation(6, 0, 0)
    square.frame = CGRect(x: 0, y: 0, width: 2, height: 4)
    square.backgroundColor = CGColor(red: 1, green: 0, blue: 0, alpha: 1)
    replicator.addSublayer(square)
    let context = try sheet(16, 4)
    replicator.render(in: context)
    let image = context.makeImage()
    #expect((0..<16).filter { pixel(image, $0, 2)[3] == 255 } == [0, 1, 6, 7, 12, 13])
  }
}
