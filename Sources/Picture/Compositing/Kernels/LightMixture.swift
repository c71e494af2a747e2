import Formats
import Media

/// Mixes the light that samples stand for, instead of their codes. Samples are R'G'B' in full range with 16 bits a component.
///
/// Light is the display's, as everywhere (`TransferFunction`), and the scene's for HLG. Each component is mixed by itself, by
/// tables and by single-precision sums and products in a fixed order. So the result is the same on every machine (decision 0042).
/// It is within a 20th of an 8-bit code of the exact mixture. Where a weight is none or all, or the sides agree, the sample is
/// copied as it is.
struct LightMixture {
  /// The format that pictures must have to be mixed.
  static let format = PixelFormat(.gbr, bitDepth: 16)

  /// The light of each code.
  private let light: [Float]
  /// The table from light to codes, which are whole numbers.
  private let code: LightTable

  init(_ transfer: ColorTags.Transfer) {
    let function = TransferFunction(transfer: transfer)
    light = (0...65535).map { Float(function.light(Double($0) / 65535)) }
    code = LightTable { (function.value($0) * 65535).rounded() }
  }

  /// Writes `a * (1 - weight) + b * weight` in light. Weights are 0...65535 for 0...1. `out` may be `a` or `b`.
  @unsafe fileprivate func mix(
    _ a: UnsafePointer<UInt16>, _ b: UnsafePointer<UInt16>, _ weights: UnsafePointer<UInt16>,
    into out: UnsafeMutablePointer<UInt16>, count: Int
  ) {
    unsafe light.withUnsafeBufferPointer { light in
      unsafe code.entries.withUnsafeBufferPointer { codes in
        let whole = count & ~(Self.lanes - 1)
        for x in stride(from: 0, to: whole, by: Self.lanes) {
          let mixed = unsafe Self.mixed(
            Self.samples(a + x), Self.samples(b + x), Self.samples(weights + x), light: light, codes: codes)
          unsafe UnsafeMutableRawPointer(out + x).storeBytes(of: mixed, as: Samples.self)
        }
        for x in whole..<count {
          let one = unsafe (Samples(repeating: a[x]), Samples(repeating: b[x]), Samples(repeating: weights[x]))
          unsafe out[x] = Self.mixed(one.0, one.1, one.2, light: light, codes: codes)[0]
        }
      }
    }
  }

  private typealias Samples = SIMD8<UInt16>
  private static let lanes = Samples.scalarCount

  @inline(__always)
  @unsafe private static func samples(_ pointer: UnsafePointer<UInt16>) -> Samples {
    unsafe UnsafeRawPointer(pointer).loadUnaligned(as: Samples.self)
  }

  @inline(__always)
  @unsafe private static func mixed(
    _ from: Samples, _ to: Samples, _ weight: Samples, light: UnsafeBufferPointer<Float>, codes: UnsafeBufferPointer<Float>
  ) -> Samples {
    let start = unsafe light.values(at: from.widened)
    let way = unsafe (light.values(at: to.widened) - start) * (LightVector(codes: weight) * (1 / 65535))
    let code = unsafe codes.values(at: (start + way).lightIndex).nearest.narrowed(to: UInt16.self)
    // The comparison is with a vector: with a scalar, the compiler would compare each lane by itself.
    let (none, all) = (weight .== Samples(), weight .== Samples(repeating: .max))
    return code.replacing(with: to, where: all).replacing(with: from, where: none .| (from .== to))
  }
}

extension Plane {
  /// Works as `blend(_:weight:)`, and mixes light where there is a mixture.
  func blend(_ picture: Plane, weight: Weight, _ mixture: LightMixture?) {
    guard let mixture else { return blend(picture, weight: weight) }
    precondition(picture.hasSameShape(as: self))
    unsafe withWeights(weight) { weights in
      for y in 0..<height { unsafe mixture.mix(row(y), picture.row(y), weights, into: row(y), count: width) }
    }
  }

  /// Works as `blend(_:alpha:covered:opacity:)`, and mixes light where there is a mixture.
  func blend(_ picture: Plane, alpha: Plane, covered: AlphaRuns.Part?, opacity: Double, _ mixture: LightMixture?) {
    guard let mixture else { return blend(picture, alpha: alpha, covered: covered, opacity: opacity) }
    precondition(picture.hasSameShape(as: self) && alpha.hasSameShape(as: self))
    unsafe alpha.forEachRun(covered, opacity: opacity) { y, columns, shares in
      guard let shares = unsafe shares else { return copy(picture, columns, y..<y + 1) }
      let ground = unsafe row(y, as: UInt16.self) + columns.lowerBound
      unsafe mixture.mix(ground, picture.row(y) + columns.lowerBound, shares, into: ground, count: columns.count)
    }
  }

