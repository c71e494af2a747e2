@_exported public import CoreImage
@_exported public import QuartzCore
@_exported public import UIFoundation

/// A colour of sRGB, or of a gray.
/// - Partly: one appearance: the light one
open class UIColor: NSObject, NSCopying, ColorConvertible, _ExpressibleByColorLiteral, @unchecked Sendable {
  // A colour is not changed after it was made.
  public let cgColor: CGColor

  public init(cgColor: CGColor) { self.cgColor = cgColor }

  /// Makes a colour. Parts outside of 0...1 are those of extended sRGB.
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(cgColor: CGColor(red: red, green: green, blue: blue, alpha: alpha))
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

  /// Makes a colour that depends on traits. There are none here, so it is asked once.
  public convenience init(dynamicProvider: @escaping (UITraitCollection) -> UIColor) {
    self.init(cgColor: dynamicProvider(UITraitCollection()).cgColor)
  }

  /// Makes a colour of sRGB, as an editor writes one: `#colorLiteral(red: 1, green: 0, blue: 0, alpha: 1)`.
  public required convenience init(_colorLiteralRed red: Float, green: Float, blue: Float, alpha: Float) {
    self.init(red: CGFloat(red), green: CGFloat(green), blue: CGFloat(blue), alpha: CGFloat(alpha))
  }

  open func withAlphaComponent(_ alpha: CGFloat) -> UIColor { UIColor(cgColor: cgColor.copy(alpha: alpha) ?? cgColor) }
  public var ciColor: CIColor { CIColor(cgColor: cgColor) }

  @discardableResult
  open func getRed(
    _ red: UnsafeMutablePointer<CGFloat>?, green: UnsafeMutablePointer<CGFloat>?, blue: UnsafeMutablePointer<CGFloat>?,
    alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let parts = cgColor.sRGB
    unsafe red?.pointee = parts[0]
    unsafe green?.pointee = parts[1]
    unsafe blue?.pointee = parts[2]
    unsafe alpha?.pointee = parts[3]
    return true
  }

  @discardableResult
  open func getWhite(_ white: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?) -> Bool {
    let parts = cgColor.sRGB
    guard parts[0] == parts[1], parts[1] == parts[2] else { return false }
    unsafe white?.pointee = parts[0]
    unsafe alpha?.pointee = parts[3]
    return true
  }

  @discardableResult
  open func getHue(
    _ hue: UnsafeMutablePointer<CGFloat>?, saturation: UnsafeMutablePointer<CGFloat>?,
    brightness: UnsafeMutablePointer<CGFloat>?, alpha: UnsafeMutablePointer<CGFloat>?
  ) -> Bool {
    let place = Hexcone(of: cgColor)
    unsafe hue?.pointee = place.hue
    unsafe saturation?.pointee = place.saturation
    unsafe brightness?.pointee = place.brightness
    unsafe alpha?.pointee = cgColor.alpha
    return true
  }

  /// Sets the colour of fills and strokes on the context that is drawn on now.
  open func set() {
    setFill()
    setStroke()
  }
  open func setFill() { DrawingStack.current?.context.setFillColor(cgColor) }
  open func setStroke() { DrawingStack.current?.context.setStrokeColor(cgColor) }

  open func copy(with zone: NSZone? = nil) -> Any { self }
  open override func isEqual(_ object: Any?) -> Bool { (object as? UIColor)?.cgColor == cgColor }
  open override var hash: Int { cgColor.hash }
  open override var description: String { "UIColor(sRGB \(cgColor.sRGB))" }
  open func resolvedColor(with traitCollection: UITraitCollection) -> UIColor { self }
}

/// Traits that a view's colours may depend on elsewhere. There is one appearance here.
open class UITraitCollection: NSObject {
  open var displayScale: CGFloat { 1 }
  open var userInterfaceStyle: UIUserInterfaceStyle { .light }
  public override init() {}
  open class var current: UITraitCollection { UITraitCollection() }
}

