import AppKit
import CoreGraphics
import Foundation
import Testing

@Suite struct `AppKit's pictures` {
  /// The picture of what `draw` draws on a clear sheet of 8 by 8 points.
  private func drawn(_ draw: () -> Void) -> CGImage? {
    let image = NSImage(size: CGSize(width: 8, height: 8))
    image.lockFocus()
    draw()
    image.unlockFocus()
    return unsafe image.cgImage(forProposedRect: nil, context: nil, hints: nil)
  }

  @Test func `have their origin at the bottom left`() {
    let image = drawn {
      NSColor.red.setFill()
      CGRect(x: 0, y: 0, width: 2, height: 2).fill()
    }
    #expect(pixel(image, 0, 7) == [255, 0, 0, 255] && pixel(image, 1, 6) == [255, 0, 0, 255])
    #expect(pixel(image, 0, 0) == [0, 0, 0, 0] && pixel(image, 2, 7) == [0, 0, 0, 0])
  }

  @Test func `a rectangle that is filled in a mode leaves the mode as it was`() {
    let image = drawn {
      NSColor.red.setFill()
      CGRect(x: 0, y: 0, width: 8, height: 8).fill()
      CGRect(x: 0, y: 0, width: 4, height: 8).fill(using: .clear)
      NSColor.blue.setFill()
      NSGraphicsContext.current?.cgContext.fill(CGRect(x: 0, y: 0, width: 8, height: 4))
    }
    #expect(pixel(image, 1, 1) == [0, 0, 0, 0] && pixel(image, 6, 1) == [255, 0, 0, 255])
    #expect(pixel(image, 1, 6) == [0, 0, 255, 255] && pixel(image, 6, 6) == [0, 0, 255, 255])
  }

  @Test func `a saved state is restored`() {
    let image = drawn {
      NSColor.green.setFill()
      NSGraphicsContext.saveGraphicsState()
      CGRect(x: 0, y: 0, width: 1, height: 1).clip()
      NSGraphicsContext.current?.cgContext.fill(CGRect(x: 0, y: 0, width: 8, height: 8))
      NSGraphicsContext.restoreGraphicsState()
      NSGraphicsContext.current?.cgContext.fill(CGRect(x: 6, y: 0, width: 2, height: 2))
    }
    #expect(pixel(image, 0, 7) == [0, 255, 0, 255] && pixel(image, 7, 7) == [0, 255, 0, 255])
    #expect(pixel(image, 3, 7) == [0, 0, 0, 0])
  }

  @Test func `a path is filled by its rule, and stroked along its middle`() {
    let path = NSBezierPath(rect: CGRect(x: 1, y: 1, width: 6, height: 6))
    path.appendRect(CGRect(x: 3, y: 3, width: 2, height: 2))
    func filled(_ rule: NSBezierPath.WindingRule) -> CGImage? {
      drawn {
        NSColor.white.setFill()
        path.windingRule = rule
        path.fill()
      }
    }
    #expect(pixel(filled(.nonZero), 4, 4) == [255, 255, 255, 255])
    #expect(pixel(filled(.evenOdd), 4, 4) == [0, 0, 0, 0] && pixel(filled(.evenOdd), 2, 2) == [255, 255, 255, 255])
    let line = drawn {
      NSColor.white.setStroke()
      let line = NSBezierPath()
      line.move(to: CGPoint(x: 0, y: 4))
      line.line(to: CGPoint(x: 8, y: 4))
      line.lineWidth = 2
      line.stroke()
    }
    #expect(pixel(line, 4, 3) == [255, 255, 255, 255] && pixel(line, 4, 4) == [255, 255, 255, 255])
    #expect(pixel(line, 4, 2) == [0, 0, 0, 0] && pixel(line, 4, 5) == [0, 0, 0, 0])
  }
}
