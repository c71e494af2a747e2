import CoreGraphics
import CoreImage
import Foundation
import QuartzCore
import Testing
import UIFoundation
import UIKit

@Suite struct `UIKit's pictures` {
  /// A picture of two by one points: red, and blue to its right.
  private func pair(scale: CGFloat = 1) -> UIImage {
    let format = UIGraphicsImageRendererFormat()
    format.scale = scale
    return UIGraphicsImageRenderer(size: CGSize(width: 2, height: 1), format: format).image { context in
      UIColor.red.setFill()
      context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
      UIColor.blue.setFill()
      context.fill(CGRect(x: 1, y: 0, width: 1, height: 1))
    }
  }

  @Test func `a renderer draws with its origin at the top left, at its scale`() {
    let format = UIGraphicsImageRendererFormat()
    format.scale = 3
    let image = UIGraphicsImageRenderer(size: CGSize(width: 4, height: 2), format: format).image { context in
      UIColor.green.setFill()
      context.cgContext.fill(CGRect(x: 1, y: 0, width: 1, height: 1))
    }
    #expect(image.size == CGSize(width: 4, height: 2) && image.scale == 3 && image.cgImage?.width == 12)
    #expect(pixel(image.cgImage, 4, 1) == [0, 255, 0, 255] && pixel(image.cgImage, 4, 4) == [0, 0, 0, 0])
  }

  @Test func `the older functions draw as the renderer does`() throws {
    UIGraphicsBeginImageContextWithOptions(CGSize(width: 4, height: 4), true, 1)
    pair().draw(in: CGRect(x: 0, y: 0, width: 4, height: 2))
    let image = try #require(UIGraphicsGetImageFromCurrentImageContext())
    UIGraphicsEndImageContext()
    #expect(pixel(image.cgImage, 0, 0)[0..<3] == [255, 0, 0] && pixel(image.cgImage, 3, 1)[0..<3] == [0, 0, 255])
    #expect(pixel(image.cgImage, 0, 3)[0..<3] == [0, 0, 0] && UIGraphicsGetCurrentContext() == nil)
  }

  /// The places of the red pixel, as the picture is seen.
  static let orientations: [(UIImage.Orientation, CGSize, Int, Int)] = [
    (.up, CGSize(width: 2, height: 1), 0, 0), (.down, CGSize(width: 2, height: 1), 1, 0),
    (.left, CGSize(width: 1, height: 2), 0, 1), (.right, CGSize(width: 1, height: 2), 0, 0),
    (.upMirrored, CGSize(width: 2, height: 1), 1, 0), (.downMirrored, CGSize(width: 2, height: 1), 0, 0),
    (.leftMirrored, CGSize(width: 1, height: 2), 0, 0), (.rightMirrored, CGSize(width: 1, height: 2), 0, 1),
  ]

