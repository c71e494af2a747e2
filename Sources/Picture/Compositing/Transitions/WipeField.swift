import Formats
import Media
import Timeline

/// The moment at which a wipe's edge passes over each pixel. It is the part of a wipe that stays the same from frame to frame.
///
/// A frame is drawn by comparing the field with the edge's position. Where a whole tile lies before or behind the edge, which the
/// tile's bounds tell, samples are copied in long runs. Only tiles that the edge touches are examined pixel by pixel.
struct WipeField {
  /// The width of a tile in luma columns. Copies are long enough, and few pixels are mixed in vain.
  static let tileWidth = 32

  let width: Int
  let height: Int
  /// The width and height of a chroma cell in luma samples. The height is also that of a tile.
  let cell: (width: Int, height: Int)
  /// The values, row by row; 0 is passed over first.
  let values: [UInt16]
  /// The lowest and highest value of each tile and of the column before it, which the tile's first chroma samples use; row by
  /// row.
  let bounds: [(low: UInt16, high: UInt16)]

  var tilesAcross: Int { (width + Self.tileWidth - 1) / Self.tileWidth }

  /// - Precondition: `values` have `format`'s size, which is a whole number of its cells.
  private init(_ values: [UInt16], _ format: PictureFormat) {
    (width, height, cell) = (format.width, format.height, format.cell)
    self.values = values
    bounds = Self.bounds(of: values, format)
  }

  private static func bounds(of values: [UInt16], _ format: PictureFormat) -> [(low: UInt16, high: UInt16)] {
    var bounds: [(low: UInt16, high: UInt16)] = []
    let width = format.width
    unsafe values.withUnsafeBufferPointer { values in
      for top in stride(from: 0, to: format.height, by: format.cell.height) {
        for left in stride(from: 0, to: width, by: tileWidth) {
          var (low, high) = (UInt16.max, UInt16.min)
          for row in top..<top + format.cell.height {
            for index in row * width + max(left - 1, 0)..<row * width + min(left + tileWidth, width) {
              (low, high) = unsafe (min(low, values[index]), max(high, values[index]))
            }
          }
          bounds.append((low, high))
        }
      }
    }
    return bounds
  }

  init(_ wipe: SMPTEWipe, isReversed: Bool, _ format: PictureFormat) {
    let (width, height) = (format.width, format.height)
    func value(_ x: Int, _ y: Int) -> Double {
      wipe.value(at: WipePoint(Double(x) + 0.5, Double(y) + 0.5, width: Double(width), height: Double(height)))
    }
    var scale = 1.0
    if wipe.grows {
      let border = (0..<width).flatMap { [value($0, 0), value($0, height - 1)] }
      scale = (0..<height).flatMap { [value(0, $0), value(width - 1, $0)] }.reduce(border.max() ?? 1, max)
    }
    let values = unsafe [UInt16](unsafeUninitializedCapacity: width * height) { values, count in
      for y in 0..<height {
        for x in 0..<width {
          let value = UInt16(min(max(value(x, y) / scale, 0), 1) * 65535 + 0.5)
          unsafe values.initializeElement(at: y * width + x, to: isReversed ? 65535 - value : value)
        }
      }
      count = width * height
    }
    self.init(values, format)
  }

  /// Makes the field of the brightness of `map`, stretched over the frame.
  init(_ map: StillImage, isReversed: Bool, _ format: PictureFormat) throws(CompositingError) {
    let gray = PixelFormat(.gray, bitDepth: 16)
    let tags = ColorTags(.bt709, .srgb, .bt709, .full)
    func plain(_ width: Int, _ height: Int) -> PictureFormat {
      PictureFormat(width: width, height: height, format: gray, color: tags, taggedHeight: height)
    }
    let (stored, stretched) = (plain(map.width, map.height), plain(format.width, format.height))
    let picture = try PixelBuffer.make(stored)
    for y in 0..<map.height {
      let row = unsafe picture.planes[0].row(y, as: UInt16.self)
      for x in 0..<map.width {
        let pixel = (y * map.width + x) * 4
        let (red, green, blue) = (Int(map.rgba[pixel]), Int(map.rgba[pixel + 1]), Int(map.rgba[pixel + 2]))
        // The luma of BT.709, scaled so that 255 * 10000 becomes 65535.
        unsafe row[x] = UInt16(((2126 * red + 7152 * green + 722 * blue) * 257 + 5000) / 10_000)
      }
    }
    let field = try PixelBuffer.make(stretched)
    let region = Rect(0, 0, Double(map.width), Double(map.height))
    try ScalingGraph(.init(source: stored, region: region, target: stretched)).convert(picture, into: field)
    var values: [UInt16] = []
    values.reserveCapacity(format.width * format.height)
    for y in 0..<format.height {
      let row = unsafe field.planes[0].row(y, as: UInt16.self)
      for x in 0..<format.width { values.append(isReversed ? unsafe 65535 - row[x] : unsafe row[x]) }
    }
    self.init(values, format)
  }
}

extension SMPTEWipe {
  /// Whether the wipe's values are sizes of a growing shape, which are in no fixed range.
  fileprivate var grows: Bool {
    switch type {
    case "triangleWipe", "arrowHeadWipe", "pentagonWipe", "hexagonWipe", "ellipseWipe", "eyeWipe", "roundRectWipe", "starWipe",
      "miscShapeWipe":
      true
    default: false
    }
  }
}
