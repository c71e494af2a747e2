/// The planar layouts that frames are composited in.
package struct PixelFormat: Hashable, Sendable, CustomStringConvertible {
  package enum Layout: String, Hashable, Sendable, CaseIterable {
    /// One plane.
    case gray
    /// Y, Cb, Cr; chroma halved both ways, horizontally, not at all.
    case yuv420, yuv422, yuv444
    /// G, B, R, in FFmpeg's and zimg's order of planes.
    case gbr
  }

  package let layout: Layout
  /// Bits a component, 8...16; above 8 a sample is a little-endian `UInt16` with the value in its low bits.
  package let bitDepth: Int

  package init(_ layout: Layout, bitDepth: Int = 8) {
    self.layout = layout
    self.bitDepth = bitDepth
  }

  package static let yuv420 = PixelFormat(.yuv420)

  package var bytesPerSample: Int { bitDepth > 8 ? 2 : 1 }
  package var planeCount: Int { layout == .gray ? 1 : 3 }

  /// log2 of the horizontal and vertical subsampling of plane `index`.
  package func shift(ofPlane index: Int) -> (x: Int, y: Int) {
    guard index > 0 else { return (0, 0) }
    return switch layout {
    case .gray, .yuv444, .gbr: (0, 0)
    case .yuv422: (1, 0)
    case .yuv420: (1, 1)
    }
  }

  /// FFmpeg's name without the byte order, such as "yuv420p10" or "gray".
  package var description: String { layout.rawValue + (layout == .gray ? "" : "p") + (bitDepth > 8 ? "\(bitDepth)" : "") }
}
