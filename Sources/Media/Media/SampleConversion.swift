internal import CFFmpeg

/// Samples as floats and as whole numbers, many at a time. Each is converted as it would be alone.
///
/// The loops have no calls, no branches and no checks, so that the compiler makes vectors of them. They count by hand: without the
/// optimiser, which the first program on a machine does without, a range costs more than a sample.
// Safe: each loop stays below the count of one side, and the caller's other side has room for it.
enum SampleConversion {
  // MARK: From floats

  /// Writes samples as they are to every `step`th place.
  static func spread(_ samples: UnsafeBufferPointer<Float>, to target: UnsafeMutablePointer<Float>, every step: Int) {
    guard let source = samples.baseAddress else { return }
    let count = samples.count
    var index = 0
    while index < count {
      unsafe target[index &* step] = source[index]
      index &+= 1
    }
  }

  /// Writes samples as whole numbers of 16 bits to every `step`th place: rounded to nearest, halves to even, and clipped; not-a-number becomes
  /// silence.
  static func round(_ samples: UnsafeBufferPointer<Float>, to target: UnsafeMutablePointer<Int16>, every step: Int) {
    guard let source = samples.baseAddress else { return }
    let count = samples.count
    var index = 0
    while index < count {
      unsafe target[index &* step] = rounded(source[index])
      index &+= 1
    }
  }

  /// Writes pairs of samples, which most sound is, in the same way to places that follow each other: in one go that takes a part of the time.
  ///
  /// - Precondition: the second buffer is as long as the first.
  static func round(
    pairs left: UnsafeBufferPointer<Float>, _ right: UnsafeBufferPointer<Float>, to target: UnsafeMutablePointer<Int16>
  ) {
    precondition(left.count == right.count, "each has its neighbour")
    guard let first = left.baseAddress, let second = right.baseAddress else { return }
    let count = left.count
    var index = 0
    while index < count {
      unsafe target[2 &* index] = rounded(first[index])
      unsafe target[2 &* index &+ 1] = rounded(second[index])
      index &+= 1
    }
  }

  @inline(__always)
  private static func rounded(_ sample: Float) -> Int16 {
    // Next to this number floats are whole numbers, so that adding it rounds. Its last bits then count.
    let whole: Float = 0x1.8p23
    let scaled = sample * 0x1p15
    let below = scaled < 32767 ? scaled : 32767
    let clipped = below > -32768 ? below : -32768
    let number = (scaled == scaled ? clipped : 0) + whole
    return Int16(truncatingIfNeeded: number.bitPattern &- whole.bitPattern)
  }

  /// Writes samples as whole numbers of `bits` bits, at most 32, in the same way. They are the upper bits of 32.
  static func round(_ samples: UnsafeBufferPointer<Float>, to target: UnsafeMutablePointer<Int32>, every step: Int, bits: Int) {
    guard let source = samples.baseAddress else { return }
    // A double holds every float and every number of 32 bits, and rounds in the same way.
    let (whole, scale, shift): (Double, Double, Int32) = (0x1.8p52, Double(Int64(1) << (bits - 1)), Int32(32 - bits))
    let count = samples.count
    var index = 0
    while index < count {
      let scaled = unsafe Double(source[index]) * scale
      let below = scaled < scale - 1 ? scaled : scale - 1
      let clipped = below > -scale ? below : -scale
      let number = (scaled == scaled ? clipped : 0) + whole
      unsafe target[index &* step] = Int32(truncatingIfNeeded: number.bitPattern &- whole.bitPattern) &<< shift
      index &+= 1
    }
  }

  // MARK: To floats

  /// The sample formats of frames that `copy` reads.
  static let copied: Set<Int32> = Set(
    [AV_SAMPLE_FMT_FLTP, AV_SAMPLE_FMT_FLT, AV_SAMPLE_FMT_S16P, AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S32P, AV_SAMPLE_FMT_S32]
      .map(\.rawValue))

  /// Writes samples of a frame to `planes`, from place `offset` on, as libswresample converts them: whole numbers are divided by their range.
  ///
  /// - Parameter range: the samples; those of all channels are copied.
  /// - Precondition: the frame's format is one of `copied`, it has a channel for each plane, and the planes have room.
  static func copy(
    _ frame: OwnedFrame, _ range: Range<Int>, into planes: [UnsafeMutableBufferPointer<Float>], at offset: Int
  ) {
    let (raw, channelCount) = unsafe (frame.pointer.pointee, planes.count)
    precondition(unsafe 0 <= range.lowerBound && range.upperBound <= Int(raw.nb_samples), "the frame has the samples")
    let format = unsafe AVSampleFormat(rawValue: raw.format)
    let isPlanar = av_sample_fmt_is_planar(format) != 0
    if format == AV_SAMPLE_FMT_S16, channelCount == 2, let bytes = unsafe raw.extended_data[0] {
      let source = unsafe UnsafeRawPointer(bytes).assumingMemoryBound(to: Int16.self) + 2 * range.lowerBound
      let place = offset..<offset + range.count
      return unsafe part(source, into: planes.map { unsafe UnsafeMutableBufferPointer(rebasing: $0[place]) })
    }
    for channel in 0..<channelCount {
      let target = unsafe UnsafeMutableBufferPointer(rebasing: planes[channel][offset..<offset + range.count])
      // A packed frame has its channels by turns in the first plane.
      let bytes = unsafe UnsafeRawPointer(raw.extended_data[isPlanar ? channel : 0]!)
      let (first, step) = isPlanar ? (range.lowerBound, 1) : (range.lowerBound * channelCount + channel, channelCount)
      switch format {
      case AV_SAMPLE_FMT_S16, AV_SAMPLE_FMT_S16P:
        let source = unsafe bytes.assumingMemoryBound(to: Int16.self) + first
        unsafe fill(target) { unsafe Float(source[$0 &* step]) * 0x1p-15 }
      case AV_SAMPLE_FMT_S32, AV_SAMPLE_FMT_S32P:
        let source = unsafe bytes.assumingMemoryBound(to: Int32.self) + first
        unsafe fill(target) { unsafe Float(source[$0 &* step]) * 0x1p-31 }
      default:
        let source = unsafe bytes.assumingMemoryBound(to: Float.self) + first
        unsafe fill(target) { unsafe source[$0 &* step] }
      }
    }
  }

  /// Writes pairs of samples, which most sound is, to two planes in one go: that takes a third of the time.
  private static func part(_ source: UnsafePointer<Int16>, into planes: [UnsafeMutableBufferPointer<Float>]) {
    guard let left = unsafe planes[0].baseAddress, let right = unsafe planes[1].baseAddress else { return }
    let count = unsafe planes[0].count
    var index = 0
    while index < count {
      unsafe left[index] = Float(source[2 &* index]) * 0x1p-15
      unsafe right[index] = Float(source[2 &* index &+ 1]) * 0x1p-15
      index &+= 1
    }
  }

  @inline(__always)
  private static func fill(_ target: UnsafeMutableBufferPointer<Float>, _ sample: (Int) -> Float) {
    guard let plane = target.baseAddress else { return }
    let count = target.count
    var index = 0
    while index < count {
      unsafe plane[index] = sample(index)
      index &+= 1
    }
  }
}
