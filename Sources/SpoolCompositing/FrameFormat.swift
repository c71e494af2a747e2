package import Media

/// How the samples of a frame are laid out. Every component is a plane of its own.
public struct FrameFormat: Hashable, Sendable, CustomStringConvertible {
  public enum Layout: String, Hashable, Sendable, CaseIterable {
    /// R'G'B' of full range: 0 is black, the highest code is 1.
    case rgb
    /// Luma and two colour differences, these halved both ways, horizontally, not at all; matrix and range are those of
    /// `RenderContext.color`.
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
  /// Bits a component. Samples of 8 bits are `UInt8`, of more bits `UInt16` with the value in the low bits.
  public let bitDepth: Int

  /// - Precondition: `bitDepth` is 8...16.
  public init(_ layout: Layout, bitDepth: Int = 8) {
    precondition(8...16 ~= bitDepth, "a component has 8 to 16 bits")
    (self.layout, self.bitDepth) = (layout, bitDepth)
  }

  /// R'G'B' of 8 bits.
  public static let rgb8 = FrameFormat(.rgb)
  /// R'G'B' of 16 bits.
  public static let rgb16 = FrameFormat(.rgb, bitDepth: 16)

  /// What its planes hold.
  public var components: [Component] {
    switch layout {
    case .rgb: [.red, .green, .blue]
    case .yuv420, .yuv422, .yuv444: [.luma, .blueDifference, .redDifference]
    case .gray: [.luma]
    }
  }

  /// Such as "yuv420 of 10 bits".
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

  /// The plane of a `PixelBuffer` that holds a component.
  func plane(of component: Component) -> Int {
    let order: [Component] = layout == .rgb ? [.green, .blue, .red] : components
    guard let plane = order.firstIndex(of: component) else { preconditionFailure("a frame of \(self) has no \(component)") }
    return plane
  }

  /// The one among `offered` that a compositor works with in an edit that is rendered in `rendered`: the same, which is not
  /// converted; else the first that is as deep; else the first.
  package static func choice(among offered: [FrameFormat], for rendered: FrameFormat) -> FrameFormat {
    precondition(!offered.isEmpty, "a compositor names at least one format")
    return offered.first { $0 == rendered } ?? offered.first { $0.bitDepth >= rendered.bitDepth } ?? offered[0]
  }
}
