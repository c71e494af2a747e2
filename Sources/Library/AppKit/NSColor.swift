@_exported public import CoreImage
@_exported public import QuartzCore
@_exported public import UIFoundation

/// A colour of sRGB, or of a gray.
/// - Partly: one appearance: the light one
open class NSColor: NSObject, NSCopying, ColorConvertible, _ExpressibleByColorLiteral, @unchecked Sendable {
  // A colour is not changed after it was made.
  public let cgColor: CGColor

  public init(cgColor: CGColor) { self.cgColor = cgColor }

  /// Makes a colour. Parts outside of 0...1 are those of extended sRGB.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(cgColor: CGColor(red: red, green: green, blue: blue, alpha: alpha))
  }

  /// Makes a colour of sRGB, as an editor writes one: `#colorLiteral(red: 1, green: 0, blue: 0, alpha: 1)`.
  public required convenience init(_colorLiteralRed red: Float, green: Float, blue: Float, alpha: Float) {
    self.init(red: CGFloat(red), green: CGFloat(green), blue: CGFloat(blue), alpha: CGFloat(alpha))
  }

  public convenience init(white: CGFloat, alpha: CGFloat) { self.init(cgColor: CGColor(gray: white, alpha: alpha)) }
  public convenience init(ciColor: CIColor) {
    self.init(red: ciColor.red, green: ciColor.green, blue: ciColor.blue, alpha: ciColor.alpha)
  }

  public convenience init(displayP3Red red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    let parts = [red, green, blue, alpha]
    let space = CGColorSpace(name: CGColorSpace.displayP3) ?? CGColorSpaceCreateDeviceRGB()
    self.init(cgColor: unsafe CGColor(colorSpace: space, components: parts) ?? .black)
  }

  /// Makes a colour by its place in the hexcone of red, green and blue: all parts are 0...1.
  public convenience init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
    let sector = hue.truncatingRemainder(dividingBy: 1) * 6
    func part(_ n: CGFloat) -> CGFloat {
      let k = (n + sector).truncatingRemainder(dividingBy: 6)
      return brightness - brightness * saturation * max(0, min(k, 4 - k, 1))
    }
    self.init(red: part(5), green: part(3), blue: part(1), alpha: alpha)
  }

  public convenience init(calibratedRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(red: red, green: green, blue: blue, alpha: alpha)
  }
  public convenience init(deviceRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(red: red, green: green, blue: blue, alpha: alpha)
  }
  public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(red: red, green: green, blue: blue, alpha: alpha)
  }
  public convenience init(calibratedWhite white: CGFloat, alpha: CGFloat) { self.init(white: white, alpha: alpha) }
  public convenience init(deviceWhite white: CGFloat, alpha: CGFloat) { self.init(white: white, alpha: alpha) }

  open var redComponent: CGFloat { cgColor.sRGB[0] }
  open var greenComponent: CGFloat { cgColor.sRGB[1] }
  open var blueComponent: CGFloat { cgColor.sRGB[2] }
  open var alphaComponent: CGFloat { cgColor.sRGB[3] }
  open func usingColorSpace(_ space: NSColorSpace) -> NSColor? { self }

  open func withAlphaComponent(_ alpha: CGFloat) -> NSColor { NSColor(cgColor: cgColor.copy(alpha: alpha) ?? cgColor) }
  public var ciColor: CIColor { CIColor(cgColor: cgColor) }

  open func getRed(
    _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?, blue: UnsafeMutablePointer<CGFloat>?,
    alpha: UnsafeMutablePointer<CGFloat>?
  ) {
    let parts = cgColor.sRGB
    unsafe red?.pointee = parts[0]
    unsafe green?.pointee = parts[1]
    unsafe blue?.pointee = parts[2]
    unsafe alpha?.pointee = parts[3]
  }

  open func getWhite(_ white: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?) {
    let parts = cgColor.sRGB
    unsafe white?.pointee = parts[0]
    unsafe alpha?.pointee = parts[3]
  }

  open func getHue(
    _ hue: UnsafeMutablePointer<CGFloat>?, saturation: UnsafeMutablePointer<CGFloat>?,
    brightness: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
  ) {
    let parts = cgColor.sRGB
    let (r, g, b) = (parts[0], parts[1], parts[2])
    let (most, least) = (max(r, g, b), min(r, g, b))
    let range = most - least
    var sector: CGFloat = 0
    if range > 0 { sector = most == r ? (g - b) / range : most == g ? (b - r) / range + 2 : (r - g) / range + 4 }
    unsafe hue?.pointee = (sector < 0 ? sector + 6 : sector) / 6
    unsafe saturation?.pointee = most == 0 ? 0 : range / most
    unsafe brightness?.pointee = most
    unsafe alpha?.pointee = parts[3]
  }

  /// Sets the colour of fills and strokes on the context that is drawn on now.
  open func set() {
    setFill()
    setStroke()
  }
  open func setFill() { DrawingStack.current?.context.setFillColor(cgColor) }
  open func setStroke() { DrawingStack.current?.context.setStrokeColor(cgColor) }

  open func copy(with zone: NSZone? = nil) -> Any { self }
  open override func isEqual(_ object: Any?) -> Bool { (object as? NSColor)?.cgColor == cgColor }
  open override var hash: Int { cgColor.hash }
  open override var description: String { "NSColor(sRGB \(cgColor.sRGB))" }
}

