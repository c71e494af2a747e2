extension CGPoint {
  /// The numbers in brackets, as Core Graphics writes them.
  public var debugDescription: String { "(\(x), \(y))" }
}

extension CGSize {
  /// The numbers in brackets, as Core Graphics writes them.
  public var debugDescription: String { "(\(width), \(height))" }
}

extension CGRect {
  /// The numbers in brackets, as Core Graphics writes them.
  public var debugDescription: String { "(\(origin.x), \(origin.y), \(size.width), \(size.height))" }
}
