/// The sound of a track that a tap takes, frame by frame. Its samples are floats, the channels beside each other.
// It is for the thread that calls the tap.
@safe final class TapFeed {
  let sampleRate: Int32
  let channelCount: Int
  /// The time of the first frame.
  private let start: CMTime
  private let next: () throws(AVError) -> [Float]?
  private var samples: ArraySlice<Float>
  private var isDrained = false
  /// The memory that buffers without any are given, one for each channel.
  private var memory = unsafe [UnsafeMutableBufferPointer<Float>]()
  /// The number of frames that were taken.
  private(set) var position = 0
  /// The failure to read the sound while the tap asked for it.
  private(set) var failure: AVError?

  /// - Parameters:
  ///   - first: the first samples, and their time.
  ///   - next: gives more samples; nil at the end.
  init(
    _ first: [Float], at start: CMTime, sampleRate: Int32, channelCount: Int, next: @escaping () throws(AVError) -> [Float]?
  ) {
    (samples, self.start, self.next) = (first[...], start, next)
    (self.sampleRate, self.channelCount) = (sampleRate, channelCount)
  }

  deinit { unsafe memory.forEach { unsafe $0.deallocate() } }

  /// The frames that were read and not taken.
  var loaded: Int { samples.count / channelCount }
  /// Whether all frames were taken.
  var isAtEnd: Bool { isDrained && samples.isEmpty }

  /// Reads until more frames than `count` are there, or the sound ends.
  func load(_ count: Int) throws(AVError) {
    while loaded <= count, !isDrained {
      if let more = try next() { samples += more } else { isDrained = true }
    }
  }

  /// Passes over the frames before one.
  func drop(to frame: Int) {
    guard frame > position else { return }
    samples = samples.dropFirst((frame - position) * channelCount)
    position = frame
  }

  func range(_ first: Int, _ count: Int) -> CMTimeRange {
    let begin = start + CMTime(value: CMTimeValue(first), timescale: sampleRate)
    return CMTimeRange(start: begin, duration: CMTime(value: CMTimeValue(count), timescale: sampleRate))
  }

  /// Takes frames into the first buffers of a list, one for each channel.
  ///
  /// - Returns: the number of frames; fewer than asked for at the end, and where reading fails.
  func give(_ wanted: Int, to list: UnsafeMutableAudioBufferListPointer) -> Int {
    do { try load(wanted) } catch {
      failure = error
      return 0
    }
    let count = min(wanted, loaded)
    for channel in 0..<min(channelCount, list.count) {
      if unsafe list[channel].mData == nil {
        unsafe list[channel].mData = UnsafeMutableRawPointer(own(channel, wanted).baseAddress)
      }
      let target = unsafe list[channel].mData?.assumingMemoryBound(to: Float.self)
      for frame in 0..<count { unsafe target?[frame] = samples[samples.startIndex + frame * channelCount + channel] }
      list[channel].mDataByteSize = UInt32(4 * count)
    }
    drop(to: position + count)
    return count
  }

  private func own(_ channel: Int, _ frames: Int) -> UnsafeMutableBufferPointer<Float> {
    while unsafe memory.count <= channel { unsafe memory.append(.allocate(capacity: 0)) }
    if unsafe memory[channel].count < frames {
      unsafe memory[channel].deallocate()
      unsafe memory[channel] = .allocate(capacity: frames)
    }
    return unsafe memory[channel]
  }
}

/// The buffers that a tap's `process` fills: one for each channel.
@safe final class TapBuffers {
  let list: UnsafeMutableAudioBufferListPointer
  private let memory: UnsafeMutablePointer<Float>
  private let frames: Int

  init(_ channelCount: Int, frames: Int) {
    self.frames = frames
    list = AudioBufferList.allocate(maximumBuffers: channelCount)
    unsafe memory = .allocate(capacity: channelCount * frames)
  }

  deinit {
    unsafe memory.deallocate()
    unsafe free(list.unsafeMutablePointer)
  }

  /// Makes all buffers silence of so many frames.
  func clear(_ count: Int) {
    unsafe memory.initialize(repeating: 0, count: list.count * frames)
    for channel in list.indices {
      list[channel] = unsafe AudioBuffer(
        mNumberChannels: 1, mDataByteSize: UInt32(4 * count), mData: UnsafeMutableRawPointer(memory + channel * frames))
    }
  }

  /// The samples, channels beside each other: those that were made, and then silence up to so many frames.
  func samples(_ made: Int, of count: Int) -> [Float] {
    var all = [Float](repeating: 0, count: count * list.count)
    for channel in list.indices {
      // A tap may have put memory of its own into the list.
      guard let source = unsafe list[channel].mData?.assumingMemoryBound(to: Float.self) else { continue }
      let own = min(made, Int(list[channel].mDataByteSize) / 4)
      for frame in 0..<own { unsafe all[frame * list.count + channel] = source[frame] }
    }
    return all
  }
}
