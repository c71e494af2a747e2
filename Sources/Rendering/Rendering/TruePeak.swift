internal import Formats
internal import Media

/// The true peaks of sound: the peaks of the wave that its samples stand for, between samples too (ITU-R BS.1770-4, Annex 2).
///
/// The sound is oversampled to at least 192 kHz. The filter is a sinc of 32 taps under a Blackman window. The 12 taps that the
/// annex gives as an example are too short near half of the sample rate.
///
/// One owner, one thread.
final class TruePeak {
  /// The number of taps of a phase. The values between sample n and n + 1 need the samples from n - 15 to n + 16.
  static let tapCount = 32
  /// The number of samples by which peaks come later than their samples.
  static let delay = tapCount / 2
  private static let kept = tapCount - 1

  private let phases: [[Float]]
  /// The most by which the wave between samples may exceed the loudest sample nearby.
  private let bound: Float
  /// The last 31 samples of each channel, followed by the block's.
  private let history: SampleBlock
  /// One plane for the wave of one phase, and one for the peaks.
  private let work: SampleBlock

  init(channelCount: Int, sampleRate: Int32) {
    let factor = sampleRate < 96_000 ? 4 : sampleRate < 192_000 ? 2 : 1
    phases = (1..<factor).map { Self.taps(fraction: Double($0) / Double(factor)) }
    bound = max(1, phases.map { $0.reduce(0) { $0 + abs($1) } }.max() ?? 1)
    history = SampleBlock(channelCount: channelCount, capacity: Self.kept + SoundMix.blockLength)
    work = SampleBlock(channelCount: 2, capacity: SoundMix.blockLength)
  }

  /// The filter that gives the value at `fraction` of the way from one sample to the next. Its taps sum up to 1.
  private static func taps(fraction: Double) -> [Float] {
    let taps = (0..<tapCount).map { index -> Double in
      let distance = fraction + Double(delay - 1 - index)
      let sinc = Trigonometry.sineAndCosine(degrees: 180 * distance).sine / (.pi * distance)
      let turn = 360 * distance / Double(tapCount)
      let (once, twice) = (Trigonometry.sineAndCosine(degrees: turn).cosine, Trigonometry.sineAndCosine(degrees: 2 * turn).cosine)
      return sinc * (0.42 + 0.5 * once + 0.08 * twice)
    }
    let sum = taps.reduce(0, +)
    return taps.map { Float($0 / sum) }
  }

  /// Takes the next samples of each channel, at most a block.
  ///
  /// - Parameter floor: peaks below it are not computed exactly. What comes for them is below it, too.
  /// - Returns: as many peaks, those of the samples that came `delay` earlier, each with the wave up to the sample after it. They
  ///   are of all channels together, and are valid until the next call.
  func peaks(of block: SampleBlock, above floor: Float) -> UnsafeMutableBufferPointer<Float> {
    let count = block.count
    let peaks = unsafe work.planes[1]
    for index in 0..<count { unsafe peaks[index] = 0 }
    for channel in 0..<history.channelCount {
      let (new, samples) = unsafe (block.planes[channel], history.planes[channel])
      for index in 0..<count { unsafe samples[Self.kept + index] = new[index] }
      var loudest: Float = 0
      for index in 0..<Self.kept + count { loudest = unsafe max(loudest, abs(samples[index])) }
      for index in 0..<count { unsafe peaks[index] = max(peaks[index], abs(samples[Self.delay - 1 + index])) }
      if loudest * bound >= floor {
        for taps in phases { unsafe add(taps, samples, count, to: peaks) }
      }
      for index in 0..<Self.kept { unsafe samples[index] = samples[count + index] }
    }
    return unsafe peaks
  }

  private func add(
    _ taps: [Float], _ samples: UnsafeMutableBufferPointer<Float>, _ count: Int, to peaks: UnsafeMutableBufferPointer<Float>
  ) {
    let sums = unsafe work.planes[0]
    for index in 0..<count { unsafe sums[index] = 0 }
    // Four taps at a time, each over the whole block, so that the compiler makes vectors of it.
    for tap in stride(from: 0, to: Self.tapCount, by: 4) {
      let (a, b, c, d) = (taps[tap], taps[tap + 1], taps[tap + 2], taps[tap + 3])
      let source = unsafe UnsafeMutableBufferPointer(rebasing: samples[tap...])
      for index in 0..<count {
        unsafe sums[index] += source[index] * a + source[index + 1] * b + source[index + 2] * c + source[index + 3] * d
      }
    }
    for index in 0..<count { unsafe peaks[index] = max(peaks[index], abs(sums[index])) }
  }
}

/// The highest true peak of sound that comes block by block. One owner, one thread.
final class TruePeakMeter {
  private let filter: TruePeak
  private let silence: SampleBlock
  private var highest: Float = 0

  init(channelCount: Int, sampleRate: Int32) {
    filter = TruePeak(channelCount: channelCount, sampleRate: sampleRate)
    silence = SampleBlock(channelCount: channelCount, capacity: TruePeak.delay)
    silence.silence(TruePeak.delay)
  }

  func add(_ block: SampleBlock) {
    let peaks = unsafe filter.peaks(of: block, above: highest)
    for index in 0..<block.count { unsafe highest = max(highest, peaks[index]) }
  }

  /// Takes the silence after the last sample, so that the wave's end is measured too.
  ///
  /// - Returns: the highest true peak, linear.
  func finish() -> Double {
    add(silence)
    return Double(highest)
  }
}
