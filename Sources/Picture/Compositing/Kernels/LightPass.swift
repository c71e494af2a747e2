internal import Formats
import Media
import Timeline

/// Converts pictures between transfer functions and primaries: from R'G'B' to light, to the other primaries, and back to R'G'B'
/// (decision 0042).
///
/// A sample depends on its own three codes only, by tables and by single-precision sums and products in a fixed order. So it is
/// the same on every machine, with one rare exception. The `pow` of another C library may differ in its last bit. Once in some
/// hundred million entries, that rounds a table's entry to its neighbour.
///
/// One thread at a time, since a pass owns its scratch memory.
// Safe: the scratch memory is owned, set once and freed once; the lengths of rows are checked.
@safe final class LightPass {
  struct Route: Hashable {
    /// The format of the source. Sizes do not matter, here and in `target`.
    var source: PictureFormat
    var target: PictureFormat
    var toneMap: ToneMap
  }

  /// The bits of a sample that a pass reads. They are enough for cameras, and for the precision that scaling adds to 8 and 10
  /// bits.
  static let sourceDepth = 12

  /// The source's codes of zero, and the map from codes less those to 16-bit R'G'B'.
  private let zero: (LightVector, LightVector, LightVector)
  private let toValues: LightMatrix
  /// The light of each 16-bit value.
  private let light: [Float]
  /// The gains of HLG's OOTF; nil where the source is not in HLG.
  private let displayGain: LightTable?
  private let toPrimaries: LightMatrix
  /// The gains of the tone map or of HLG's inverse OOTF; nil where there is neither. `goesByLuminance` tells that they go by
  /// luminance, not by the largest component.
  private let outputGain: LightTable?
  private let goesByLuminance: Bool
  private let value: LightTable
  private let toCodes: LightMatrix
  private let top: Float
  /// A block of each of the three components, and one of gains.
  private let scratch: UnsafeMutablePointer<LightVector>

  /// The number of vectors in a block. Its components stay in the first-level cache.
  private static let block = 64
  /// The alignment of pictures' rows, in bytes. Rows are padded to whole vectors.
  private static let rowAlignment = 64

  /// - Precondition: both formats are 4:4:4 or RGB, and the source has `sourceDepth` bits.
  init(_ route: Route) {
    let (source, target) = (route.source, route.target)
    precondition(source.format.bitDepth == Self.sourceDepth && source.cell == (1, 1) && target.cell == (1, 1))
    let (from, to) = (TransferFunction(transfer: source.color.transfer), TransferFunction(transfer: target.color.transfer))

    let sourceCodes = CodeScale(source)
    func vector(_ code: Double) -> LightVector { LightVector(repeating: Float(code)) }
    zero = (vector(sourceCodes.zero.x), vector(sourceCodes.zero.y), vector(sourceCodes.zero.z))
    toValues = LightMatrix((sourceCodes.fromRGB.scaled(by: sourceCodes.unit)).inverse.scaled(by: SIMD3(repeating: 65535)))
    light = (0...65535).map { Float(from.light(Double($0) / 65535)) }
    displayGain = source.color.transfer == .hlg ? LightTable(TransferFunction.displayGain) : nil
    toPrimaries = LightMatrix(ColorMatrix(from: source.color.primaries, to: target.color.primaries))
    goesByLuminance = target.color.transfer == .hlg
    let peak = TransferFunction.peak / TransferFunction.white
    outputGain =
      if goesByLuminance {
        LightTable(TransferFunction.sceneGain)
      } else if source.isHighRange && !target.isHighRange {
        LightTable { route.toneMap.displayed(max($0, 0x1p-28), peak: peak) / max($0, 0x1p-28) }
      } else {
        nil
      }
    value = LightTable(to.value)
    let targetCodes = CodeScale(target)
    toCodes = LightMatrix(targetCodes.fromRGB.scaled(by: targetCodes.unit), offsets: targetCodes.zero)
    top = Float((1 << target.format.bitDepth) - 1)
    unsafe scratch = .allocate(capacity: 4 * Self.block)
    unsafe scratch.initialize(repeating: LightVector(), count: 4 * Self.block)
  }

  deinit { unsafe scratch.deallocate() }

