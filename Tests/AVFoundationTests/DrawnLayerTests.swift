import AVFoundation
import CoreText
import Foundation
import Testing

/// A layer whose code fills its lower left quarter.
private final class Quarter: CALayer {
  override func draw(in ctx: CGContext) {
    ctx.setFillColor(red: 0, green: 1, blue: 0, alpha: 1)
    ctx.fill(CGRect(x: 0, y: 0, width: bounds.width / 2, height: bounds.height / 2))
  }
}

@Suite struct `Content that is drawn here` {
  /// The alpha of a picture's corners, from the top left one on, clockwise.
  private func corners(_ image: CGImage?) -> [UInt8] {
    guard let image, let bytes = image.dataProvider?.bytes else { return [] }
    let (right, bottom) = (image.width - 1, image.height - 1)
    return [(0, 0), (right, 0), (right, bottom), (0, bottom)].map { bytes[$0.1 * image.bytesPerRow + $0.0 * 4 + 3] }
  }

  @Test func `is what a subclass draws, once it was asked to`() {
    let layer = Quarter()
    layer.frame = CGRect(x: 3, y: 5, width: 7.5, height: 6)
    #expect(layer.drawnContent(isDown: false) == nil)
    layer.setNeedsDisplay()
    let image = layer.drawnContent(isDown: false)
    #expect(image?.width == 8 && image?.height == 6 && corners(image) == [0, 0, 0, 255])
    #expect(corners(layer.drawnContent(isDown: true)) == [255, 0, 0, 0])
    layer.contentsScale = 2
    #expect(layer.drawnContent(isDown: false)?.width == 15)
  }

  @Test func `is a text with attributes, and not one that a document says`() {
    let text = CATextLayer()
    text.frame = CGRect(x: 0, y: 0, width: 200, height: 40)
    (text.string, text.font) = ("plain", "DejaVu Sans")
    #expect(!text.isDrawn)
    text.font = CTFontCreateWithName("DejaVu Sans", 10, nil)
    #expect(text.isDrawn && text.drawnContent(isDown: false)?.width == 200)
    (text.string, text.font) = (NSAttributedString(string: "a", attributes: [.init("NSKern"): 2]), "DejaVu Sans")
    #expect(text.isDrawn)
    text.string = NSAttributedString(string: " ", attributes: [.init("NSKern"): 2])
    #expect(text.drawnContent(isDown: false) == nil)
  }
}
