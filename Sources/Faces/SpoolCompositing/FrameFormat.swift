package import Media

/// The layout of a frame's samples. Each component is a plane of its own.
public struct FrameFormat: Hashable, Sendable, CustomStringConvertible {
  public enum Layout: String, Hashable, Sendable, CaseIterable {
    /// R'G'B' in full range: 0 is black, and the highest code is 1.
    case rgb
    /// Luma and two colour differences. The colour differences have half the width and height (420), half the width (422) or the
    /// full size (444). `RenderContext.color` has the matrix and the range.
    case yuv420, yuv422, yuv444
    /// Luma alone.
    case gray
  }

  public enum Component: String, Hashable, Sendable, CaseIterable {
    case red, green, blue
    /// Y', Cb and Cr.
    case luma, blueDifference, redDifference
  }

  public let layout: Layout
  /// The number of bits of a component. Samples of 8 bits are `UInt8`. Samples of more bits are `UInt16`, with the value in the
  /// low bits.
  public let bitDepth: Int

  /// - Precondition: `bitDepth` is 8...16.
  public init(_ layout: Layout, bitDepth: Int = 8) {
    precondition(8...16 ~= bitDepth, "a component has 8 to 16 bits")
    (self.layout, self.bitDepth) = (layout, bitDepth)
  }

  /// R'G'B' with 8 bits a component.
  public static let rgb8 = FrameFormat(.rgb)
  /// R'G'B' with 16 bits a component.
  public static let rgb16 = FrameFormat(.rgb, bitDepth: 16)

  /// The components that have a plane in this format.
  public var components: [Component] {
    switch layout {
    case .rgb: [.red, .green, .blue]
    case .yuv420, .yuv422, .yuv444: [.luma, .blueDifference, .redDifference]
    case .gray: [.luma]
    }
  }

  /// The format in words, such as "yuv420 of 10 bits".
  public var description: String { "\(layout.rawValue) of \(bitDepth) bits" }
}

extension FrameFormat {
  package init(_ format: PixelFormat) {
    let layout: Layout =
      switch format.layout {
      case .gbr: .rgb
      case .yuv420: .yuv420
      case .yuv422: .yuv422
      case .yuv444: .yuv444
      case .gray: .gray
      }
    self.init(layout, bitDepth: format.bitDepth)
  }

  package var pixelFormat: PixelFormat {
    switch layout {
    case .rgb: PixelFormat(.gbr, bitDepth: bitDepth)
    case .yuv420: PixelFormat(.yuv420, bitDepth: bitDepth)
    case .yuv422: PixelFormat(.yuv422, bitDepth: bitDepth)
    case .yuv444: PixelFormat(.yuv444, bitDepth: bitDepth)
    case .gray: PixelFormat(.gray, bitDepth: bitDepth)
    }
  }

  /// The number of the plane of a `PixelBuffer` that holds the component.
  func plane(of component: Component) -> Int {
    let order: [Component] = layout == .rgb ? [.green, .blue, .red] : components
    guard let plane = order.firstIndex(of: component) else { preconditionFailure("a frame of \(self) has no \(component)") }
    return plane
  }

  /// The offered format that a compositor gets for an edit that is rendered in `rendered`. It is the same format, if offered, so
  /// that nothing is converted. Else it is the first one with at least as many bits, and else the first one.
  package static func choice(among offered: [FrameFormat], for rendered: FrameFormat) -> FrameFormat {
    precondition(!offered.isEmpty, "a compositor names at least one format")
    return offered.first { $0 == rendered } ?? offered.first { $0.bitDepth >= rendered.bitDepth } ?? offered[0]
  }
}
