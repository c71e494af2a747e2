/// Eight neighbouring samples, as values or as light.
typealias LightVector = SIMD8<Float>

extension SIMD8<Float> {
  /// The number 2^23 in each lane. A float that it is added to has its nearest whole number in its low bits.
  // It is not stored, since the compiler would look a stored one up at each use.
  @inline(__always)
  private static var wholeNumbers: Self { SIMD8(repeating: 0x1p23) }

  @inline(__always)
  init(codes: SIMD8<UInt16>) {
    self = unsafe unsafeBitCast(
      codes.widened | SIMD8<UInt32>(repeating: Float(0x1p23).bitPattern), to: Self.self)
    self -= Self.wholeNumbers
  }

  /// The bits of each lane.
  @inline(__always)
  private var bits: SIMD8<UInt32> { unsafe unsafeBitCast(self, to: SIMD8<UInt32>.self) }

  @inline(__always)
  func within(_ low: Float, _ high: Float) -> Self {
    let raised = replacing(with: low, where: self .< low)
    return raised.replacing(with: high, where: raised .> high)
  }

  /// The nearest whole numbers, in the low 23 bits of each lane.
  ///
  /// - Precondition: every lane lies in 0..<2^23.
  @inline(__always)
  var nearest: SIMD8<UInt32> { (self + Self.wholeNumbers).bits }

  /// The index of light in a `LightTable`. Light outside the table's range is brought to its ends.
  @inline(__always)
  var lightIndex: SIMD8<UInt32> {
    (within(LightTable.darkest, LightTable.brightest).bits &>> LightTable.shift) &- LightTable.first
  }

  @inline(__always)
  func larger(_ other: Self) -> Self { replacing(with: other, where: other .> self) }
}

/// A matrix with an offset, applied to eight samples at once. Products and sums are in single precision, in this order.
struct LightMatrix {
  typealias Components = (LightVector, LightVector, LightVector)
  private let rows: (Components, Components, Components)
  private let offsets: Components

  init(_ matrix: ColorMatrix, offsets: SIMD3<Double> = SIMD3()) {
    func vector(_ value: Double) -> LightVector { LightVector(repeating: Float(value)) }
    func components(_ row: SIMD3<Double>) -> Components { (vector(row.x), vector(row.y), vector(row.z)) }
    rows = (components(matrix.rows.0), components(matrix.rows.1), components(matrix.rows.2))
    self.offsets = components(offsets)
  }

  @inline(__always)
  func apply(_ v: Components) -> Components {
    (
      Self.sum(rows.0, v, offsets.0), Self.sum(rows.1, v, offsets.1), Self.sum(rows.2, v, offsets.2)
    )
  }

  @inline(__always)
  private static func sum(_ row: Components, _ v: Components, _ offset: LightVector) -> LightVector {
    row.0 * v.0 + row.1 * v.1 + row.2 * v.2 + offset
  }
}

extension UnsafeBufferPointer<Float> {
  /// The entries at eight indices.
  ///
  /// - Precondition: each index is less than `count`.
  @inline(__always)
  func values(at indices: SIMD8<UInt32>) -> LightVector {
    unsafe LightVector(
      self[unchecked: Int(indices[0])], self[unchecked: Int(indices[1])], self[unchecked: Int(indices[2])],
      self[unchecked: Int(indices[3])], self[unchecked: Int(indices[4])], self[unchecked: Int(indices[5])],
      self[unchecked: Int(indices[6])], self[unchecked: Int(indices[7])])
  }

  @inline(__always)
  private subscript(unchecked index: Int) -> Float { unsafe baseAddress.unsafelyUnwrapped[index] }
}

// The lanes are written one by one, which the optimiser turns into one instruction. The standard library's conversions stay
// calls.
extension SIMD8<UInt16> {
  @inline(__always)
  var widened: SIMD8<UInt32> {
    SIMD8<UInt32>(
      UInt32(self[0]), UInt32(self[1]), UInt32(self[2]), UInt32(self[3]), UInt32(self[4]), UInt32(self[5]), UInt32(self[6]),
      UInt32(self[7]))
  }
}

extension SIMD8<UInt32> {
  /// The low bits of each lane.
  @inline(__always)
  func narrowed<Sample: SIMDScalar & FixedWidthInteger>(to _: Sample.Type) -> SIMD8<Sample> {
    SIMD8<Sample>(
      Sample(truncatingIfNeeded: self[0]), Sample(truncatingIfNeeded: self[1]), Sample(truncatingIfNeeded: self[2]),
      Sample(truncatingIfNeeded: self[3]), Sample(truncatingIfNeeded: self[4]), Sample(truncatingIfNeeded: self[5]),
      Sample(truncatingIfNeeded: self[6]), Sample(truncatingIfNeeded: self[7]))
  }
}