  @Test(arguments: orientations)
  func `a picture is drawn as it is seen`(orientation: UIImage.Orientation, size: CGSize, x: Int, y: Int) throws {
    let image = UIImage(cgImage: try #require(pair().cgImage), scale: 1, orientation: orientation)
    #expect(image.size == size)
    let format = UIGraphicsImageRendererFormat()
    let drawn = UIGraphicsImageRenderer(size: size, format: format).image { _ in image.draw(at: .zero) }
    #expect(pixel(drawn.cgImage, x, y) == [255, 0, 0, 255])
    let other = size.width == 2 ? (1 - x, y) : (x, 1 - y)
    #expect(pixel(drawn.cgImage, other.0, other.1) == [0, 0, 255, 255])
  }

  @Test func `pictures come back from PNG as they are, and from JPEG nearly`() throws {
    let format = UIGraphicsImageRendererFormat()
    format.opaque = true
    let image = UIGraphicsImageRenderer(size: CGSize(width: 32, height: 16), format: format).image { context in
      UIColor.orange.setFill()
      context.fill(CGRect(x: 0, y: 0, width: 32, height: 16))
    }
    let bytes = try #require(image.pngData())
    let png = try #require(UIImage(data: bytes))
    #expect(pixel(png.cgImage, 5, 5)[0..<3] == [255, 128, 0])
    let lossy = try #require(image.jpegData(compressionQuality: 0.9))
    let jpeg = try #require(UIImage(data: lossy))
    #expect(zip(pixel(jpeg.cgImage, 5, 5), [255, 128, 0]).allSatisfy { abs($0 - $1) <= 3 } && jpeg.size.width == 32)
    #expect(UIImage(data: Data("no picture".utf8)) == nil)
    var damaged = bytes
    damaged.removeLast(20)
    #expect(UIImage(data: damaged) == nil)
  }

  @Test func `a tint keeps the alpha`() {
    let tinted = UIGraphicsImageRenderer(size: CGSize(width: 2, height: 1)).image { context in
      UIColor.black.withAlphaComponent(0.5).setFill()
      context.fill(CGRect(x: 0, y: 0, width: 1, height: 1))
    }.withTintColor(.green)
    #expect(zip(pixel(tinted.cgImage, 0, 0), [0, 128, 0, 128]).allSatisfy { abs($0 - $1) <= 1 })
    #expect(pixel(tinted.cgImage, 1, 0) == [0, 0, 0, 0])
  }

  @Test func `colours give their parts`() {
    var (h, s, b, a): (CGFloat, CGFloat, CGFloat, CGFloat) = (0, 0, 0, 0)
    #expect(
      unsafe UIColor(hue: 0.6, saturation: 0.5, brightness: 0.8, alpha: 0.9).getHue(&h, saturation: &s, brightness: &b, alpha: &a)
    )
    #expect(abs(h - 0.6) < 1e-9 && abs(s - 0.5) < 1e-9 && abs(b - 0.8) < 1e-9 && a == 0.9)
    for hue in stride(from: 0.05, to: 1, by: 0.1) {
      let color = UIColor(hue: hue, saturation: 0.5, brightness: 0.8, alpha: 1)
      #expect(unsafe color.getHue(&h, saturation: nil, brightness: nil, alpha: nil))
      #expect(abs(h - hue) < 1e-9, "\(h), not \(hue)")
    }
    #expect(UIColor(white: 1, alpha: 1) == UIColor(red: 1, green: 1, blue: 1, alpha: 1))
  }
}

@Suite struct `Texts in UIKit's contexts` {
  private func ink(_ image: UIImage) -> (minX: Int, minY: Int, maxX: Int, maxY: Int)? {
    guard let picture = image.cgImage else { return nil }
    var box: (minX: Int, minY: Int, maxX: Int, maxY: Int)?
    for y in 0..<picture.height {
      for x in 0..<picture.width where pixel(picture, x, y)[3] > 40 {
        let old = box ?? (x, y, x, y)
        box = (min(old.minX, x), min(old.minY, y), max(old.maxX, x), max(old.maxY, y))
      }
    }
    return box
  }

  private func draw(_ body: (CGRect) -> Void) -> UIImage {
    let area = CGRect(x: 0, y: 0, width: 120, height: 60)
    return UIGraphicsImageRenderer(size: area.size).image { _ in body(area) }
  }

  @Test func `a text stands in its rectangle, from the top, aligned as its style says`() throws {
    let style = NSMutableParagraphStyle()
    style.alignment = .right
    let attributes: [NSAttributedString.Key: Any] = [
      .font: UIFont.systemFont(ofSize: 20), .foregroundColor: UIColor.white, .paragraphStyle: style,
    ]
    let size = "HH".size(withAttributes: attributes)
    let box = try #require(ink(draw { "HH".draw(in: $0, withAttributes: attributes) }))
    #expect(size.height > 18 && size.height < 30 && box.maxY < Int(size.height))
    #expect(box.maxX >= 114 && box.minX > 120 - Int(size.width) - 2)
    // The letter's foot is lower than its head: the picture is not upside down.
    let foot = try #require(ink(draw { "L".draw(in: $0, withAttributes: attributes) }))
    let image = draw { "L".draw(in: $0, withAttributes: attributes) }.cgImage
    #expect(pixel(image, foot.maxX - 1, foot.maxY)[3] > 100 && pixel(image, foot.maxX - 1, foot.minY)[3] < 50)
  }