  /// Works as `dissolve(from:to:weight:)`, and mixes light where there is a mixture.
  func dissolve(from: Plane, to: Plane, weight: Weight, _ mixture: LightMixture?) {
    guard let mixture else { return dissolve(from: from, to: to, weight: weight) }
    precondition(from.hasSameShape(as: self) && to.hasSameShape(as: self))
    unsafe withWeights(weight) { weights in
      for y in 0..<height { unsafe mixture.mix(from.row(y), to.row(y), weights, into: row(y), count: width) }
    }
  }

  /// Works as `mix(_:_:_:columns:row:)`, and mixes light where there is a mixture.
  @unsafe func mix(
    _ from: Plane, _ to: Plane, _ weights: UnsafePointer<UInt16>, by mixture: LightMixture?, columns: Range<Int>, row y: Int
  ) {
    guard let mixture else { return unsafe mix(from, to, weights, columns: columns, row: y) }
    let first = columns.lowerBound
    unsafe mixture.mix(from.row(y) + first, to.row(y) + first, weights, into: row(y) + first, count: columns.count)
  }

  /// Works as `mix(_:code:_:outer:inner:columns:row:)`, and mixes light where there is a mixture.
  @unsafe func mix(
    _ from: Plane, code: Int, _ to: Plane, outer: UnsafePointer<UInt16>, inner: UnsafePointer<UInt16>,
    by mixture: LightMixture?, columns: Range<Int>, row y: Int
  ) {
    guard let mixture else {
      return unsafe mix(from, code: code, to, outer: outer, inner: inner, columns: columns, row: y)
    }
    part(columns: columns, rows: y..<y + 1).fill(with: code)
    let (first, count) = (columns.lowerBound, columns.count)
    unsafe mixture.mix(from.row(y) + first, row(y) + first, outer, into: row(y) + first, count: count)
    unsafe mixture.mix(row(y) + first, to.row(y) + first, inner, into: row(y) + first, count: count)
  }

  /// Draws over this plane a picture that was drawn over zeros. The samples of `picture` have 16 bits. They are codes multiplied by
  /// the covered share in `cover`, and are changed.
  ///
  /// - Parameter depth: the bits of this plane's samples. A picture's codes have zeros below as many bits.
  func lay(_ picture: Plane, cover: Plane, depth: Int, _ mixture: LightMixture?) {
    precondition(picture.bytesPerSample == 2 && cover.hasSameShape(as: picture))
    precondition(picture.width == width && picture.height == height)
    for y in 0..<height {
      let (samples, shares) = unsafe (picture.row(y, as: UInt16.self), cover.row(y, as: UInt16.self))
      for x in 0..<width {
        let share = unsafe UInt32(shares[x])
        guard share > 0, share < 65535 else { continue }
        unsafe samples[x] = UInt16(min((UInt32(samples[x]) * 65535 + share / 2) / share, 65535))
      }
      if let mixture {
        unsafe mixture.mix(row(y), samples, shares, into: row(y), count: width)
      } else if bytesPerSample == 1 {
        unsafe layRow(samples, shares, depth, over: row(y, as: UInt8.self), count: width)
      } else {
        unsafe layRow(samples, shares, depth, over: row(y, as: UInt16.self), count: width)
      }
    }
  }

  /// Calls `body` with the weight, once for each sample of a row.
  private func withWeights(_ weight: Weight, _ body: (UnsafePointer<UInt16>) -> Void) {
    guard width > 0 else { return }
    let row = [UInt16](repeating: UInt16(min(weight.rawValue, 65535)), count: width)
    unsafe row.withUnsafeBufferPointer { unsafe body($0.baseAddress.unsafelyUnwrapped) }
  }
}

/// Draws samples over a row. Those of the ground are the upper `depth` bits of 16.
private func layRow<Sample: FixedWidthInteger & UnsignedInteger>(
  _ samples: UnsafeMutablePointer<UInt16>, _ shares: UnsafeMutablePointer<UInt16>, _ depth: Int,
  over ground: UnsafeMutablePointer<Sample>, count: Int
) {
  let (shift, top) = (UInt32(16 - depth), UInt32((1 << depth) - 1))
  let half = shift > 0 ? UInt32(1) << (shift - 1) : 0
  for x in 0..<count {
    let code = unsafe min((UInt32(samples[x]) + half) >> shift, top)
    // The kernel for words is exact for fewer bits, too.
    unsafe ground[x] = Sample(truncatingIfNeeded: mix(UInt16(ground[x]), UInt16(truncatingIfNeeded: code), alpha: shares[x]))
  }
}
