internal import AVFoundation

#if canImport(ObjectiveC)
  // On Apple's systems every conditional cast to a type of Core Foundation succeeds, so the value's own type is asked for.
  func graphicsColor(_ value: Any) -> CGColor? {
    let object = value as CFTypeRef
    return CFGetTypeID(object) == CGColor.typeID ? unsafe unsafeDowncast(object, to: CGColor.self) : nil
  }
  func graphicsImage(_ value: Any) -> CGImage? {
    let object = value as CFTypeRef
    return CFGetTypeID(object) == CGImage.typeID ? unsafe unsafeDowncast(object, to: CGImage.self) : nil
  }
  /// A structure that Core Animation wraps.
  func point(_ value: Any) -> CGPoint? { (value as? NSValue)?.cgPointOfClient }
  func transform(_ value: Any) -> CATransform3D? { (value as? NSValue)?.caTransform3DValue }
  func size(_ value: Any) -> CGSize? { (value as? NSValue)?.cgSizeOfClient }
  func rect(_ value: Any) -> CGRect? { (value as? NSValue)?.cgRectOfClient }

  extension NSValue {
    fileprivate var cgPointOfClient: CGPoint {
      #if canImport(UIKit)
        cgPointValue
      #else
        pointValue
      #endif
    }

    fileprivate var cgSizeOfClient: CGSize {
      #if canImport(UIKit)
        cgSizeValue
      #else
        sizeValue
      #endif
    }

    fileprivate var cgRectOfClient: CGRect {
      #if canImport(UIKit)
        cgRectValue
      #else
        rectValue
      #endif
    }
  }
#else
  func graphicsColor(_ value: Any) -> CGColor? { value as? CGColor }
  func graphicsImage(_ value: Any) -> CGImage? { value as? CGImage }
  func point(_ value: Any) -> CGPoint? { value as? CGPoint }
  func size(_ value: Any) -> CGSize? { value as? CGSize }
  func rect(_ value: Any) -> CGRect? { value as? CGRect }
  func transform(_ value: Any) -> CATransform3D? {
    (value as? CATransform3D) ?? (value as? CGAffineTransform).map(CATransform3DMakeAffineTransform)
  }
#endif

/// The number that Core Animation was given for a property.
func number(_ value: Any) -> Double? {
  switch value {
  case let value as Bool: value ? 1 : 0
  case let value as Float: decimal(value)
  case let value as CGFloat: Double(value)
  case let value as Double: value
  case let value as Int: Double(value)
  case let value as NSNumber: value.doubleValue
  default: nil
  }
}
