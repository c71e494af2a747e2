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
  private static func rgb(_ red: Int, _ green: Int, _ blue: Int, _ alpha: CGFloat = 1) -> UIColor {
    UIColor(red: CGFloat(red) / 255, green: CGFloat(green) / 255, blue: CGFloat(blue) / 255, alpha: alpha)
  }

  public class var black: UIColor { UIColor(white: 0, alpha: 1) }
  public class var darkGray: UIColor { UIColor(white: 1.0 / 3, alpha: 1) }
  public class var lightGray: UIColor { UIColor(white: 2.0 / 3, alpha: 1) }
  public class var white: UIColor { UIColor(white: 1, alpha: 1) }
  public class var gray: UIColor { UIColor(white: 0.5, alpha: 1) }
  public class var red: UIColor { UIColor(red: 1, green: 0, blue: 0, alpha: 1) }
  public class var green: UIColor { UIColor(red: 0, green: 1, blue: 0, alpha: 1) }
  public class var blue: UIColor { UIColor(red: 0, green: 0, blue: 1, alpha: 1) }
  public class var cyan: UIColor { UIColor(red: 0, green: 1, blue: 1, alpha: 1) }
  public class var yellow: UIColor { UIColor(red: 1, green: 1, blue: 0, alpha: 1) }
  public class var magenta: UIColor { UIColor(red: 1, green: 0, blue: 1, alpha: 1) }
  public class var orange: UIColor { UIColor(red: 1, green: 0.5, blue: 0, alpha: 1) }
  public class var purple: UIColor { UIColor(red: 0.5, green: 0, blue: 0.5, alpha: 1) }
  public class var brown: UIColor { UIColor(red: 0.6, green: 0.4, blue: 0.2, alpha: 1) }
  public class var clear: UIColor { UIColor(white: 0, alpha: 0) }

  // These are the light appearance's colours.
  public class var systemRed: UIColor { rgb(255, 59, 48) }
  public class var systemGreen: UIColor { rgb(52, 199, 89) }
  public class var systemBlue: UIColor { rgb(0, 122, 255) }
  public class var systemOrange: UIColor { rgb(255, 149, 0) }
  public class var systemYellow: UIColor { rgb(255, 204, 0) }
  public class var systemPink: UIColor { rgb(255, 45, 85) }
  public class var systemPurple: UIColor { rgb(175, 82, 222) }
  public class var systemTeal: UIColor { rgb(48, 176, 199) }
  public class var systemIndigo: UIColor { rgb(88, 86, 214) }
  public class var systemBrown: UIColor { rgb(162, 132, 94) }
  public class var systemMint: UIColor { rgb(0, 199, 190) }
  public class var systemCyan: UIColor { rgb(50, 173, 230) }
  public class var systemGray: UIColor { rgb(142, 142, 147) }
  public class var systemGray2: UIColor { rgb(174, 174, 178) }
  public class var systemGray3: UIColor { rgb(199, 199, 204) }
  public class var systemGray4: UIColor { rgb(209, 209, 214) }
  public class var systemGray5: UIColor { rgb(229, 229, 234) }
  public class var systemGray6: UIColor { rgb(242, 242, 247) }
  public class var label: UIColor { .black }
  public class var secondaryLabel: UIColor { rgb(60, 60, 67, 0.6) }
  public class var tertiaryLabel: UIColor { rgb(60, 60, 67, 0.3) }
  public class var systemBackground: UIColor { .white }
  public class var secondarySystemBackground: UIColor { rgb(242, 242, 247) }
  public class var separator: UIColor { rgb(60, 60, 67, 0.29) }
  public class var tintColor: UIColor { rgb(0, 122, 255) }
}