  /// Converts `source` into `target`.
  ///
  /// - Precondition: the pictures have the route's formats and one size, and rows as `PixelBuffer` makes them.
  func convert(_ source: PixelBuffer, into target: PixelBuffer) {
    let (inputs, outputs) = (source.planes, target.planes)
    precondition(zip(inputs, outputs).allSatisfy { ($0.width, $0.height) == ($1.width, $1.height) })
    precondition((inputs + outputs).allSatisfy { $0.isAligned(to: Self.rowAlignment) })
    let count = (source.width + LightVector.scalarCount - 1) / LightVector.scalarCount
    for y in 0..<source.height {
      for start in stride(from: 0, to: count, by: Self.block) {
        let length = min(Self.block, count - start)
        unsafe read((inputs[0].row(y) + start, inputs[1].row(y) + start, inputs[2].row(y) + start), length)
        convertBlock(length)
        if target.format.bytesPerSample == 1 {
          unsafe write((outputs[0].row(y) + start, outputs[1].row(y) + start, outputs[2].row(y) + start), length, UInt8.self)
        } else {
          unsafe write((outputs[0].row(y) + start, outputs[1].row(y) + start, outputs[2].row(y) + start), length, UInt16.self)
        }
      }
    }
  }

  // MARK: - A block

  private typealias Rows<Sample: SIMDScalar> = (
    UnsafeMutablePointer<SIMD8<Sample>>, UnsafeMutablePointer<SIMD8<Sample>>, UnsafeMutablePointer<SIMD8<Sample>>
  )

  private var components: Rows<Float> { unsafe (scratch, scratch + Self.block, scratch + 2 * Self.block) }

  /// Turns codes into light.
  private func read(_ codes: Rows<UInt16>, _ length: Int) {
    let (a, b, c) = unsafe components
    let (zero, toValues) = (zero, toValues)
    unsafe light.withUnsafeBufferPointer { light in
      for i in 0..<length {
        let above = unsafe (
          LightVector(codes: codes.0[i]) - zero.0, LightVector(codes: codes.1[i]) - zero.1,
          LightVector(codes: codes.2[i]) - zero.2
        )
        let values = toValues.apply(above)
        unsafe a[i] = light.values(at: values.0.within(0, 65535).nearest & 0xffff)
        unsafe b[i] = light.values(at: values.1.within(0, 65535).nearest & 0xffff)
        unsafe c[i] = light.values(at: values.2.within(0, 65535).nearest & 0xffff)
      }
    }
  }

  /// Turns light into R'G'B'.
  private func convertBlock(_ length: Int) {
    if let displayGain { multiply(by: displayGain, ofLuminance: true, length) }
    let (a, b, c) = unsafe components
    let toPrimaries = toPrimaries
    for i in 0..<length { unsafe (a[i], b[i], c[i]) = toPrimaries.apply((a[i], b[i], c[i])) }
    if let outputGain { multiply(by: outputGain, ofLuminance: goesByLuminance, length) }
    unsafe value.entries.withUnsafeBufferPointer { values in
      for i in 0..<length {
        unsafe a[i] = values.values(at: a[i].lightIndex)
        unsafe b[i] = values.values(at: b[i].lightIndex)
        unsafe c[i] = values.values(at: c[i].lightIndex)
      }
    }
  }

  /// Multiplies light by the gain of BT.2020's luminance, or of the largest component.
  private func multiply(by gain: LightTable, ofLuminance: Bool, _ length: Int) {
    let (a, b, c) = unsafe components
    let gains = unsafe scratch + 3 * Self.block
    if ofLuminance {
      for i in 0..<length { unsafe gains[i] = 0.2627 * a[i] + 0.6780 * b[i] + 0.0593 * c[i] }
    } else {
      for i in 0..<length { unsafe gains[i] = a[i].larger(b[i]).larger(c[i]) }
    }
    unsafe gain.entries.withUnsafeBufferPointer { entries in
      for i in 0..<length {
        let gain = unsafe entries.values(at: gains[i].lightIndex)
        unsafe (a[i], b[i], c[i]) = (a[i] * gain, b[i] * gain, c[i] * gain)
      }
    }
  }

  /// Turns R'G'B' into codes.
  @inline(__always)
  private func write<Sample: SIMDScalar & FixedWidthInteger>(_ codes: Rows<Sample>, _ length: Int, _: Sample.Type) {
    let (a, b, c) = unsafe components
    let (toCodes, top) = (toCodes, top)
    for i in 0..<length {
      let exact = unsafe toCodes.apply((a[i], b[i], c[i]))
      unsafe codes.0[i] = exact.0.within(0, top).nearest.narrowed(to: Sample.self)
      unsafe codes.1[i] = exact.1.within(0, top).nearest.narrowed(to: Sample.self)
      unsafe codes.2[i] = exact.2.within(0, top).nearest.narrowed(to: Sample.self)
    }
  }
}
