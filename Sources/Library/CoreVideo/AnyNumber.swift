@_exported public import CoreVideo.CVPixelBuffer
@_exported public import CoreFoundation

/// Reads numbers out of dictionaries with values of any type. Foundation on Linux bridges few of them.
package enum AnyNumber {
  /// The whole number that a value stands for; nil where it is none.
  package static func whole(_ value: Any?) -> Int? {
    switch value {
    case let value as any BinaryInteger: Int(exactly: value)
    case let value as Double: Int(exactly: value)
    case let value as Float: Int(exactly: value)
    case let value as CGFloat: Int(exactly: Double(value))
    case let value as Bool: value ? 1 : 0
    case let value as NSNumber: Int(exactly: value.doubleValue)
    default: nil
    }
  }

  /// The number that a value stands for; nil where it is none.
  package static func real(_ value: Any?) -> Double? {
    switch value {
    case let value as any BinaryInteger: Double(value)
    case let value as Double: value
    case let value as Float: Double(value)
    case let value as CGFloat: Double(value)
    case let value as NSNumber: value.doubleValue
    default: nil
    }
  }

  /// The truth that a value stands for; nil where it is none.
  package static func truth(_ value: Any?) -> Bool? {
    switch value {
    case let value as Bool: value
    case let value as NSNumber: value.boolValue
    default: nil
    }
  }
}
