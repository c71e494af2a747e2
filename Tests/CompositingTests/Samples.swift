import Compositing
import Formats
import Media
import Testing

/// The samples of a picture as whole numbers, plane by plane and row by row. Tests compute with them.
struct Samples: Equatable {
  var format: PixelFormat
  var width: Int
  var height: Int
  var planes: [[Int]]

  /// Makes a picture. `sample` gives each sample from its plane, column and row.
  init(_ format: PixelFormat, _ width: Int, _ height: Int, _ sample: (Int, Int, Int) -> Int) {
    (self.format, self.width, self.height) = (format, width, height)
    planes = []
    for plane in 0..<format.planeCount {
      let (columns, rows) = Self.size(format, width, height, plane)
      planes.append((0..<columns * rows).map { sample(plane, $0 % columns, $0 / columns) })
    }
  }

  init(_ buffer: PixelBuffer) {
    self.init(buffer.format, buffer.width, buffer.height) { plane, x, y in
      let (base, stride, _, _) = unsafe buffer.plane(plane)
      let row = unsafe UnsafeRawPointer(base + y * stride)
      return buffer.format.bitDepth > 8
        ? unsafe Int(row.load(fromByteOffset: 2 * x, as: UInt16.self)) : unsafe Int(row.load(fromByteOffset: x, as: UInt8.self))
    }
  }

  /// Reads planes that are packed one after the other, as in ffmpeg's rawvideo: 8-bit, or 16-bit little-endian.
  init(packed: [UInt8], _ format: PixelFormat, _ width: Int, _ height: Int) {
    var position = 0
    self.init(format, width, height) { _, _, _ in
      defer { position += format.bytesPerSample }
      return format.bytesPerSample == 1 ? Int(packed[position]) : Int(packed[position]) | Int(packed[position + 1]) << 8
    }
  }

  var packed: [UInt8] {
    planes.joined().flatMap { format.bytesPerSample == 1 ? [UInt8($0)] : [UInt8($0 & 255), UInt8($0 >> 8)] }
  }

  func buffer(_ color: ColorTags = .bt709) throws -> PixelBuffer {
    let buffer = try PixelBuffer(format: format, width: width, height: height, color: color)
    for plane in 0..<format.planeCount {
      let (columns, rows) = Self.size(format, width, height, plane)
      let (base, stride, _, _) = unsafe buffer.plane(plane)
      for y in 0..<rows {
        let row = unsafe UnsafeMutableRawPointer(base + y * stride)
        for x in 0..<columns {
          let value = planes[plane][y * columns + x]
          if format.bytesPerSample == 1 {
            unsafe row.storeBytes(of: UInt8(value), toByteOffset: x, as: UInt8.self)
          } else {
            unsafe row.storeBytes(of: UInt16(value), toByteOffset: 2 * x, as: UInt16.self)
          }
        }
      }
    }
    return buffer
  }

  /// The sample at a place of a plane. A place outside has the value of the nearest one inside.
  func at(_ plane: Int, _ x: Int, _ y: Int) -> Int {
    let (columns, rows) = Self.size(format, width, height, plane)
    return planes[plane][min(max(y, 0), rows - 1) * columns + min(max(x, 0), columns - 1)]
  }

  /// The largest difference between samples of two pictures of one shape.
  func distance(to other: Samples) -> Int {
    zip(planes.joined(), other.planes.joined()).reduce(0) { max($0, abs($1.0 - $1.1)) }
  }

  static func size(_ format: PixelFormat, _ width: Int, _ height: Int, _ plane: Int) -> (Int, Int) {
    let shift = format.shift(ofPlane: plane)
    return ((width + (1 << shift.x) - 1) >> shift.x, (height + (1 << shift.y) - 1) >> shift.y)
  }

  /// A smooth picture that is different in each plane and has no symmetry.
  static func gradient(_ format: PixelFormat, _ width: Int, _ height: Int) -> Samples {
    let top = (1 << format.bitDepth) - 1
    return Samples(format, width, height) { plane, x, y in
      let (columns, rows) = size(format, width, height, plane)
      let (u, v) = (Double(x) / Double(columns), Double(y) / Double(rows))
      let value = [0.1 + 0.5 * u + 0.3 * v * v, 0.8 - 0.4 * u * v - 0.2 * v, 0.3 + 0.4 * v - 0.1 * u * u][plane]
      return Int(value * Double(top))
    }
  }

  static func noise(_ format: PixelFormat, _ width: Int, _ height: Int, _ random: inout some RandomNumberGenerator) -> Samples {
    Samples(format, width, height) { _, _, _ in Int.random(in: 0..<1 << format.bitDepth, using: &random) }
  }
}
