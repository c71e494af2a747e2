internal import Formats

/// The gain that narrows a sound's range, sample by sample. Between whole seconds it moves in a line.
struct NarrowingGain {
  /// The linear gains at whole seconds, from 0 on.
  private let factors: [Double]
  private let sampleRate: Int64

  /// - Parameter gains: the gains in dB at whole seconds (`LoudnessCourse.gains`); at least one.
  init(_ gains: [Double], sampleRate: Int32) {
    (factors, self.sampleRate) = (gains.map { Exponential.gain(decibels: $0) }, Int64(sampleRate))
  }

  /// Multiplies the samples of a block, the first of which is sample `first` of the sound.
  func apply(to block: SampleBlock, from first: Int64) {
    for index in 0..<block.count {
      let position = first + Int64(index)
      let second = min(Int(position / sampleRate), factors.count - 1)
      let (here, next) = (factors[second], factors[min(second + 1, factors.count - 1)])
      let gain = Float(here + (next - here) * (Double(position % sampleRate) / Double(sampleRate)))
      for channel in 0..<block.channelCount { unsafe block.planes[channel][index] *= gain }
    }
  }
}
