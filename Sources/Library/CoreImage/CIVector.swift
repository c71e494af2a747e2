@_exported public import CoreImage.CIImage
@_exported public import CoreGraphics
@_exported public import ImageIO

/// A list of numbers for filters.
open class CIVector: NSObject, NSCopying, @unchecked Sendable {
  // A vector is not changed after it was made.
  package let values: [CGFloat]

  public init(values: UnsafePointer<CGFloat>, count: Int) {
    self.values = unsafe Array(UnsafeBufferPointer(start: values, count: count))
  }
  package init(_ values: [CGFloat]) { self.values = values }
  public convenience init(x: CGFloat) { self.init([x]) }
  public convenience init(x: CGFloat, y: CGFloat) { self.init([x, y]) }
  public convenience init(x: CGFloat, y: CGFloat, z: CGFloat) { self.init([x, y, z]) }
  public convenience init(x: CGFloat, y: CGFloat, z: CGFloat, w: CGFloat) { self.init([x, y, z, w]) }
  public convenience init(cgPoint p: CGPoint) { self.init([p.x, p.y]) }
  public convenience init(cgRect r: CGRect) { self.init([r.minX, r.minY, r.width, r.height]) }
  public convenience init(cgAffineTransform t: CGAffineTransform) { self.init([t.a, t.b, t.c, t.d, t.tx, t.ty]) }

  /// Reads numbers between brackets, such as "[1 0 0 0]".
  public convenience init(string representation: String) {
    self.init(representation.split { "[], ".contains($0) }.compactMap { Double($0).map { CGFloat($0) } })
  }

  open func value(at index: Int) -> CGFloat { values.indices.contains(index) ? values[index] : 0 }
  open var count: Int { values.count }
  open var x: CGFloat { value(at: 0) }
  open var y: CGFloat { value(at: 1) }
  open var z: CGFloat { value(at: 2) }
  open var w: CGFloat { value(at: 3) }
  open var cgPointValue: CGPoint { CGPoint(x: x, y: y) }
  open var cgRectValue: CGRect { CGRect(x: x, y: y, width: z, height: w) }
  open var cgAffineTransformValue: CGAffineTransform { CGAffineTransform(x, y, z, w, value(at: 4), value(at: 5)) }
  open var stringRepresentation: String { "[" + values.map { String(Double($0)) }.joined(separator: " ") + "]" }
  open func copy(with zone: NSZone? = nil) -> Any { self }
  open override func isEqual(_ object: Any?) -> Bool { (object as? CIVector)?.values == values }
  open override var hash: Int { values.hashValue }
}

/// A colour for filters, of sRGB, with alpha that is not multiplied in.
open class CIColor: NSObject, NSCopying, ColorConvertible, @unchecked Sendable {
  // A colour is not changed after it was made.
  public let cgColor: CGColor
  private let parts: [CGFloat]

  public init(cgColor: CGColor) { (self.cgColor, parts) = (cgColor, cgColor.sRGB) }
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat) { self.init(red: red, green: green, blue: blue, alpha: 1) }
  public convenience init(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat) {
    self.init(cgColor: CGColor(srgbRed: red, green: green, blue: blue, alpha: alpha))
  }

  /// Makes a colour of a space of RGB; nil for another one.
  public convenience init?(red: CGFloat, green: CGFloat, blue: CGFloat, alpha: CGFloat, colorSpace: CGColorSpace) {
    guard colorSpace.model == .rgb, let color = unsafe CGColor(colorSpace: colorSpace, components: [red, green, blue, alpha])
    else { return nil }
    self.init(cgColor: color)
  }

  public convenience init?(red: CGFloat, green: CGFloat, blue: CGFloat, colorSpace: CGColorSpace) {
    self.init(red: red, green: green, blue: blue, alpha: 1, colorSpace: colorSpace)
  }

  /// Reads three or four numbers.
  public convenience init(string representation: String) {
    let vector = CIVector(string: representation)
    self.init(red: vector.x, green: vector.y, blue: vector.z, alpha: vector.count > 3 ? vector.w : 1)
  }

  open var red: CGFloat { parts[0] }
  open var green: CGFloat { parts[1] }
  open var blue: CGFloat { parts[2] }
  open var alpha: CGFloat { parts[3] }
  open var numberOfComponents: Int { 4 }
  open var colorSpace: CGColorSpace { cgColor.colorSpace ?? CGColorSpaceCreateDeviceRGB() }
  open var stringRepresentation: String { parts.map { String(Double($0)) }.joined(separator: " ") }

  public class var black: CIColor { CIColor(red: 0, green: 0, blue: 0) }
  public class var white: CIColor { CIColor(red: 1, green: 1, blue: 1) }
  public class var gray: CIColor { CIColor(red: 0.5, green: 0.5, blue: 0.5) }
  public class var red: CIColor { CIColor(red: 1, green: 0, blue: 0) }
  public class var green: CIColor { CIColor(red: 0, green: 1, blue: 0) }
  public class var blue: CIColor { CIColor(red: 0, green: 0, blue: 1) }
  public class var cyan: CIColor { CIColor(red: 0, green: 1, blue: 1) }
  public class var magenta: CIColor { CIColor(red: 1, green: 0, blue: 1) }
  public class var yellow: CIColor { CIColor(red: 1, green: 1, blue: 0) }
  public class var clear: CIColor { CIColor(red: 0, green: 0, blue: 0, alpha: 0) }

  open func copy(with zone: NSZone? = nil) -> Any { self }
  open override func isEqual(_ object: Any?) -> Bool { (object as? CIColor)?.parts == parts }
  open override var hash: Int { parts.hashValue }
}