public enum UIUserInterfaceStyle: Int, Sendable { case unspecified, light, dark }

extension UIColor {
  public class var black: UIColor { UIColor(cgColor: LightColor.black) }
  public class var darkGray: UIColor { UIColor(cgColor: LightColor.darkGray) }
  public class var lightGray: UIColor { UIColor(cgColor: LightColor.lightGray) }
  public class var white: UIColor { UIColor(cgColor: LightColor.white) }
  public class var gray: UIColor { UIColor(cgColor: LightColor.gray) }
  public class var red: UIColor { UIColor(cgColor: LightColor.red) }
  public class var green: UIColor { UIColor(cgColor: LightColor.green) }
  public class var blue: UIColor { UIColor(cgColor: LightColor.blue) }
  public class var cyan: UIColor { UIColor(cgColor: LightColor.cyan) }
  public class var yellow: UIColor { UIColor(cgColor: LightColor.yellow) }
  public class var magenta: UIColor { UIColor(cgColor: LightColor.magenta) }
  public class var orange: UIColor { UIColor(cgColor: LightColor.orange) }
  public class var purple: UIColor { UIColor(cgColor: LightColor.purple) }
  public class var brown: UIColor { UIColor(cgColor: LightColor.brown) }
  public class var clear: UIColor { UIColor(cgColor: LightColor.clear) }

  // These are the light appearance's colours.
  public class var systemRed: UIColor { UIColor(cgColor: LightColor.systemRed) }
  public class var systemGreen: UIColor { UIColor(cgColor: LightColor.systemGreen) }
  public class var systemBlue: UIColor { UIColor(cgColor: LightColor.systemBlue) }
  public class var systemOrange: UIColor { UIColor(cgColor: LightColor.systemOrange) }
  public class var systemYellow: UIColor { UIColor(cgColor: LightColor.systemYellow) }
  public class var systemPink: UIColor { UIColor(cgColor: LightColor.systemPink) }
  public class var systemPurple: UIColor { UIColor(cgColor: LightColor.systemPurple) }
  public class var systemTeal: UIColor { UIColor(cgColor: LightColor.systemTeal) }
  public class var systemIndigo: UIColor { UIColor(cgColor: LightColor.systemIndigo) }
  public class var systemBrown: UIColor { UIColor(cgColor: LightColor.systemBrown) }
  public class var systemMint: UIColor { UIColor(cgColor: LightColor.systemMint) }
  public class var systemCyan: UIColor { UIColor(cgColor: LightColor.systemCyan) }
  public class var systemGray: UIColor { UIColor(cgColor: LightColor.systemGray) }
  public class var systemGray2: UIColor { UIColor(cgColor: LightColor.rgb((174, 174, 178))) }
  public class var systemGray3: UIColor { UIColor(cgColor: LightColor.rgb((199, 199, 204))) }
  public class var systemGray4: UIColor { UIColor(cgColor: LightColor.rgb((209, 209, 214))) }
  public class var systemGray5: UIColor { UIColor(cgColor: LightColor.rgb((229, 229, 234))) }
  public class var systemGray6: UIColor { UIColor(cgColor: LightColor.rgb((242, 242, 247))) }
  public class var label: UIColor { .black }
  public class var secondaryLabel: UIColor { UIColor(cgColor: LightColor.secondaryLabel) }
  public class var tertiaryLabel: UIColor { UIColor(cgColor: LightColor.tertiaryLabel) }
  public class var systemBackground: UIColor { .white }
  public class var secondarySystemBackground: UIColor { UIColor(cgColor: LightColor.rgb((242, 242, 247))) }
  public class var separator: UIColor { UIColor(cgColor: LightColor.rgb((60, 60, 67), alpha: 0.29)) }
  public class var tintColor: UIColor { UIColor(cgColor: LightColor.rgb((0, 122, 255))) }
}
