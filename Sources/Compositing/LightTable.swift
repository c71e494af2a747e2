/// A function of light, tabled: exponent and first ten bits of the argument's mantissa are the index, so that steps are
/// less than a thousandth of the argument, dark or bright.
struct LightTable {
  /// 28 stops below graphics white is less than a tenth of a 10-bit code in every transfer function; 10 000 cd/m2
  /// lie below 128 in any primaries.
  static let darkest: Float = 0x1p-28
  static let brightest: Float = 127.9
  /// What is left of a `Float`'s bits, and what the first entry's bits are.
  static let shift: UInt32 = 13
  static let first = darkest.bitPattern >> shift

  let entries: [Float]

  /// The entry for an argument; what the table does not reach is brought to its ends.
  static func index(of light: Float) -> Int { Int(min(max(light, darkest), brightest).bitPattern &>> shift &- first) }

  /// Entries stand for the middle of their step, except where exactness can be seen: the first for 0, and 1 for itself.
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
