public enum CGImageAlphaInfo: UInt32, Sendable {
  case none, premultipliedLast, premultipliedFirst, last, first, noneSkipLast, noneSkipFirst, alphaOnly
}

public enum CGImageByteOrderInfo: UInt32, Sendable {
  case orderMask = 0x7000
  case orderDefault = 0
  case order16Little = 0x1000
  case order32Little = 0x2000
  case order16Big = 0x3000
  case order32Big = 0x4000
}

public enum CGImagePixelFormatInfo: UInt32, Sendable {
  case mask = 0xF0000
  case packed = 0
  case RGB555 = 0x10000
  case RGB565 = 0x20000
  case RGB101010 = 0x30000
  case RGBCIF10 = 0x40000
}

/// The order of the parts of a pixel: a `CGImageAlphaInfo` and the order of the bytes.
public struct CGBitmapInfo: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public init(alpha: CGImageAlphaInfo, byteOrder: CGImageByteOrderInfo = .orderDefault) {
    rawValue = alpha.rawValue | byteOrder.rawValue
  }

  public static let alphaInfoMask = CGBitmapInfo(rawValue: 0x1F)
  public static let floatInfoMask = CGBitmapInfo(rawValue: 0xF00)
  public static let floatComponents = CGBitmapInfo(rawValue: 0x100)
  public static let byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
  public static let byteOrder16Little = CGBitmapInfo(rawValue: 0x1000)
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 0x2000)
  public static let byteOrder16Big = CGBitmapInfo(rawValue: 0x3000)
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 0x4000)
  public static var byteOrderDefault: CGBitmapInfo { [] }

  package var alpha: CGImageAlphaInfo? { CGImageAlphaInfo(rawValue: rawValue & 0x1F) }
}

public let kCGBitmapByteOrder16Host = CGBitmapInfo.byteOrder16Little
public let kCGBitmapByteOrder32Host = CGBitmapInfo.byteOrder32Little

/// The places of a pixel's parts in its bytes. Every part has eight bits.
struct PixelLayout: Hashable, Sendable {
  let byteCount: Int
  /// The places of red, green and blue. All three are the same for gray.
  let red: Int
  let green: Int
  let blue: Int
  /// The place of alpha; nil for pixels that are opaque.
  let alpha: Int?
  /// Whether the parts are multiplied by alpha.
  let isPremultiplied: Bool
  /// Whether there is alpha alone. Colours are black then.
  let isMask: Bool

  /// Cairo's order on this machine.
  static let native = PixelLayout(byteCount: 4, red: 2, green: 1, blue: 0, alpha: 3, isPremultiplied: true, isMask: false)
  static let nativeOpaque = PixelLayout(
    byteCount: 4, red: 2, green: 1, blue: 0, alpha: nil, isPremultiplied: true, isMask: false)

  private init(byteCount: Int, red: Int, green: Int, blue: Int, alpha: Int?, isPremultiplied: Bool, isMask: Bool) {
    (self.byteCount, self.red, self.green, self.blue) = (byteCount, red, green, blue)
    (self.alpha, self.isPremultiplied, self.isMask) = (alpha, isPremultiplied, isMask)
  }

  /// Finds the layout; nil for parts of other than eight bits, and for combinations that Core Graphics does not have either.
  init?(bitsPerComponent: Int, bitsPerPixel: Int, model: CGColorSpaceModel?, info: CGBitmapInfo) {
    guard bitsPerComponent == 8, let kind = info.alpha, !info.contains(.floatComponents) else { return nil }
    let order = info.rawValue & CGBitmapInfo.byteOrderMask.rawValue
    guard [0, 0x2000, 0x4000].contains(order) else { return nil }
    let (isFirst, hasAlpha, isPremultiplied): (Bool, Bool, Bool) =
      switch kind {
      case .none: (false, false, true)
      case .premultipliedLast: (false, true, true)
      case .premultipliedFirst: (true, true, true)
      case .last: (false, true, false)
      case .first: (true, true, false)
      case .noneSkipLast: (false, false, true)
      case .noneSkipFirst: (true, false, true)
      case .alphaOnly: (false, true, true)
      }
    let byteCount = bitsPerPixel / 8
    switch (kind, model, byteCount) {
    case (.alphaOnly, _, 1): self.init(byteCount: 1, red: 0, green: 0, blue: 0, alpha: 0, isPremultiplied: true, isMask: true)
    case (.none, .monochrome, 1):
      self.init(byteCount: 1, red: 0, green: 0, blue: 0, alpha: nil, isPremultiplied: true, isMask: false)
    case (.none, .rgb, 3) where order != 0x2000:
      self.init(byteCount: 3, red: 0, green: 1, blue: 2, alpha: nil, isPremultiplied: true, isMask: false)
    case (.premultipliedLast, .monochrome, 2), (.last, .monochrome, 2):
      self.init(byteCount: 2, red: 0, green: 0, blue: 0, alpha: 1, isPremultiplied: isPremultiplied, isMask: false)
    case (.none, _, _), (.alphaOnly, _, _): return nil
    case (_, .rgb, 4):
      var places = isFirst ? [1, 2, 3, 0] : [0, 1, 2, 3]
      if order == 0x2000 { places = places.map { 3 - $0 } }
      self.init(
        byteCount: 4, red: places[0], green: places[1], blue: places[2], alpha: hasAlpha ? places[3] : nil,
        isPremultiplied: isPremultiplied, isMask: false)
    default: return nil
    }
  }

  var isGray: Bool { red == green && !isMask }
}
