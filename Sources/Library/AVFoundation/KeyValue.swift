/// The arithmetic of animations' values, which may be of any type that a layer's property has.
enum KeyValue {
  /// The numbers of which a value consists; nil for a value that is no number of such.
  static func numbers(_ value: Any) -> [Double]? {
    switch value {
    case let value as Double: [value]
    case let value as CGFloat: [Double(value)]
    case let value as Float: [decimal(value)]
    case let value as Int: [Double(value)]
    case let value as NSNumber: [value.doubleValue]
    case let value as CGPoint: [value.x, value.y]
    case let value as CGSize: [value.width, value.height]
    case let value as CGRect: [value.minX, value.minY, value.width, value.height]
    case let value as CATransform3D: value.terms.map { Double($0) }
    case let value as CGColor: value.sRGB.map { Double($0) }
    default: nil
    }
  }

  /// The length of the way from one value to another; nil for values that are not of one type.
  static func distance(_ one: Any, _ other: Any) -> Double? {
    guard let (one, other) = pair(one, other) else { return nil }
    return zip(one, other).reduce(0) { $0 + ($1.0 - $1.1) * ($1.0 - $1.1) }.squareRoot()
  }

  /// The sum of a value and so many times another one; nil for values that have no sum.
  static func sum(_ one: Any, _ other: Any, times factor: Double = 1) -> Any? {
    guard let (left, right) = pair(one, other) else { return nil }
    let sum = zip(left, right).map { $0 + factor * $1 }
    switch one {
    case is CGPoint: return CGPoint(x: sum[0], y: sum[1])
    case is CGSize: return CGSize(width: sum[0], height: sum[1])
    case is CGRect: return CGRect(x: sum[0], y: sum[1], width: sum[2], height: sum[3])
    case is CATransform3D, is CGColor: return nil
    default: return sum[0]
    }
  }

  /// The value with another one added so many times, as Core Animation adds values: numbers are summed up, and transforms follow each
  /// other, this one first. It is nil for values that are not added.
  static func added(_ one: Any, _ other: Any, times count: Int) -> Any? {
    guard let first = one as? CATransform3D, let step = other as? CATransform3D else {
      return sum(one, other, times: Double(count))
    }
    return (0..<count).reduce(first) { map, _ in CATransform3DConcat(map, step) }
  }

  /// The value that changes nothing where it is added; nil for values that are not added.
  static func nothing(like value: Any) -> Any? { value is CATransform3D ? CATransform3DIdentity : sum(value, value, times: -1) }

  private static func pair(_ one: Any, _ other: Any) -> ([Double], [Double])? {
    guard let left = numbers(one), let right = numbers(other), left.count == right.count else { return nil }
    return (left, right)
  }
}
