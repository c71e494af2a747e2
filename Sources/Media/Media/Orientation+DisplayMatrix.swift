internal import CFFmpeg
internal import Formats

extension Orientation {
  /// The orientation nearest to a display matrix. Its rows are (a b u), (c d v), (x y w) in 16.16 fixed point. It maps a stored
  /// point (p, q) to (a p + c q + x, b p + d q + y), with y downwards (libavutil/display.h).
  init(displayMatrix matrix: UnsafeBufferPointer<Int32>) {
    precondition(matrix.count >= 5)
    let (a, b, c, d) = unsafe (Int(matrix[0]), Int(matrix[1]), Int(matrix[3]), Int(matrix[4]))
    self =
      if abs(a) + abs(d) >= abs(b) + abs(c) {
        switch (a < 0, d < 0) {
        case (false, false): .up
        case (true, false): .mirrored
        case (true, true): .rotated180
        case (false, true): .flipped
        }
      } else {
        switch (b < 0, c < 0) {
        case (false, false): .transposed
        case (false, true): .rotated90
        case (true, true): .transversed
        case (true, false): .rotated270
        }
      }
  }

  /// The display matrix of a picture of this size that is turned in this way, with its corner at zero.
  func displayMatrix(width: Int32, height: Int32) -> [Int32] {
    let one: Int32 = 1 << 16
    let (a, b, c, d, x, y): (Int32, Int32, Int32, Int32, Int32, Int32) =
      switch self {
      case .up: (one, 0, 0, one, 0, 0)
      case .mirrored: (-one, 0, 0, one, width, 0)
      case .rotated180: (-one, 0, 0, -one, width, height)
      case .flipped: (one, 0, 0, -one, 0, height)
      case .transposed: (0, one, one, 0, 0, 0)
      case .rotated90: (0, one, -one, 0, height, 0)
      case .transversed: (0, -one, -one, 0, height, width)
      case .rotated270: (0, -one, one, 0, 0, width)
      }
    return [a, b, 0, c, d, 0, x &* one, y &* one, 1 << 30]
  }

  /// - Parameter data: FFmpeg's side data, nine `Int32`; nil means upright.
  init(sideData data: UnsafePointer<UInt8>?, byteCount: Int) {
    let count = byteCount / MemoryLayout<Int32>.stride
    guard let data = unsafe data, count >= 9 else {
      self = .up
      return
    }
    // FFmpeg allocates side data with av_malloc, which aligns it for any type.
    self = unsafe UnsafeRawPointer(data).withMemoryRebound(to: Int32.self, capacity: count) {
      unsafe Orientation(displayMatrix: UnsafeBufferPointer(start: $0, count: count))
    }
  }

  /// The orientation that the EXIF of a still picture states, from the metadata of the decoded frame; upright where it is missing
  /// or out of range.
  init(exifOf frame: OwnedFrame) {
    let entry = unsafe av_dict_get(frame.pointer.pointee.metadata, "Orientation", nil, 0)
    let digits = unsafe entry.map { unsafe String(cString: $0.pointee.value).filter(\.isNumber) }
    self = digits.flatMap { Int($0) }.flatMap(Orientation.init(rawValue:)) ?? .up
  }
}
