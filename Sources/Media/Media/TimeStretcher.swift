internal import CRubberBand

/// Makes sound longer or shorter and keeps its pitch (Rubber Band's R3 engine, offline and on one thread).
///
/// Sound goes in by blocks of `blockLength`, and comes out as many samples as were asked for, the first at the time of the first.
/// The same input gives the same output on one model of processor: the mathematical functions of the C library differ in the
/// last digits between models, as decoders do. One thread at a time.
@safe package final class TimeStretcher {
  /// The number of samples, a channel, of every block but the last. The output depends on it in its last digits.
  package static let blockLength = 1024

  /// The number of samples, a channel, that go in.
  package let inputCount: Int64
  private let state: RubberBandState
  /// The stretched samples that were not read yet.
  private var queue: SampleQueue
  private var fed: Int64 = 0
  /// The number of samples, a channel, that came out.
  private var made: Int64 = 0
  private let outputCount: Int64
  private let channelCount: Int
  private let block: UnsafeMutableBufferPointer<Float>

  /// - Parameters:
  ///   - inputCount: the number of samples a channel that will go in; positive.
  ///   - outputCount: the number that comes out; positive.
  package init(sampleRate: Int32, channelCount: Int, inputCount: Int64, outputCount: Int64) {
    precondition(inputCount > 0 && outputCount > 0, "sound to stretch has samples")
    (self.inputCount, self.outputCount, self.channelCount) = (inputCount, outputCount, channelCount)
    let options =
      RubberBandOptionProcessOffline.rawValue | RubberBandOptionEngineFiner.rawValue | RubberBandOptionThreadingNever.rawValue
      | RubberBandOptionChannelsTogether.rawValue
    unsafe state = rubberband_new(
      UInt32(sampleRate), UInt32(channelCount), Int32(options), Double(outputCount) / Double(inputCount), 1)
    unsafe rubberband_set_max_process_size(state, UInt32(Self.blockLength))
    // The end of the last block is then cut to the sample. Longer input than this number tells is cut here instead.
    if let expected = UInt32(exactly: inputCount) { unsafe rubberband_set_expected_input_duration(state, expected) }
    queue = SampleQueue(channelCount: channelCount)
    unsafe block = .allocate(capacity: channelCount * Self.blockLength)
  }

  deinit {
    unsafe rubberband_delete(state)
    unsafe block.deallocate()
  }

  /// Writes the next `count` stretched samples of each channel to the start of `planes`, or as many as are left of `outputCount`.
  ///
  /// - Parameter source: fills the first samples of each plane with the next ones of the input, and returns how many it gave. What
  ///   is missing is silence.
  /// - Returns: the number of samples.
  package func read<Failure: Error>(
    _ count: Int, into planes: [UnsafeMutableBufferPointer<Float>],
    from source: (_ count: Int, _ planes: [UnsafeMutableBufferPointer<Float>]) throws(Failure) -> Int
  ) throws(Failure) -> Int {
    let wanted = Int(min(Int64(count), outputCount - made))
    var done = 0
    while true {
      done += unsafe queue.read(wanted - done, into: planes, at: done)
      guard done < wanted else { break }
      if fed < inputCount {
        try unsafe feed(from: source)
      } else {
        // The engine gives as many samples as were asked for. If one was missing, it would be silence.
        unsafe planes.forEach { plane in unsafe plane[done..<wanted].update(repeating: 0) }
        done = wanted
      }
    }
    made += Int64(wanted)
    return wanted
  }

  /// Puts in the next block, and takes out what has come of it.
  private func feed<Failure: Error>(
    from source: (_ count: Int, _ planes: [UnsafeMutableBufferPointer<Float>]) throws(Failure) -> Int
  ) throws(Failure) {
    let count = Int(min(Int64(Self.blockLength), inputCount - fed))
    let planes = unsafe (0..<channelCount).map { channel in
      unsafe UnsafeMutableBufferPointer(rebasing: block[channel * Self.blockLength..<(channel + 1) * Self.blockLength])
    }
    let given = try unsafe source(count, planes)
    unsafe planes.forEach { plane in unsafe plane[given..<count].update(repeating: 0) }
    fed += Int64(count)
    var input = unsafe planes.map { unsafe UnsafePointer($0.baseAddress) }
    unsafe rubberband_process(state, &input, UInt32(count), fed == inputCount ? 1 : 0)
    while true {
      let ready = min(Int(unsafe rubberband_available(state)), Self.blockLength)
      guard ready > 0 else { break }
      var output = unsafe planes.map { $0.baseAddress }
      let taken = unsafe rubberband_retrieve(state, &output, UInt32(ready))
      for channel in 0..<channelCount {
        unsafe queue.append(UnsafeBufferPointer(rebasing: planes[channel][..<Int(taken)]), toChannel: channel)
      }
    }
  }
}