/// A space of colours. All colours are kept with their own.
open class NSColorSpace: NSObject, @unchecked Sendable {
  // A space is not changed after it was made.
  public let cgColorSpace: CGColorSpace?
  public init?(cgColorSpace: CGColorSpace) { self.cgColorSpace = cgColorSpace }
  open class var sRGB: NSColorSpace { NSColorSpace(cgColorSpace: CGColorSpaceCreateDeviceRGB()) ?? deviceRGB }
  open class var deviceRGB: NSColorSpace { made }
  open class var genericRGB: NSColorSpace { made }
  private static let made = NSColorSpace()
  private override init() { cgColorSpace = CGColorSpaceCreateDeviceRGB() }
}

extension NSColor {
  private static func rgb(_ red: Int, _ green: Int, _ blue: Int, _ alpha: CGFloat = 1) -> NSColor {
    NSColor(red: CGFloat(red) / 255, green: CGFloat(green) / 255, blue: CGFloat(blue) / 255, alpha: alpha)
  }

  public class var black: NSColor { NSColor(white: 0, alpha: 1) }
  public class var darkGray: NSColor { NSColor(white: 1.0 / 3, alpha: 1) }
  public class var lightGray: NSColor { NSColor(white: 2.0 / 3, alpha: 1) }
  public class var white: NSColor { NSColor(white: 1, alpha: 1) }
  public class var gray: NSColor { NSColor(white: 0.5, alpha: 1) }
  public class var red: NSColor { NSColor(red: 1, green: 0, blue: 0, alpha: 1) }
  public class var green: NSColor { NSColor(red: 0, green: 1, blue: 0, alpha: 1) }
  public class var blue: NSColor { NSColor(red: 0, green: 0, blue: 1, alpha: 1) }
  public class var cyan: NSColor { NSColor(red: 0, green: 1, blue: 1, alpha: 1) }
  public class var yellow: NSColor { NSColor(red: 1, green: 1, blue: 0, alpha: 1) }
  public class var magenta: NSColor { NSColor(red: 1, green: 0, blue: 1, alpha: 1) }
  public class var orange: NSColor { NSColor(red: 1, green: 0.5, blue: 0, alpha: 1) }
  public class var purple: NSColor { NSColor(red: 0.5, green: 0, blue: 0.5, alpha: 1) }
  public class var brown: NSColor { NSColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1) }
  public class var clear: NSColor { NSColor(white: 0, alpha: 0) }

  // These are the light appearance's colours.
  public class var systemRed: NSColor { rgb(255, 59, 48) }
  public class var systemGreen: NSColor { rgb(52, 199, 89) }
  public class var systemBlue: NSColor { rgb(0, 122, 255) }
  public class var systemOrange: NSColor { rgb(255, 149, 0) }
  public class var systemYellow: NSColor { rgb(255, 204, 0) }
  public class var systemPink: NSColor { rgb(255, 45, 85) }
  public class var systemPurple: NSColor { rgb(175, 82, 222) }
  public class var systemTeal: NSColor { rgb(48, 176, 199) }
  public class var systemIndigo: NSColor { rgb(88, 86, 214) }
  public class var systemBrown: NSColor { rgb(162, 132, 94) }
  public class var systemMint: NSColor { rgb(0, 199, 190) }
  public class var systemCyan: NSColor { rgb(50, 173, 230) }
  public class var systemGray: NSColor { rgb(142, 142, 147) }
  public class var labelColor: NSColor { .black }
  public class var secondaryLabelColor: NSColor { rgb(60, 60, 67, 0.6) }
  public class var tertiaryLabelColor: NSColor { rgb(60, 60, 67, 0.3) }
  public class var windowBackgroundColor: NSColor { rgb(236, 236, 236) }
  public class var textColor: NSColor { .black }
  public class var controlAccentColor: NSColor { rgb(0, 122, 255) }
}

extension CIColor {
  public convenience init?(color: NSColor) { self.init(cgColor: color.cgColor) }
}
