// Sums, means, the greatest and the least of a sequence. Of no samples sums are 0, means are not a number, and the greatest and the least are the
// infinities, as documented.

/// The sum of what each sample becomes.
private func sum<Sample: BinaryFloatingPoint>(
  _ a: UnsafePointer<Sample>, _ ia: vDSP_Stride, _ n: vDSP_Length, _ term: (Double) -> Double = { $0 }
) -> Double {
  var sum = 0.0
  for index in 0..<Int(n) { unsafe sum += term(Double(a[index * ia])) }
  return sum
}

private func best<Sample: BinaryFloatingPoint>(
  _ a: UnsafePointer<Sample>, _ ia: vDSP_Stride, _ n: vDSP_Length, from start: Sample, _ choose: (Sample, Sample) -> Sample
) -> Sample {
  var best = start
  for index in 0..<Int(n) { unsafe best = choose(best, a[index * ia]) }
  return best
}

public func vDSP_sve(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = Float(sum(__A, __I, __N)) }
public func vDSP_svesq(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = Float(sum(__A, __I, __N) { $0 * $0 }) }
public func vDSP_meanv(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = Float(sum(__A, __I, __N) / Double(__N)) }
/// The mean of the amounts without their signs.
public func vDSP_meamgv(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = Float(sum(__A, __I, __N, abs) / Double(__N)) }
/// The mean of the squares.
public func vDSP_measqv(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = Float(sum(__A, __I, __N) { $0 * $0 } / Double(__N)) }
/// The root of the mean of the squares.
public func vDSP_rmsqv(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = Float((sum(__A, __I, __N) { $0 * $0 } / Double(__N)).squareRoot()) }
public func vDSP_rmsqvD(
  _ __A: UnsafePointer<Double>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Double>, _ __N: vDSP_Length
) { unsafe __C.pointee = (sum(__A, __I, __N) { $0 * $0 } / Double(__N)).squareRoot() }

public func vDSP_maxv(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = best(__A, __I, __N, from: -.infinity, max) }
public func vDSP_minv(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = best(__A, __I, __N, from: .infinity, min) }
/// The greatest amount without its sign.
public func vDSP_maxmgv(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = best(__A, __I, __N, from: 0) { max($0, abs($1)) } }
public func vDSP_minmgv(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) { unsafe __C.pointee = best(__A, __I, __N, from: .infinity) { min($0, abs($1)) } }
/// The greatest sample, and its place: the first one where there are several. A place counts the strides before it.
public func vDSP_maxvi(
  _ __A: UnsafePointer<Float>, _ __I: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __L: UnsafeMutablePointer<vDSP_Length>,
  _ __N: vDSP_Length
) {
  var (best, place): (Float, Int) = (-.infinity, 0)
  for index in 0..<Int(__N) {
    let sample = unsafe __A[index * __I]
    if sample > best { (best, place) = (sample, index * __I) }
  }
  unsafe (__C.pointee, __L.pointee) = (best, vDSP_Length(place))
}

/// The kind of list whose samples lie one after the other.
public protocol AccelerateBuffer: Collection where Index == Int {}

extension Array: AccelerateBuffer {}
extension ContiguousArray: AccelerateBuffer {}
extension ArraySlice: AccelerateBuffer {}
extension UnsafeBufferPointer: AccelerateBuffer {}
extension UnsafeMutableBufferPointer: AccelerateBuffer {}

/// The functions of vDSP on arrays and buffers.
/// - Partly: the sums and those that are computed sample by sample, of floats and doubles; no Fourier transforms, filters and complex numbers
public enum vDSP {
  public static func sum<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    U.Element(vector.reduce(0.0) { $0 + Double($1) })
  }
  public static func sumOfSquares<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    U.Element(vector.reduce(0.0) { $0 + Double($1) * Double($1) })
  }
  public static func mean<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    U.Element(vector.reduce(0.0) { $0 + Double($1) } / Double(vector.count))
  }
  public static func meanMagnitude<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    U.Element(vector.reduce(0.0) { $0 + abs(Double($1)) } / Double(vector.count))
  }
  public static func meanSquare<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    U.Element(vector.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(vector.count))
  }
  public static func rootMeanSquare<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    U.Element((vector.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(vector.count)).squareRoot())
  }
  public static func maximum<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    vector.max() ?? -.infinity
  }
  public static func minimum<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    vector.min() ?? .infinity
  }
  public static func maximumMagnitude<U: AccelerateBuffer>(_ vector: U) -> U.Element where U.Element: BinaryFloatingPoint {
    vector.reduce(0) { max($0, abs($1)) }
  }
  public static func absolute<U: AccelerateBuffer>(_ vector: U) -> [U.Element] where U.Element: BinaryFloatingPoint {
    vector.map(abs)
  }
  public static func negative<U: AccelerateBuffer>(_ vector: U) -> [U.Element] where U.Element: BinaryFloatingPoint {
    vector.map { -$0 }
  }
  public static func square<U: AccelerateBuffer>(_ vector: U) -> [U.Element] where U.Element: BinaryFloatingPoint {
    vector.map { $0 * $0 }
  }
  public static func clip<U: AccelerateBuffer>(_ vector: U, to bounds: ClosedRange<U.Element>) -> [U.Element]
  where U.Element: BinaryFloatingPoint { vector.map { min(max($0, bounds.lowerBound), bounds.upperBound) } }

  public static func add<U: AccelerateBuffer>(_ scalar: U.Element, _ vector: U) -> [U.Element]
  where U.Element: BinaryFloatingPoint { vector.map { $0 + scalar } }
  public static func multiply<U: AccelerateBuffer>(_ scalar: U.Element, _ vector: U) -> [U.Element]
  where U.Element: BinaryFloatingPoint { vector.map { $0 * scalar } }
  public static func divide<U: AccelerateBuffer>(_ vector: U, _ scalar: U.Element) -> [U.Element]
  where U.Element: BinaryFloatingPoint { vector.map { $0 / scalar } }

  /// - Precondition: both are of one length.
  public static func add<T: AccelerateBuffer, U: AccelerateBuffer>(_ vectorA: T, _ vectorB: U) -> [T.Element]
  where T.Element == U.Element, T.Element: BinaryFloatingPoint { combined(vectorA, vectorB, +) }
  /// - Precondition: both are of one length.
  public static func subtract<T: AccelerateBuffer, U: AccelerateBuffer>(_ vectorA: T, _ vectorB: U) -> [T.Element]
  where T.Element == U.Element, T.Element: BinaryFloatingPoint { combined(vectorA, vectorB, -) }
  /// - Precondition: both are of one length.
  public static func multiply<T: AccelerateBuffer, U: AccelerateBuffer>(_ vectorA: T, _ vectorB: U) -> [T.Element]
  where T.Element == U.Element, T.Element: BinaryFloatingPoint { combined(vectorA, vectorB, *) }
  /// - Precondition: both are of one length.
  public static func divide<T: AccelerateBuffer, U: AccelerateBuffer>(_ vectorA: T, _ vectorB: U) -> [T.Element]
  where T.Element == U.Element, T.Element: BinaryFloatingPoint { combined(vectorA, vectorB, /) }

  private static func combined<T: AccelerateBuffer, U: AccelerateBuffer>(
    _ one: T, _ other: U, _ combine: (T.Element, T.Element) -> T.Element
  ) -> [T.Element] where T.Element == U.Element {
    precondition(one.count == other.count, "vDSP: the vectors have \(one.count) and \(other.count) samples")
    return zip(one, other).map(combine)
  }
}