  @Test func `the side of a text is that from which it is read, and a stated one is kept`() throws {
    func box(_ text: String, _ alignment: NSTextAlignment, _ direction: NSWritingDirection = .natural) throws -> ClosedRange<Int>
    {
      let style = NSMutableParagraphStyle()
      (style.alignment, style.baseWritingDirection) = (alignment, direction)
      let attributes: [NSAttributedString.Key: Any] = [
        .font: UIFont.systemFont(ofSize: 20), .foregroundColor: UIColor.white, .paragraphStyle: style,
      ]
      let box = try #require(ink(draw { text.draw(in: $0, withAttributes: attributes) }))
      return box.minX...box.maxX
    }
    let hebrew = "\u{5E9}\u{5DC}"
    for (text, direction, isRight) in [
      ("HH", NSWritingDirection.natural, false), (hebrew, .natural, true), ("HH", .rightToLeft, true),
      (hebrew, .leftToRight, false),
    ] {
      #expect(try box(text, .left, direction).lowerBound < 6, "\(text) \(direction)")
      #expect(try box(text, .right, direction).upperBound > 112, "\(text) \(direction)")
      let natural = try box(text, .natural, direction)
      #expect(isRight ? natural.upperBound > 112 : natural.lowerBound < 6, "\(text) \(direction)")
    }
    // A stated direction orders what has none of its own.
    #expect(try box("H!", .left, .rightToLeft) != box("H!", .left))
  }

  @Test func `a text is broken into lines, and its bounds say how many`() {
    let attributes: [NSAttributedString.Key: Any] = [.font: UIFont.systemFont(ofSize: 20)]
    let room = CGSize(width: 60, height: CGFloat.greatestFiniteMagnitude)
    let one = "word".boundingRect(with: room, options: .usesLineFragmentOrigin, attributes: attributes, context: nil)
    let three = "word word word".boundingRect(with: room, options: .usesLineFragmentOrigin, attributes: attributes, context: nil)
    #expect(abs(three.height - 3 * one.height) < 1 && three.width <= 60)
  }

