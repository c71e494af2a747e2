package import Formats

/// A planar layout and bit depth of pictures that are composited.
package struct PixelFormat: Hashable, Sendable, CustomStringConvertible {
  package enum Layout: String, Hashable, Sendable, CaseIterable {
    /// One plane, of luma.
    case gray
    /// Planes Y, Cb, Cr. Chroma has half the width and height (420), half the width (422), or full size (444).
    case yuv420, yuv422, yuv444
    /// Planes G, B, R, in the order of FFmpeg and zimg.
    case gbr

    package init(_ chroma: ChromaSampling) {
      self =
        switch chroma {
        case .yuv420: .yuv420
        case .yuv422: .yuv422
        case .yuv444: .yuv444
        case .rgb: .gbr
        }
    }
  }

  package let layout: Layout
  /// The bits of a component, 8...16. Above 8 bits a sample is a little-endian `UInt16` with the value in its low bits.
  package let bitDepth: Int

  package init(_ layout: Layout, bitDepth: Int = 8) {
    self.layout = layout
    self.bitDepth = bitDepth
  }

  package static let yuv420 = PixelFormat(.yuv420)

  package var bytesPerSample: Int { bitDepth > 8 ? 2 : 1 }
  package var planeCount: Int { layout == .gray ? 1 : 3 }

  /// The horizontal and vertical subsampling of plane `index`, as log2.
  package func shift(ofPlane index: Int) -> (x: Int, y: Int) {
    guard index > 0 else { return (0, 0) }
    return switch layout {
    case .gray, .yuv444, .gbr: (0, 0)
    case .yuv422: (1, 0)
    case .yuv420: (1, 1)
    }
  }

  /// FFmpeg's name of the format without the byte order, such as "yuv420p10" or "gray".
  package var description: String { layout.rawValue + (layout == .gray ? "" : "p") + (bitDepth > 8 ? "\(bitDepth)" : "") }
}
