/// Samples of a picture along a straight line through it. Each is the bilinear mixture of the four samples around a point. A warp
/// spends most of its time here.
///
/// It works in two steps over short runs. First the four samples of each point are gathered one by one, which vector units
/// without gathering loads cannot do faster. Then they are mixed, in 16-bit lanes where those hold the samples with a sign and
/// some fractional bits.
// Safe: rows are owned, allocated once and freed once, and never filled beyond `capacity`.
@safe struct BilinearRun<Sample: BilinearSample>: ~Copyable {
  /// The most samples in a run. They are enough to make the start of a run cheap. They are few enough that all lines of the
  /// picture that a steep run touches are still in the first-level cache when the run below it follows, wherever the cache puts
  /// the lines of one column.
  static var capacity: Int { 64 }

  private let picture: Plane
  private let bitDepth: Int
  /// The pairs of neighbouring samples, above and below each point.
  private let above: UnsafeMutablePointer<Sample.Pair>
  private let below: UnsafeMutablePointer<Sample.Pair>
  /// The fractions of each point's position, in 1/32768.
  private let across: UnsafeMutablePointer<Int16>
  private let down: UnsafeMutablePointer<Int16>
  private let result: UnsafeMutablePointer<Sample>

  init(_ picture: Plane, bitDepth: Int) {
    (self.picture, self.bitDepth) = (picture, bitDepth)
    unsafe (above, below) = (.allocate(capacity: Self.capacity), .allocate(capacity: Self.capacity))
    unsafe (across, down) = (.allocate(capacity: Self.capacity), .allocate(capacity: Self.capacity))
    unsafe result = .allocate(capacity: Self.capacity)
  }

  deinit {
    unsafe above.deallocate()
    unsafe below.deallocate()
    unsafe across.deallocate()
    unsafe down.deallocate()
    unsafe result.deallocate()
  }

  /// The samples at (u, v), (u + du, v + dv), … in 32.32 fixed point, as a plane of one row that is valid until the next call.
  ///
  /// - Precondition: the four samples around each point lie in the picture; `count` is at most `capacity`.
  @unsafe func samples(_ u: Int, _ v: Int, step: (u: Int, v: Int), count: Int) -> Plane {
    precondition(count <= Self.capacity)
    unsafe gather(u, v, step: step, count: count)
    unsafe Self.fractions(UInt32(truncatingIfNeeded: u), UInt32(truncatingIfNeeded: step.u), into: across, count: count)
    unsafe Self.fractions(UInt32(truncatingIfNeeded: v), UInt32(truncatingIfNeeded: step.v), into: down, count: count)
    let pairs = unsafe (
      UnsafeRawPointer(above).assumingMemoryBound(to: Sample.self), UnsafeRawPointer(below).assumingMemoryBound(to: Sample.self)
    )
    if bitDepth <= 12 {
      unsafe Self.mix(pairs.0, pairs.1, across: across, down: down, into: result, count: count, fraction: Int16(14 - bitDepth))
    } else {
      unsafe Self.mixWide(pairs.0, pairs.1, across: across, down: down, into: result, count: count)
    }
    return unsafe Plane(
      base: UnsafeMutableRawPointer(result), stride: 0, width: count, height: 1, bytesPerSample: MemoryLayout<Sample>.size)
  }

  @inline(__always)
  @unsafe private func gather(_ u: Int, _ v: Int, step: (u: Int, v: Int), count: Int) {
    let (base, stride) = unsafe (UnsafeRawPointer(picture.row(0, as: Sample.self)), picture.stride)
    var (u, v) = (u, v)
    for index in 0..<count {
      let offset: Int = (v &>> 32) &* stride &+ (u &>> 32) &* MemoryLayout<Sample>.size
      let place = unsafe base + offset
      unsafe above[index] = place.loadUnaligned(as: Sample.Pair.self)
      unsafe below[index] = (place + stride).loadUnaligned(as: Sample.Pair.self)
      u &+= step.u
      v &+= step.v
    }
  }

  @inline(__always)
  @unsafe private static func fractions(
    _ start: UInt32, _ step: UInt32, into fractions: UnsafeMutablePointer<Int16>, count: Int
  ) {
    var place = start
    for index in 0..<count {
      unsafe fractions[index] = Int16(truncatingIfNeeded: place &>> 17)
      place &+= step
    }
  }

  /// Mixes samples of up to 12 bits in 16-bit lanes.
  ///
  /// - Parameter fraction: the number of fractional bits of intermediate values. Each of two roundings down takes away less than
  ///   one unit of the last such bit. Half of both together is added at the end.
  @inline(never)
  @unsafe private static func mix(
    _ above: UnsafePointer<Sample>, _ below: UnsafePointer<Sample>, across: UnsafePointer<Int16>,
    down: UnsafePointer<Int16>, into result: UnsafeMutablePointer<Sample>, count: Int, fraction: Int16
  ) {
    let half = 1 &<< (fraction &- 1) &+ 1 as Int16
    for index in 0..<count {
      let (x, y) = unsafe (across[index], down[index])
      let topLeft = unsafe Int16(truncatingIfNeeded: above[2 &* index])
      let topRight = unsafe Int16(truncatingIfNeeded: above[2 &* index &+ 1])
      let bottomLeft = unsafe Int16(truncatingIfNeeded: below[2 &* index])
      let bottomRight = unsafe Int16(truncatingIfNeeded: below[2 &* index &+ 1])
      let top = topLeft &<< fraction &+ upperHalf((topRight &- topLeft) &<< (fraction &+ 1), x)
      let bottom = bottomLeft &<< fraction &+ upperHalf((bottomRight &- bottomLeft) &<< (fraction &+ 1), x)
      let mixed = top &+ upperHalf((bottom &- top) &<< 1, y)
      unsafe result[index] = Sample(truncatingIfNeeded: (mixed &+ half) &>> fraction)
    }
  }

  /// Mixes samples of up to 16 bits. It rounds once, half up; intermediate values have at most 46 bits.
  @inline(never)
  @unsafe private static func mixWide(
    _ above: UnsafePointer<Sample>, _ below: UnsafePointer<Sample>, across: UnsafePointer<Int16>,
    down: UnsafePointer<Int16>, into result: UnsafeMutablePointer<Sample>, count: Int
  ) {
    for index in 0..<count {
      let (x, y) = unsafe (Int(across[index]), Int(down[index]))
      let top = unsafe Int(above[2 &* index]) &* (32768 &- x) &+ Int(above[2 &* index &+ 1]) &* x
      let bottom = unsafe Int(below[2 &* index]) &* (32768 &- x) &+ Int(below[2 &* index &+ 1]) &* x
      unsafe result[index] = Sample(truncatingIfNeeded: (top &* (32768 &- y) &+ bottom &* y &+ 1 &<< 29) &>> 30)
    }
  }
}

/// A type of samples, and a type that holds two neighbouring ones.
protocol BilinearSample: FixedWidthInteger & UnsignedInteger {
  associatedtype Pair: BitwiseCopyable
}

extension UInt8: BilinearSample { typealias Pair = UInt16 }
extension UInt16: BilinearSample { typealias Pair = UInt32 }
