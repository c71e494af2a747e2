/// A colour of a space, with alpha that is not multiplied in.
public final class CGColor: NSObject, Sendable {
  public let colorSpace: CGColorSpace?
  /// The parts of the space, and alpha; mostly 0...1.
  private let values: [CGFloat]

  private init(_ space: CGColorSpace, _ values: [CGFloat]) { (colorSpace, self.values) = (space, values) }

  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(.deviceRGB, [red, green, blue, alpha])
  }

  public convenience init(srgbRed red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(CGColorSpace(name: CGColorSpace.sRGB) ?? .deviceRGB, [red, green, blue, alpha])
  }

  public convenience init(gray: CGFloat, alpha: CGFloat) { self.init(.deviceGray, [gray, alpha]) }

  public convenience init(genericGrayGamma2_2Gray gray: CGFloat, alpha: CGFloat) {
    self.init(CGColorSpace(name: CGColorSpace.genericGrayGamma2_2) ?? .deviceGray, [gray, alpha])
  }

  /// Makes a colour of a space.
  ///
  /// - Parameter components: the address of the space's parts, and alpha.
  public convenience init?(colorSpace space: CGColorSpace, components: UnsafePointer<CGFloat>) {
    self.init(space, unsafe Array(UnsafeBufferPointer(start: components, count: space.numberOfComponents + 1)))
  }

  public static let white = CGColor(gray: 1, alpha: 1)
  public static let black = CGColor(gray: 0, alpha: 1)
  public static let clear = CGColor(gray: 0, alpha: 0)

  public var alpha: CGFloat { values.last ?? 1 }
  public var numberOfComponents: Int { values.count }
  public var components: [CGFloat]? { values }

  public func copy(alpha: CGFloat) -> CGColor? { CGColor(colorSpace ?? .deviceRGB, values.dropLast() + [alpha]) }

  /// Converts the colour; nil where a space is not one that is made.
  public func converted(to space: CGColorSpace, intent: CGColorRenderingIntent, options: CFDictionary?) -> CGColor? {
    let parts = parts(in: space)
    return CGColor(space, space.model == .monochrome ? [parts[0], parts[3]] : parts)
  }

  /// Red, green and blue of the colour in a space, and alpha.
  package func parts(in space: CGColorSpace) -> [CGFloat] {
    let own = colorSpace ?? .deviceRGB
    let color = own.model == .monochrome ? (values[0], values[0], values[0]) : (values[0], values[1], values[2])
    let made = ColorConversion(from: own, to: space).convert((Double(color.0), Double(color.1), Double(color.2)))
    return [CGFloat(made.0), CGFloat(made.1), CGFloat(made.2), alpha]
  }

  /// Red, green and blue of sRGB, and alpha.
  package var sRGB: [CGFloat] { parts(in: .deviceRGB) }

  /// Colours are equal where their parts in sRGB are, because a caller may have named a space or not.
  public override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? CGColor else { return false }
    return sRGB == other.sRGB
  }
  public override var hash: Int { sRGB.hashValue }
  public override var description: String { "CGColor(\(colorSpace?.name ?? "sRGB") \(values))" }
}

/// Something that is a colour, such as UIColor and NSColor.
package protocol ColorConvertible {
  var cgColor: CGColor { get }
}

extension CGColor: ColorConvertible {
  package var cgColor: CGColor { self }
}

/// The colour that a value of an attribute is.
package func color(of value: Any?) -> CGColor? { (value as? any ColorConvertible)?.cgColor }
