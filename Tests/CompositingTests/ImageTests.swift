import Drawing
import Formats
import Media
import Testing
import Timeline

@Suite struct `An image` {
  private static let frame = PixelSize(64, 48)

  /// A picture in which every pixel has another colour, and alpha goes from clear to opaque.
  private static func picture(_ width: Int, _ height: Int) -> StillImage {
    var rgba: [UInt8] = []
    for y in 0..<height {
      for x in 0..<width {
        rgba += [UInt8(x * 255 / width), UInt8(y * 255 / height), 77, UInt8((x + y) * 255 / (width + height - 2))]
      }
    }
    return StillImage(width: width, height: height, rgba: rgba)
  }

  private static func flat(_ width: Int, _ height: Int, _ rgba: [UInt8]) -> StillImage {
    StillImage(width: width, height: height, rgba: (0..<width * height).flatMap { _ in rgba })
  }

  private func drawn(_ image: StillImage, _ frame: Rect?, _ gravity: Gravity = .resizeAspect) throws -> Pixels {
    let frame = frame ?? Rect(PixelSize(image.width, image.height))
    return Pixels(try PlacedPicture(image: image, gravity: gravity, in: frame, of: Self.frame))
  }

  @Test(arguments: [nil, Rect(20, 10, 16, 12)])
  func `in its own size keeps its pixels`(_ frame: Rect?) throws {
    let image = Self.picture(16, 12)
    let drawing = try drawn(image, frame)
    #expect((drawing.x, drawing.y) == (Int(frame?.x ?? 0), Int(frame?.y ?? 0)))
    #expect(drawing.rgba == image.rgba)
  }

  @Test func `that hangs over the frame shows what is inside`() throws {
    let image = Self.picture(16, 12)
    let drawing = try drawn(image, Rect(-4, 40, 16, 12))
    #expect((drawing.x, drawing.y, drawing.width, drawing.height) == (0, 40, 12, 8))
    #expect(Array(drawing.rgba.prefix(48)) == Array(image.rgba[16..<64]))
  }

  @Test(arguments: [
    (Gravity.resizeAspect, Rect(10, 14, 40, 20)), (.resizeAspectFill, Rect(10, 4, 40, 40)), (.resize, Rect(10, 4, 40, 40)),
    (.none, Rect(10, 4, 20, 10)),
  ])
  func `fills of its frame what its gravity says`(_ gravity: Gravity, _ filled: Rect) throws {
    let drawing = try drawn(Self.flat(20, 10, [255, 0, 0, 255]), Rect(10, 4, 40, 40), gravity)
    let bounds = try #require(try drawing.visibleBounds(in: Self.frame))
    #expect(
      Rect(
        Double(bounds.columns.lowerBound), Double(bounds.rows.lowerBound), Double(bounds.columns.count), Double(bounds.rows.count)
      ) == filled)
    for y in bounds.rows {
      for x in bounds.columns { #expect(drawing.pixel(x, y) == Pixels.Pixel(red: 255, green: 0, blue: 0, alpha: 255)) }
    }
  }

  @Test func `covers half of a pixel at half`() throws {
    let drawing = try drawn(Self.flat(8, 8, [255, 255, 255, 255]), Rect(4.5, 4, 8, 8))
    #expect(abs(Int(drawing.pixel(4, 8).alpha) - 128) <= 1 && abs(Int(drawing.pixel(12, 8).alpha) - 128) <= 1)
    #expect(drawing.pixel(5, 8).alpha == 255 && drawing.pixel(11, 8).alpha == 255)
  }

  @Test func `keeps its colour where it fades when it is scaled`() throws {
    // The picture has clear black beside opaque red. The red must not become darker towards the edge.
    let pixels: [UInt8] = (0..<400).flatMap { ($0 % 20) < 10 ? [0, 0, 0, 0] : [255, 0, 0, 255] as [UInt8] }
    let drawing = try drawn(StillImage(width: 20, height: 20, rgba: pixels), Rect(5, 5, 33, 33))
    let bounds = try #require(try drawing.visibleBounds(in: Self.frame))
    for y in bounds.rows {
      for x in bounds.columns where drawing.pixel(x, y).alpha > 8 { #expect(drawing.pixel(x, y).red >= 250) }
    }
  }

  @Test func `made much smaller counts all its pixels`() throws {
    let stripes: [UInt8] = (0..<200 * 200).flatMap { $0.isMultiple(of: 2) ? [0, 0, 0, 255] : [200, 200, 200, 255] as [UInt8] }
    let drawing = try drawn(StillImage(width: 200, height: 200, rgba: stripes), Rect(4, 4, 20, 20))
    for y in 6..<22 {
      for x in 6..<22 { #expect(abs(Int(drawing.pixel(x, y).red) - 100) <= 3) }
    }
  }

  @Test func `outside the picture draws nothing`() throws {
    #expect(try drawn(Self.picture(8, 8), Rect(70, 0, 8, 8)).visibleBounds(in: Self.frame) == nil)
  }
}
