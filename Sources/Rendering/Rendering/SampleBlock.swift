internal import Formats

/// A block of planar float samples. It owns one plane for each channel, each with room for `capacity` samples.
@safe package final class SampleBlock {
  package let planes: [UnsafeMutableBufferPointer<Float>]
  package let capacity: Int
  /// The number of samples a channel that the block holds; at most `capacity`.
  package internal(set) var count = 0

  package init(channelCount: Int, capacity: Int) {
    self.capacity = capacity
    unsafe planes = (0..<channelCount).map { _ in .allocate(capacity: capacity) }
    for channel in 0..<channelCount { unsafe planes[channel].initialize(repeating: 0) }
  }

  deinit {
    for channel in 0..<channelCount { unsafe planes[channel].deallocate() }
  }

  package var channelCount: Int { unsafe planes.count }

  /// The samples of each channel; valid as long as the block lives.
  package var samples: [UnsafeBufferPointer<Float>] {
    unsafe planes.map { unsafe UnsafeBufferPointer(rebasing: $0[..<count]) }
  }

  /// Fills the block with `count` samples of silence.
  func silence(_ count: Int) {
    precondition(count <= capacity)
    self.count = count
    for channel in 0..<channelCount { unsafe planes[channel].update(repeating: 0) }
  }

  /// Multiplies the samples by gains over time.
  ///
  /// - Parameter first: the sample of the movie that is the block's first one.
  func apply(_ gains: [GainCurve], from first: Int64, sides: [ChannelSide]) {
    for channel in 0..<channelCount {
      let plane = unsafe UnsafeMutableBufferPointer(rebasing: planes[channel][..<count])
      for gain in gains { unsafe gain.apply(to: plane, from: first, on: sides[channel]) }
    }
  }
}