  @Test func `a text without room ends in an ellipsis where that is asked for, and is cut off elsewhere`() throws {
    let attributes: [NSAttributedString.Key: Any] = [
      .font: UIFont.systemFont(ofSize: 20), .foregroundColor: UIColor.white,
    ]
    let text = NSAttributedString(string: "HH HH HH HH HH HH HH HH HH HH HH HH", attributes: attributes)
    let line = CGRect(x: 0, y: 0, width: 120, height: 30)
    let cut = draw { _ in text.draw(with: line, options: .usesLineFragmentOrigin, context: nil) }
    let ended = draw { _ in
      text.draw(with: line, options: [.usesLineFragmentOrigin, .truncatesLastVisibleLine], context: nil)
    }
    // A word that has no room goes to the next line, which is cut off. Its place is the ellipsis's.
    let (short, long) = try (#require(ink(cut)), #require(ink(ended)))
    #expect(long.maxX > short.maxX + 3 && long.maxX < 120, "\(short.maxX) and \(long.maxX)")
  }

  @Test func `the ways in which a device is held are named`() {
    let ways = [UIDeviceOrientation.unknown, .portrait, .portraitUpsideDown, .landscapeLeft, .landscapeRight, .faceUp, .faceDown]
    #expect(ways.filter(\.isPortrait) == [.portrait, .portraitUpsideDown])
    #expect(ways.filter(\.isLandscape) == [.landscapeLeft, .landscapeRight])
    #expect(ways.filter(\.isFlat) == [.faceUp, .faceDown])
  }

  @Test func `a label draws its text in the middle of its height, and cuts what has no room`() throws {
    let label = UILabel(frame: CGRect(x: 0, y: 0, width: 120, height: 60))
    (label.text, label.textColor, label.textAlignment) = ("HH", .white, .center)
    label.font = .boldSystemFont(ofSize: 20)
    let box = try #require(ink(draw { label.drawText(in: $0) }))
    #expect(abs((box.minX + box.maxX) - 119) <= 3 && abs((box.minY + box.maxY) - 59) <= 6)
    label.text = String(repeating: "long ", count: 30)
    let cut = try #require(ink(draw { label.drawText(in: $0) }))
    #expect(cut.maxY - cut.minY < 26 && cut.maxX < 120)
  }

  @Test func `a view is rendered by its layer with what stands on it`() {
    let view = UIView(frame: CGRect(x: 0, y: 0, width: 8, height: 8))
    view.backgroundColor = .red
    let picture = UIImageView(frame: CGRect(x: 4, y: 2, width: 2, height: 2))
    picture.image = UIGraphicsImageRenderer(size: CGSize(width: 2, height: 2)).image { context in
      UIColor.blue.setFill()
      context.fill(CGRect(x: 0, y: 0, width: 2, height: 1))
    }
    view.addSubview(picture)
    let image = UIGraphicsImageRenderer(size: CGSize(width: 8, height: 8)).image { view.layer.render(in: $0.cgContext) }
    #expect(pixel(image.cgImage, 4, 2) == [0, 0, 255, 255] && pixel(image.cgImage, 4, 3) == [255, 0, 0, 255])
    #expect(pixel(image.cgImage, 3, 2) == [255, 0, 0, 255])
  }

  @Test func `a view that scrolls shows the part at its offset, and tells its delegate`() {
    final class Counter: NSObject, UIScrollViewDelegate {
      var places: [CGPoint] = []
      func scrollViewDidScroll(_ scrollView: UIScrollView) { places.append(scrollView.contentOffset) }
    }
    let (view, counter) = (UIScrollView(frame: CGRect(x: 0, y: 0, width: 4, height: 4)), Counter())
    view.delegate = counter
    view.contentSize = CGSize(width: 8, height: 4)
    let mark = UIView(frame: CGRect(x: 5, y: 1, width: 1, height: 1))
    mark.backgroundColor = .blue
    view.addSubview(mark)
    view.contentOffset = CGPoint(x: 3, y: 0)
    view.contentOffset = CGPoint(x: 3, y: 0)
    // A layer is rendered in its own coordinates, which the offset has moved.
    let image = UIGraphicsImageRenderer(size: CGSize(width: 4, height: 4)).image { context in
      context.cgContext.translateBy(x: -3, y: 0)
      view.layer.render(in: context.cgContext)
    }
    #expect(pixel(image.cgImage, 2, 1) == [0, 0, 255, 255] && pixel(image.cgImage, 1, 1) == [0, 0, 0, 0])
    view.scrollRectToVisible(CGRect(x: 6, y: 0, width: 2, height: 2), animated: false)
    #expect(counter.places == [CGPoint(x: 3, y: 0), CGPoint(x: 4, y: 0)] && view.clipsToBounds)
  }

  @Test func `fonts are found by the names of families and faces, and not replaced`() {
    #expect(UIFont(name: "DejaVuSans-Bold", size: 12)?.fontDescriptor.symbolicTraits.contains(.traitBold) == true)
    #expect(UIFont(name: "DejaVuSans-Bold", size: 12)?.fontName == "DejaVuSans-Bold")
    #expect(UIFont(name: "DejaVu Sans", size: 12) != nil && UIFont(name: "No Such Font", size: 12) == nil)
    #expect(UIFont.systemFont(ofSize: 20).ascender > UIFont.systemFont(ofSize: 10).ascender)
  }

  @Test func `a picker of media has no source, as it says before it is shown`() {
    for source in [UIImagePickerController.SourceType.photoLibrary, .camera, .savedPhotosAlbum] {
      #expect(!UIImagePickerController.isSourceTypeAvailable(source))
      #expect(UIImagePickerController.availableMediaTypes(for: source) == nil)
    }
    #expect(!UIImagePickerController().startVideoCapture())
  }
}
