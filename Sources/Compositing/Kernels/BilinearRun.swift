/// Samples of a picture along a straight line through it, each the bilinear mixture of the four around it: the part of a warp
/// that takes the time.
///
/// Two steps over short runs: the four samples are gathered one by one, which vector units without gathering loads cannot do
/// better, and are then mixed: in 16-bit lanes where those hold the samples with a sign and some bits of fraction.
// Safe: rows are owned, allocated once and freed once, and never filled beyond `capacity`.
@safe struct BilinearRun<Sample: BilinearSample>: ~Copyable {
  /// Long enough to make starting cheap; short enough for all lines that a steep run touches to be in the nearest cache still
  /// when the run below it comes, wherever the cache puts lines of one column.
  static var capacity: Int { 64 }

  private let picture: Plane
  private let bitDepth: Int
  /// Pairs of neighbours.
  private let above: UnsafeMutablePointer<Sample.Pair>
  private let below: UnsafeMutablePointer<Sample.Pair>
  /// The places' fractions, in 1/32768.
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

  /// The samples at (u, v), (u + du, v + dv), ... in 32.32 fixed point, as a plane of one row that is good until the next call.
  ///
  /// - Precondition: all the four samples around each lie in the picture; `count` is at most `capacity`.
  @unsafe func samples(_ u: Int, _ v: Int, step: (u: Int, v: Int), count: Int) -> Plane {
    precondition(count <= Self.capacity)
    unsafe gather(u, v, step, count)
    unsafe Self.fractions(UInt32(truncatingIfNeeded: u), UInt32(truncatingIfNeeded: step.u), into: across, count: count)
    unsafe Self.fractions(UInt32(truncatingIfNeeded: v), UInt32(truncatingIfNeeded: step.v), into: down, count: count)
    let pairs = unsafe (
      UnsafeRawPointer(above).assumingMemoryBound(to: Sample.self), UnsafeRawPointer(below).assumingMemoryBound(to: Sample.self)
    )
    if bitDepth <= 12 {
      unsafe Self.mix(pairs.0, pairs.1, across, down, into: result, count: count, fraction: Int16(14 - bitDepth))
    } else {
      unsafe Self.mixWide(pairs.0, pairs.1, across, down, into: result, count: count)
    }
    return unsafe Plane(
      base: UnsafeMutableRawPointer(result), stride: 0, width: count, height: 1, bytesPerSample: MemoryLayout<Sample>.size)
  }

  @inline(__always)
  @unsafe private func gather(_ u: Int, _ v: Int, _ step: (u: Int, v: Int), _ count: Int) {
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

  /// - Parameter fraction: how many bits after the point intermediate values have. Each of two roundings down takes less than
  ///   one such bit; half of both together is given back.
  @inline(never)
  @unsafe private static func mix(
    _ above: UnsafePointer<Sample>, _ below: UnsafePointer<Sample>, _ across: UnsafePointer<Int16>,
    _ down: UnsafePointer<Int16>, into result: UnsafeMutablePointer<Sample>, count: Int, fraction: Int16
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

  /// For samples of up to 16 bits: rounded once, half up; at most 46 bits in between.
  @inline(never)
  @unsafe private static func mixWide(
    _ above: UnsafePointer<Sample>, _ below: UnsafePointer<Sample>, _ across: UnsafePointer<Int16>,
    _ down: UnsafePointer<Int16>, into result: UnsafeMutablePointer<Sample>, count: Int
  ) {
    for index in 0..<count {
      let (x, y) = unsafe (Int(across[index]), Int(down[index]))
      let top = unsafe Int(above[2 &* index]) &* (32768 &- x) &+ Int(above[2 &* index &+ 1]) &* x
      let bottom = unsafe Int(below[2 &* index]) &* (32768 &- x) &+ Int(below[2 &* index &+ 1]) &* x
      unsafe result[index] = Sample(truncatingIfNeeded: (top &* (32768 &- y) &+ bottom &* y &+ 1 &<< 29) &>> 30)
    }
  }
}

/// A sample's type, and one that two neighbours are read and written as.
protocol BilinearSample: FixedWidthInteger & UnsignedInteger {
  associatedtype Pair: BitwiseCopyable
}

extension UInt8: BilinearSample { typealias Pair = UInt16 }
extension UInt16: BilinearSample { typealias Pair = UInt32 }
