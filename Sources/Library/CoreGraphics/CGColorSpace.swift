public enum CGColorSpaceModel: Int32, Sendable {
  case unknown = -1
  case monochrome, rgb, cmyk, lab, deviceN, indexed, pattern, XYZ
}

/// A space of colours. Those of gray and of red, green and blue are made; others are refused by nil.
/// - Partly: gray and RGB of sRGB, P3, BT.709, BT.2020 with their curves; others are refused by nil. A device's space is sRGB
public final class CGColorSpace: Hashable, Sendable, CustomStringConvertible {
  /// The curve between a part's value and its share of light.
  package enum Transfer: Hashable, Sendable { case sRGB, linear, bt709, gamma22, pq, hlg }
  /// The colours of full red, green and blue. White is D65 everywhere.
  package enum Primaries: Hashable, Sendable { case bt709, p3, bt2020 }

  public let name: CFString?
  public let model: CGColorSpaceModel
  package let transfer: Transfer
  package let primaries: Primaries
  /// Whether values below 0 and above 1 are kept.
  package let isExtended: Bool

  private init(_ name: String?, _ model: CGColorSpaceModel, _ transfer: Transfer, _ primaries: Primaries, extended: Bool = false)
  {
    (self.name, self.model, self.transfer, self.primaries, isExtended) = (name, model, transfer, primaries, extended)
  }

  /// Makes the space of a name; nil for names of spaces that are not made, such as those of print.
  public convenience init?(name: CFString) {
    switch name {
    case Self.sRGB: self.init(name, .rgb, .sRGB, .bt709)
    case Self.extendedSRGB: self.init(name, .rgb, .sRGB, .bt709, extended: true)
    case Self.linearSRGB, Self.genericRGBLinear: self.init(name, .rgb, .linear, .bt709)
    case Self.extendedLinearSRGB: self.init(name, .rgb, .linear, .bt709, extended: true)
    case Self.displayP3: self.init(name, .rgb, .sRGB, .p3)
    case Self.extendedDisplayP3: self.init(name, .rgb, .sRGB, .p3, extended: true)
    case Self.extendedLinearDisplayP3: self.init(name, .rgb, .linear, .p3, extended: true)
    case Self.linearDisplayP3: self.init(name, .rgb, .linear, .p3)
    case Self.itur_709: self.init(name, .rgb, .bt709, .bt709)
    case Self.itur_2020: self.init(name, .rgb, .bt709, .bt2020)
    case Self.extendedLinearITUR_2020: self.init(name, .rgb, .linear, .bt2020, extended: true)
    case Self.itur_2100_PQ: self.init(name, .rgb, .pq, .bt2020)
    case Self.itur_2100_HLG: self.init(name, .rgb, .hlg, .bt2020)
    case Self.genericGrayGamma2_2: self.init(name, .monochrome, .gamma22, .bt709)
    case Self.extendedGray: self.init(name, .monochrome, .gamma22, .bt709, extended: true)
    case Self.linearGray, Self.extendedLinearGray: self.init(name, .monochrome, .linear, .bt709)
    default: return nil
    }
  }

  public static let sRGB: CFString = "kCGColorSpaceSRGB"
  public static let extendedSRGB: CFString = "kCGColorSpaceExtendedSRGB"
  public static let linearSRGB: CFString = "kCGColorSpaceLinearSRGB"
  public static let extendedLinearSRGB: CFString = "kCGColorSpaceExtendedLinearSRGB"
  public static let genericRGBLinear: CFString = "kCGColorSpaceGenericRGBLinear"
  public static let displayP3: CFString = "kCGColorSpaceDisplayP3"
  public static let extendedDisplayP3: CFString = "kCGColorSpaceExtendedDisplayP3"
  public static let linearDisplayP3: CFString = "kCGColorSpaceLinearDisplayP3"
  public static let extendedLinearDisplayP3: CFString = "kCGColorSpaceExtendedLinearDisplayP3"
  public static let itur_709: CFString = "kCGColorSpaceITUR_709"
  public static let itur_2020: CFString = "kCGColorSpaceITUR_2020"
  public static let extendedLinearITUR_2020: CFString = "kCGColorSpaceExtendedLinearITUR_2020"
  public static let itur_2100_PQ: CFString = "kCGColorSpaceITUR_2100_PQ"
  public static let itur_2100_HLG: CFString = "kCGColorSpaceITUR_2100_HLG"
  public static let genericGrayGamma2_2: CFString = "kCGColorSpaceGenericGrayGamma2_2"
  public static let extendedGray: CFString = "kCGColorSpaceExtendedGray"
  public static let linearGray: CFString = "kCGColorSpaceLinearGray"
  public static let extendedLinearGray: CFString = "kCGColorSpaceExtendedLinearGray"
  public static let genericCMYK: CFString = "kCGColorSpaceGenericCMYK"
  public static let adobeRGB1998: CFString = "kCGColorSpaceAdobeRGB1998"
  public static let dcip3: CFString = "kCGColorSpaceDCIP3"
  public static let acescgLinear: CFString = "kCGColorSpaceACESCGLinear"
  public static let rommrgb: CFString = "kCGColorSpaceROMMRGB"
  public static let genericXYZ: CFString = "kCGColorSpaceGenericXYZ"
  public static let genericLab: CFString = "kCGColorSpaceGenericLab"

  /// The space of RGB without a name. It is sRGB here.
  package static let deviceRGB = CGColorSpace("kCGColorSpaceDeviceRGB", .rgb, .sRGB, .bt709)
  /// The space of gray without a name. Its curve is that of sRGB here.
  package static let deviceGray = CGColorSpace("kCGColorSpaceDeviceGray", .monochrome, .sRGB, .bt709)

  public var numberOfComponents: Int { model == .monochrome ? 1 : 3 }
  public var isWideGamutRGB: Bool { model == .rgb && primaries != .bt709 }
  public var supportsOutput: Bool { true }

  /// Whether bytes of both spaces mean the same colours.
  package func means(_ other: CGColorSpace) -> Bool {
    transfer == other.transfer && primaries == other.primaries && model == other.model
  }

  public static func == (a: CGColorSpace, b: CGColorSpace) -> Bool { a.name == b.name }
  public func hash(into hasher: inout Hasher) { hasher.combine(name) }
  public var description: String { "CGColorSpace(\(name ?? "without a name"))" }
}

public func CGColorSpaceCreateDeviceRGB() -> CGColorSpace { .deviceRGB }
public func CGColorSpaceCreateDeviceGray() -> CGColorSpace { .deviceGray }
