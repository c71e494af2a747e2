import Drawing
import Formats
import Media
import Scenes
import Testing
import Timeline

/// A suite that draws layers without images, in a frame of 64x48.
protocol DrawsLayers {}

extension DrawsLayers {
  static var frame: PixelSize { PixelSize(64, 48) }
  static var red: RGBAColor { RGBAColor(1, 0, 0) }
  static var blue: RGBAColor { RGBAColor(0, 0, 1) }

  func pixels(
    _ drawing: Scene.Drawing, _ map: AffineTransform = .identity, _ extent: Scene.Still.Extent = .frame
  ) throws -> Pixels? {
    let still = Scene.Still(drawing, map: map, extent: extent)
    return try PlacedPicture(still: still, in: Self.frame, fonts: FontBook()) { asset throws(MediaError) in
      throw MediaError(.internal, at: "\(asset)", "no image was expected")
    }.map(Pixels.init)
  }

  func drawn(
    _ drawing: Scene.Drawing, _ map: AffineTransform = .identity, _ extent: Scene.Still.Extent = .frame
  ) throws -> Pixels {
    try #require(try pixels(drawing, map, extent))
  }

  func box(
    _ width: Double, _ height: Double, _ color: RGBAColor = Self.red, _ change: (inout Scene.Drawing.Look) -> Void = { _ in }
  ) -> Scene.Drawing {
    var look = Scene.Drawing.Look()
    look.background = color
    change(&look)
    return Scene.Drawing(nil, size: Point(width, height), look: look)
  }

  func shape(
    _ outline: ShapeContent.Outline, _ size: Point, stroked: Scene.Drawing.Span = .whole,
    _ change: (inout ShapeContent) -> Void
  ) -> Scene.Drawing {
    var content = ShapeContent(outline: outline)
    change(&content)
    return Scene.Drawing(.shape(content, stroked: stroked), size: size)
  }

  /// The alpha at a pixel of the frame; 0 outside of what was drawn.
  func alpha(_ drawing: Pixels, _ x: Int, _ y: Int) -> Int {
    guard drawing.x..<drawing.x + drawing.width ~= x, drawing.y..<drawing.y + drawing.height ~= y else { return 0 }
    return Int(drawing.pixel(x, y).alpha)
  }

  /// The sum of all alpha, in pixels.
  func area(_ drawing: Pixels) -> Double {
    stride(from: 3, to: drawing.rgba.count, by: 4).reduce(0) { $0 + Double(drawing.rgba[$1]) } / 255
  }
}
