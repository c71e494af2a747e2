extension CGColor {
  /// Makes a colour of the space that its name says.
  package static func displayP3(_ red: CGFloat, _ green: CGFloat, _ blue: CGFloat, alpha: CGFloat) -> CGColor {
    let parts = [red, green, blue, alpha]
    let space = CGColorSpace(name: CGColorSpace.displayP3) ?? CGColorSpaceCreateDeviceRGB()
    return unsafe CGColor(colorSpace: space, components: parts) ?? .black
  }
}

/// The colours that UIKit and AppKit have names for, in their light appearance.
package enum LightColor {
  /// - Parameter parts: red, green and blue, up to 255.
  package static func rgb(_ parts: (Int, Int, Int), alpha: CGFloat = 1) -> CGColor {
    CGColor(red: CGFloat(parts.0) / 255, green: CGFloat(parts.1) / 255, blue: CGFloat(parts.2) / 255, alpha: alpha)
  }
  private static func shade(_ white: CGFloat, alpha: CGFloat = 1) -> CGColor { CGColor(gray: white, alpha: alpha) }
  private static func color(_ red: CGFloat, _ green: CGFloat, _ blue: CGFloat) -> CGColor {
    CGColor(red: red, green: green, blue: blue, alpha: 1)
  }

  package static var black: CGColor { shade(0) }
  package static var darkGray: CGColor { shade(1.0 / 3) }
  package static var lightGray: CGColor { shade(2.0 / 3) }
  package static var white: CGColor { shade(1) }
  package static var gray: CGColor { shade(0.5) }
  package static var clear: CGColor { shade(0, alpha: 0) }
  package static var red: CGColor { color(1, 0, 0) }
  package static var green: CGColor { color(0, 1, 0) }
  package static var blue: CGColor { color(0, 0, 1) }
  package static var cyan: CGColor { color(0, 1, 1) }
  package static var yellow: CGColor { color(1, 1, 0) }
  package static var magenta: CGColor { color(1, 0, 1) }
  package static var orange: CGColor { color(1, 0.5, 0) }
  package static var purple: CGColor { color(0.5, 0, 0.5) }
  package static var brown: CGColor { color(0.6, 0.4, 0.2) }

  package static var systemRed: CGColor { rgb((255, 59, 48)) }
  package static var systemGreen: CGColor { rgb((52, 199, 89)) }
  package static var systemBlue: CGColor { rgb((0, 122, 255)) }
  package static var systemOrange: CGColor { rgb((255, 149, 0)) }
  package static var systemYellow: CGColor { rgb((255, 204, 0)) }
  package static var systemPink: CGColor { rgb((255, 45, 85)) }
  package static var systemPurple: CGColor { rgb((175, 82, 222)) }
  package static var systemTeal: CGColor { rgb((48, 176, 199)) }
  package static var systemIndigo: CGColor { rgb((88, 86, 214)) }
  package static var systemBrown: CGColor { rgb((162, 132, 94)) }
  package static var systemMint: CGColor { rgb((0, 199, 190)) }
  package static var systemCyan: CGColor { rgb((50, 173, 230)) }
  package static var systemGray: CGColor { rgb((142, 142, 147)) }
  package static var secondaryLabel: CGColor { rgb((60, 60, 67), alpha: 0.6) }
  package static var tertiaryLabel: CGColor { rgb((60, 60, 67), alpha: 0.3) }
}
