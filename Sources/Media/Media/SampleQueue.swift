/// A queue of planar float samples.
struct SampleQueue {
  private var channels: [[Float]]
  /// The number of samples of each channel that were read already.
  private var head = 0

  init(channelCount: Int) { channels = [[Float]](repeating: [], count: channelCount) }

  var count: Int { channels[0].count - head }

  /// Appends samples to one channel. Every channel must be given the same number before the next read.
  mutating func append(_ samples: UnsafeBufferPointer<Float>, toChannel channel: Int) {
    unsafe channels[channel].append(contentsOf: samples)
  }

  /// Drops the next `limit` samples, or all there are. Returns their number.
  mutating func drop(_ limit: Int) -> Int {
    let dropped = min(limit, count)
    head += dropped
    return dropped
  }

  /// Moves the next `limit` samples, or all there are, to `planes` from sample `offset` on. Returns their number.
  mutating func read(_ limit: Int, into planes: [UnsafeMutableBufferPointer<Float>], at offset: Int) -> Int {
    let taken = min(limit, count)
    guard taken > 0 else { return 0 }
    for channel in channels.indices {
      unsafe channels[channel].withUnsafeBufferPointer { samples in
        let target = unsafe UnsafeMutableBufferPointer(rebasing: planes[channel][offset..<offset + taken])
        _ = unsafe target.update(fromContentsOf: UnsafeBufferPointer(rebasing: samples[head..<head + taken]))
      }
    }
    head += taken
    if count == 0 {
      for channel in channels.indices { channels[channel].removeAll(keepingCapacity: true) }
      head = 0
    }
    return taken
  }
}
