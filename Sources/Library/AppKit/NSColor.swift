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
    self.init(cgColor: .displayP3(red, green, blue, alpha: alpha))
  }

  /// Makes a colour by its place in the hexcone of red, green and blue: all parts are 0...1.
  public convenience init(hue: CGFloat, saturation: CGFloat, brightness: CGFloat, alpha: CGFloat) {
    self.init(cgColor: Hexcone(hue: hue, saturation: saturation, brightness: brightness).color(alpha: alpha))
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
    let place = Hexcone(of: cgColor)
    unsafe hue?.pointee = place.hue
    unsafe saturation?.pointee = place.saturation
    unsafe brightness?.pointee = place.brightness
    unsafe alpha?.pointee = cgColor.alpha
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
  public class var black: NSColor { NSColor(cgColor: LightColor.black) }
  public class var darkGray: NSColor { NSColor(cgColor: LightColor.darkGray) }
  public class var lightGray: NSColor { NSColor(cgColor: LightColor.lightGray) }
  public class var white: NSColor { NSColor(cgColor: LightColor.white) }
  public class var gray: NSColor { NSColor(cgColor: LightColor.gray) }
  public class var red: NSColor { NSColor(cgColor: LightColor.red) }
  public class var green: NSColor { NSColor(cgColor: LightColor.green) }
  public class var blue: NSColor { NSColor(cgColor: LightColor.blue) }
  public class var cyan: NSColor { NSColor(cgColor: LightColor.cyan) }
  public class var yellow: NSColor { NSColor(cgColor: LightColor.yellow) }
  public class var magenta: NSColor { NSColor(cgColor: LightColor.magenta) }
  public class var orange: NSColor { NSColor(cgColor: LightColor.orange) }
  public class var purple: NSColor { NSColor(cgColor: LightColor.purple) }
  public class var brown: NSColor { NSColor(cgColor: LightColor.brown) }
  public class var clear: NSColor { NSColor(cgColor: LightColor.clear) }

  // These are the light appearance's colours.
  public class var systemRed: NSColor { NSColor(cgColor: LightColor.systemRed) }
  public class var systemGreen: NSColor { NSColor(cgColor: LightColor.systemGreen) }
  public class var systemBlue: NSColor { NSColor(cgColor: LightColor.systemBlue) }
  public class var systemOrange: NSColor { NSColor(cgColor: LightColor.systemOrange) }
  public class var systemYellow: NSColor { NSColor(cgColor: LightColor.systemYellow) }
  public class var systemPink: NSColor { NSColor(cgColor: LightColor.systemPink) }
  public class var systemPurple: NSColor { NSColor(cgColor: LightColor.systemPurple) }
  public class var systemTeal: NSColor { NSColor(cgColor: LightColor.systemTeal) }
  public class var systemIndigo: NSColor { NSColor(cgColor: LightColor.systemIndigo) }
  public class var systemBrown: NSColor { NSColor(cgColor: LightColor.systemBrown) }
  public class var systemMint: NSColor { NSColor(cgColor: LightColor.systemMint) }
  public class var systemCyan: NSColor { NSColor(cgColor: LightColor.systemCyan) }
  public class var systemGray: NSColor { NSColor(cgColor: LightColor.systemGray) }
  public class var labelColor: NSColor { .black }
  public class var secondaryLabelColor: NSColor { NSColor(cgColor: LightColor.secondaryLabel) }
  public class var tertiaryLabelColor: NSColor { NSColor(cgColor: LightColor.tertiaryLabel) }
  public class var windowBackgroundColor: NSColor { NSColor(cgColor: LightColor.rgb((236, 236, 236))) }
  public class var textColor: NSColor { .black }
  public class var controlAccentColor: NSColor { NSColor(cgColor: LightColor.rgb((0, 122, 255))) }
}

extension CIColor {
  public convenience init?(color: NSColor) { self.init(cgColor: color.cgColor) }
}
