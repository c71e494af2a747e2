import Foundation

// The functions of vDSP on floats that editors use, each documented by a formula. Names of pointers are Apple's: A and B are read, the last one is
// written, and a stride is the number of samples from one that counts to the next. A pointer that is read may be the one that is written.
// Sums are made in doubles, from the first sample on.

public typealias vDSP_Length = UInt
public typealias vDSP_Stride = Int

/// Calls a function with the number of each sample.
private func each(_ count: vDSP_Length, _ body: (Int) -> Void) { for index in 0..<Int(count) { body(index) } }

// MARK: - Numbers of other types

private func convert<Source: BinaryInteger>(
  _ a: UnsafePointer<Source>, _ ia: vDSP_Stride, _ c: UnsafeMutablePointer<Float>, _ ic: vDSP_Stride, _ n: vDSP_Length
) { each(n) { unsafe c[$0 * ic] = Float(a[$0 * ia]) } }

public func vDSP_vflt8(
  _ __A: UnsafePointer<Int8>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { unsafe convert(__A, __IA, __C, __IC, __N) }
public func vDSP_vflt16(
  _ __A: UnsafePointer<Int16>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { unsafe convert(__A, __IA, __C, __IC, __N) }
public func vDSP_vflt32(
  _ __A: UnsafePointer<Int32>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { unsafe convert(__A, __IA, __C, __IC, __N) }
public func vDSP_vfltu8(
  _ __A: UnsafePointer<UInt8>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { unsafe convert(__A, __IA, __C, __IC, __N) }
public func vDSP_vfltu16(
  _ __A: UnsafePointer<UInt16>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { unsafe convert(__A, __IA, __C, __IC, __N) }
public func vDSP_vspdp(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Double>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = Double(__A[$0 * __IA]) } }
public func vDSP_vdpsp(
  _ __A: UnsafePointer<Double>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = Float(__A[$0 * __IA]) } }

/// Cuts off what is behind the point. A sample that does not fit becomes the number next to it, and one that is not a number becomes 0.
public func vDSP_vfix16(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Int16>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) {
  each(__N) { index in
    let sample = unsafe __A[index * __IA]
    unsafe __C[index * __IC] = sample.isNaN ? 0 : Int16(min(max(sample.rounded(.towardZero), -32768), 32767))
  }
}

// MARK: - One sequence

public func vDSP_vclr(_ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length) {
  each(__N) { unsafe __C[$0 * __IC] = 0 }
}
public func vDSP_vfill(
  _ __A: UnsafePointer<Float>, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) {
  let value = unsafe __A.pointee
  each(__N) { unsafe __C[$0 * __IC] = value }
}
public func vDSP_vabs(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = abs(__A[$0 * __IA]) } }
public func vDSP_vneg(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = -__A[$0 * __IA] } }
public func vDSP_vsq(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = __A[$0 * __IA] * __A[$0 * __IA] } }

/// Bounds samples by a lowest and a highest one.
public func vDSP_vclip(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __C: UnsafePointer<Float>,
  _ __D: UnsafeMutablePointer<Float>, _ __ID: vDSP_Stride, _ __N: vDSP_Length
) {
  let (low, high) = unsafe (__B.pointee, __C.pointee)
  each(__N) { unsafe __D[$0 * __ID] = min(max(__A[$0 * __IA], low), high) }
}

/// Turns powers (0) or amplitudes (1) into decibels above a value.
public func vDSP_vdbcon(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __C: UnsafeMutablePointer<Float>,
  _ __IC: vDSP_Stride, _ __N: vDSP_Length, _ __F: UInt32
) {
  let (zero, factor): (Float, Float) = (unsafe __B.pointee, __F == 0 ? 10 : 20)
  each(__N) { unsafe __C[$0 * __IC] = factor * log10(__A[$0 * __IA] / zero) }
}

/// A sequence that begins with one value, and grows by another.
public func vDSP_vramp(
  _ __A: UnsafePointer<Float>, _ __B: UnsafePointer<Float>, _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride,
  _ __N: vDSP_Length
) {
  let (start, step) = unsafe (__A.pointee, __B.pointee)
  each(__N) { unsafe __C[$0 * __IC] = start + Float($0) * step }
}

// MARK: - A sequence and a number

public func vDSP_vsadd(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __C: UnsafeMutablePointer<Float>,
  _ __IC: vDSP_Stride, _ __N: vDSP_Length
) {
  let number = unsafe __B.pointee
  each(__N) { unsafe __C[$0 * __IC] = __A[$0 * __IA] + number }
}
public func vDSP_vsmul(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __C: UnsafeMutablePointer<Float>,
  _ __IC: vDSP_Stride, _ __N: vDSP_Length
) {
  let number = unsafe __B.pointee
  each(__N) { unsafe __C[$0 * __IC] = __A[$0 * __IA] * number }
}
public func vDSP_vsdiv(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __C: UnsafeMutablePointer<Float>,
  _ __IC: vDSP_Stride, _ __N: vDSP_Length
) {
  let number = unsafe __B.pointee
  each(__N) { unsafe __C[$0 * __IC] = __A[$0 * __IA] / number }
}
/// A · b + c.
public func vDSP_vsmsa(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __C: UnsafePointer<Float>,
  _ __D: UnsafeMutablePointer<Float>, _ __ID: vDSP_Stride, _ __N: vDSP_Length
) {
  let (factor, more) = unsafe (__B.pointee, __C.pointee)
  each(__N) { unsafe __D[$0 * __ID] = __A[$0 * __IA] * factor + more }
}

// MARK: - Two sequences

public func vDSP_vadd(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __IB: vDSP_Stride,
  _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = __A[$0 * __IA] + __B[$0 * __IB] } }
/// A − B. The first argument is what is taken away.
public func vDSP_vsub(
  _ __B: UnsafePointer<Float>, _ __IB: vDSP_Stride, _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride,
  _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = __A[$0 * __IA] - __B[$0 * __IB] } }
public func vDSP_vmul(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __IB: vDSP_Stride,
  _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = __A[$0 * __IA] * __B[$0 * __IB] } }
/// A / B. The first argument is what is divided by.
public func vDSP_vdiv(
  _ __B: UnsafePointer<Float>, _ __IB: vDSP_Stride, _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride,
  _ __C: UnsafeMutablePointer<Float>, _ __IC: vDSP_Stride, _ __N: vDSP_Length
) { each(__N) { unsafe __C[$0 * __IC] = __A[$0 * __IA] / __B[$0 * __IB] } }
public func vDSP_dotpr(
  _ __A: UnsafePointer<Float>, _ __IA: vDSP_Stride, _ __B: UnsafePointer<Float>, _ __IB: vDSP_Stride,
  _ __C: UnsafeMutablePointer<Float>, _ __N: vDSP_Length
) {
  var sum = 0.0
  each(__N) { unsafe sum += Double(__A[$0 * __IA]) * Double(__B[$0 * __IB]) }
  unsafe __C.pointee = Float(sum)
}

/// Fewer samples, each of which is the sum of `__P` weighted ones.
public func vDSP_desamp(
  _ __A: UnsafePointer<Float>, _ __DF: vDSP_Stride, _ __F: UnsafePointer<Float>, _ __C: UnsafeMutablePointer<Float>,
  _ __N: vDSP_Length, _ __P: vDSP_Length
) {
  each(__N) { index in
    var sum = 0.0
    each(__P) { unsafe sum += Double(__A[index * __DF + $0]) * Double(__F[$0]) }
    unsafe __C[index] = Float(sum)
  }
}
