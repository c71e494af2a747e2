import Compositing
import Drawing
import Formats
import Media
import Scenes

/// The pixels of a drawing as numbers, and its place in the frame. Tests compute with them.
struct Pixels: Equatable, Sendable {
  struct Pixel: Equatable {
    var red: UInt8
    var green: UInt8
    var blue: UInt8
    var alpha: UInt8
  }

  let x: Int
  let y: Int
  let width: Int
  let height: Int
  /// Red, green, blue and straight alpha, row by row.
  let rgba: [UInt8]

  init(x: Int, y: Int, width: Int, height: Int, rgba: [UInt8]) {
    (self.x, self.y, self.width, self.height, self.rgba) = (x, y, width, height, rgba)
  }

  /// The pixels of a drawing; none where nothing was drawn.
  init(_ drawing: PlacedPicture?) {
    guard let drawing, let alpha = drawing.picture.alpha else {
      self.init(x: 0, y: 0, width: 0, height: 0, rgba: [])
      return
    }
    let (codes, shares) = (Samples(drawing.picture), Samples(alpha.full))
    let rgba = (0..<codes.width * codes.height).flatMap { index in
      [2, 0, 1].map { UInt8(codes.planes[$0][index]) } + [UInt8(shares.planes[0][index] / 257)]
    }
    self.init(x: drawing.x, y: drawing.y, width: codes.width, height: codes.height, rgba: rgba)
  }

  func pixel(_ x: Int, _ y: Int) -> Pixel {
    let index = ((y - self.y) * width + (x - self.x)) * 4
    return Pixel(red: rgba[index], green: rgba[index + 1], blue: rgba[index + 2], alpha: rgba[index + 3])
  }

  /// The drawing; nil where nothing was drawn.
  var drawing: PlacedPicture? {
    get throws { width == 0 ? nil : try PlacedPicture(x: x, y: y, width: width, height: height, rgba: rgba) }
  }

  func visibleBounds(in size: PixelSize) throws -> (columns: Range<Int>, rows: Range<Int>)? {
    try drawing?.visibleBounds(in: size)
  }

  /// The picture that is laid over frames; nil where nothing of it is seen.
  func graphics(
    _ format: PixelFormat, opacity: Double = 1, in size: PixelSize = PixelSize(64, 48), _ color: ColorTags = .bt709
  ) throws -> PlacedPicture? {
    try drawing.flatMap {
      try PlacedPicture(graphics: $0, opacity: opacity, renderSize: size, format: format, color: color)
    }
  }
}

extension PlacedPicture {
  func piece(fade: Double = 1) -> Collage.Piece {
    .picture(
      SourcePicture(rendered: picture, color: picture.color),
      Scene.Placement(transform: AffineTransform(1, 0, 0, 1, Double(x), Double(y)), opacity: fade))
  }
}
