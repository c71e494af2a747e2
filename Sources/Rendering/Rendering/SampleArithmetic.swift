/// Arithmetic of many samples at once. Every sample is rounded as it would be alone.
///
/// The loops have no calls, no branches and no checks, so that the compiler makes vectors of them. They count by hand: without the
/// optimiser, which the first program on a machine does without, a range costs more than a sample.
// Safe: each loop stays below the count of the buffer that it reads, and the caller's target is as long.
enum SampleArithmetic {
  /// Multiplies samples by a gain.
  static func scale(_ samples: UnsafeMutableBufferPointer<Float>, by gain: Float) {
    guard gain != 1, let plane = samples.baseAddress else { return }
    let count = samples.count
    var index = 0
    while index < count {
      unsafe plane[index] *= gain
      index &+= 1
    }
  }

  /// Adds samples, multiplied by a gain, to as many others. A gain of 1 changes no sample.
  ///
  /// - Precondition: `target` has room for all of them, and lies elsewhere.
  static func add(
    _ samples: UnsafeMutableBufferPointer<Float>, times gain: Float, to target: UnsafeMutableBufferPointer<Float>
  ) {
    precondition(target.count >= samples.count, "the target is as long")
    guard let source = samples.baseAddress, let sum = target.baseAddress else { return }
    let count = samples.count
    var index = 0
    while index < count {
      unsafe sum[index] += source[index] * gain
      index &+= 1
    }
  }

  /// Multiplies samples by gains that `gain` makes of a line: `line(number) = from + slope * number`, counted from `first` on.
  ///
  /// - Parameter first: the number of the first sample. Numbers are below 2^53, so that they are exact.
  @inline(__always)
  static func scale(
    _ samples: UnsafeMutableBufferPointer<Float>, alongLineFrom from: Double, slope: Double, first: Int64,
    _ gain: (Float) -> Float
  ) {
    guard let plane = samples.baseAddress else { return }
    let (start, count) = (Double(first), Int32(samples.count))
    var index: Int32 = 0
    while index < count {
      // Numbers of 32 bits become floating point many at a time; those of 64 do not.
      unsafe plane[Int(index)] *= gain(Float(from + slope * (start + Double(index))))
      index &+= 1
    }
  }
}
