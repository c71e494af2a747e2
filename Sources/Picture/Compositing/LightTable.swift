/// A function of light as a table. The index is the exponent and the first ten bits of the argument's mantissa. So a step is less
/// than a thousandth of the argument, in the dark and in the bright.
struct LightTable {
  /// The range of the table. 28 stops below graphics white is less than a tenth of a 10-bit code in every transfer function. 10
  /// 000 cd/m2 is below 128 in any primaries.
  static let darkest: Float = 0x1p-28
  static let brightest: Float = 127.9
  /// The number of low bits of a `Float` that the index leaves out, and the index bits of the first entry.
  static let shift: UInt32 = 13
  static let first = darkest.bitPattern >> shift

  let entries: [Float]

  /// The index of an argument's entry. Arguments outside the table's range are brought to its ends.
  static func index(of light: Float) -> Int { Int(min(max(light, darkest), brightest).bitPattern &>> shift &- first) }

  /// Makes the table. An entry is the function's value at the middle of its step, except where exactness can be seen: the first
  /// entry is the value at 0, and the entry for 1 is the value at exactly 1.
  init(_ function: (Double) -> Double) {
    let last = Self.brightest.bitPattern >> Self.shift
    let one = Float(1).bitPattern >> Self.shift
    entries = (Self.first...last).map { index in
      if index == Self.first { return Float(function(0)) }
      if index == one { return Float(function(1)) }
      return Float(function(Double(Float(bitPattern: index << Self.shift | 1 << (Self.shift - 1)))))
    }
  }
}
