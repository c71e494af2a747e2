/// A limiter with look-ahead that holds true peaks below a ceiling. One gain counts for all channels, so that nothing moves
/// between left and right.
///
/// The gain that a peak needs holds from `lookAhead` samples before it on, rises again after it by `release`, and is then averaged
/// twice over half of the look-ahead: it moves smoothly and is never above what any peak needs. Gains are whole numbers of 2^-30,
/// whose sums are exact: the gain is exactly 1 wherever no peak is near, and the same on every machine. One owner, one thread.
final class TruePeakLimiter {
  /// The look-ahead in seconds, as a fraction: 5 ms.
  private static let lookAheadRate: Int32 = 200
  /// The time constant of the release, as a fraction of a second: 100 ms.
  private static let releaseRate: Int32 = 10
  private static let one: Int64 = 1 << 30

  /// The number of samples by which the sound comes out later.
  let delay: Int
  /// The least gain so far.
  private(set) var leastGain = 1.0

  private let ceiling: Float
  private let lookAhead: Int
  private let release: Int64
  private let filter: TruePeak
  /// The samples of each channel that have not come out yet, followed by the block's.
  private let held: SampleBlock
  private var needs: SlidingMinimum
  private var lowered: Int64 = 0
  private var averages: (MovingSum, MovingSum)
  /// The sum of sums where all gains are 1.
  private let whole: Double

  /// - Parameter ceiling: the highest true peak, linear.
  init(ceiling: Double, channelCount: Int, sampleRate: Int32) {
    self.ceiling = Float(ceiling).nextDown
    // An even number, so that two averages of half of it and one more reach just over it.
    lookAhead = max(2, Int(sampleRate / Self.lookAheadRate) / 2 * 2)
    release = Int64(max(1, sampleRate / Self.releaseRate))
    delay = lookAhead + TruePeak.delay
    filter = TruePeak(channelCount: channelCount, sampleRate: sampleRate)
    held = SampleBlock(channelCount: channelCount, capacity: delay + SoundMix.blockLength)
    // A wave between two samples needs its gain at both, so that the window has one sample more.
    needs = SlidingMinimum(length: lookAhead + 2, filledWith: Self.one)
    let half = MovingSum(length: lookAhead / 2 + 1, filledWith: Self.one)
    averages = (half, MovingSum(length: lookAhead / 2 + 1, filledWith: half.sum))
    whole = Double(averages.1.sum)
  }

  /// Replaces the samples of a block by those that came `delay` earlier, with the limiter's gain.
  func process(_ block: SampleBlock) {
    let count = block.count
    // The peaks become the gains.
    let gains = unsafe filter.peaks(of: block, above: ceiling)
    for index in 0..<count {
      let gain = unsafe nextGain(for: gains[index])
      leastGain = min(leastGain, gain)
      unsafe gains[index] = Float(gain)
    }
    for channel in 0..<held.channelCount {
      let (samples, held) = unsafe (block.planes[channel], held.planes[channel])
      for index in 0..<count { unsafe held[delay + index] = samples[index] }
      for index in 0..<count { unsafe samples[index] = held[index] * gains[index] }
      for index in 0..<delay { unsafe held[index] = held[count + index] }
    }
  }

  /// The gain of the sample that comes out when `peak` is measured.
  private func nextGain(for peak: Float) -> Double {
    let need = peak > ceiling ? Int64(Double(ceiling) / Double(peak) * Double(Self.one)) : Self.one
    let held = Self.one - needs.push(need)
    lowered = max(held, lowered - max(1, lowered / release), 0)
    return Double(averages.1.push(averages.0.push(Self.one - lowered))) / whole
  }
}

/// The sum of the last values that came, exactly.
struct MovingSum {
  private var values: [Int64]
  private var next = 0
  private(set) var sum: Int64

  init(length: Int, filledWith value: Int64) {
    values = Array(repeating: value, count: length)
    sum = value * Int64(length)
  }

  mutating func push(_ value: Int64) -> Int64 {
    sum += value - values[next]
    values[next] = value
    next = next + 1 == values.count ? 0 : next + 1
    return sum
  }
}

/// The least of the last values that came. It keeps only values that are below all later ones, so each step takes constant time
/// on the whole.
struct SlidingMinimum {
  /// The values with their numbers, both ascending, in a ring.
  private var ring: [(number: Int, value: Int64)]
  private var first = 0
  private var count = 1
  private var number = 0

  init(length: Int, filledWith value: Int64) { ring = Array(repeating: (0, value), count: length) }

  mutating func push(_ value: Int64) -> Int64 {
    number += 1
    while count > 0, ring[(first + count - 1) % ring.count].value >= value { count -= 1 }
    if count > 0, ring[first].number <= number - ring.count {
      first = (first + 1) % ring.count
      count -= 1
    }
    ring[(first + count) % ring.count] = (number, value)
    count += 1
    return ring[first].value
  }
}
