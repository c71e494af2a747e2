/// A share of a mixture, in units of 1/65536: 0 is nothing, 65536 is all of it.
///
/// A step is at most 1/257 of a code value at 8 bits, and at most one code value at 16 bits.
package struct Weight: Hashable {
  package static let unit: UInt32 = 65536
  package static let none = Weight(0)
  package static let all = Weight(1)

  /// The share in units, 0...65536.
  package let rawValue: UInt32

  /// Makes the nearest weight. Shares outside 0...1 count as the nearer end.
  package init(_ share: Double) {
    rawValue = UInt32((min(max(share, 0), 1) * Double(Self.unit)).rounded())
  }
}
