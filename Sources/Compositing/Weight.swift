/// A share of a mixture in units of 1/65536: 0 is none, 65536 all of it.
///
/// At 8 bits the step is 1/257 of a code value at the most, at 16 bits one code value.
package struct Weight: Hashable {
  package static let unit: UInt32 = 65536
  package static let none = Weight(0)
  package static let all = Weight(1)

  /// 0...65536.
  package let rawValue: UInt32

  /// The nearest weight; values outside 0...1 count as the nearer end.
  package init(_ share: Double) {
    rawValue = UInt32((min(max(share, 0), 1) * Double(Self.unit)).rounded())
  }
}
