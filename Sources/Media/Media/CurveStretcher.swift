internal import CRubberBand

/// Makes sound longer and shorter along a curve, and keeps its pitch (Rubber Band's R3 engine in its real-time mode, on one thread).
///
/// The engine takes a step of its input at a time, and makes one of output. Before each it is told the ratio that brings the output
/// to the place where the curve wants the end of the step. So what one step is off by is taken back by the next, and nothing adds
/// up. How reading is split into calls changes no sample. One thread at a time.
@safe package final class CurveStretcher {
  /// The ratios of output to input that the engine is asked for.
  private static let ratios = 1.0 / 16...16
  /// The most input samples of a step, a channel; more go in at the start alone.
  private static let blockLength = 8192
  /// How early, in seconds for each further length, the engine lets things happen that it makes longer, and the most of that. It
  /// lays down what it hears in a window when the window reaches it, so the curve is aimed at that much later. Measured with clicks,
  /// bursts and noise at 1.25 to 8 times the length: what is left is below 8 ms.
  private static let earliness = (perLength: 0.005, most: 0.006)

  private let state: RubberBandState
  private let sampleRate: Double
  private let channelCount: Int
  private let inputCount: Int64
  private let place: (_ input: Double) -> Double
  private let block: UnsafeMutableBufferPointer<Float>
  /// The stretched samples that were not read yet, after `superfluous` ones.
  private var queue: SampleQueue
  /// The samples that the engine gives before the first one.
  private var superfluous: Int
  /// The samples of silence that go in before the first one.
  private var padding: Int
  /// The samples that the engine needs for its first step.
  private let window: Int
  /// The samples that went in, with the padding, and those that came out, with the superfluous ones.
  private var (fed, made): (Int64, Int64) = (0, 0)
  /// The samples of the source that were asked for.
  private var taken: Int64 = 0
  /// The input samples of the last step.
  private var step = 256.0

  /// - Parameters:
  ///   - inputCount: the number of samples a channel that will go in. Silence follows them.
  ///   - place: the output sample at which an input sample is heard. It rises all along, beyond both ends too.
  package init(sampleRate: Int32, channelCount: Int, inputCount: Int64, place: @escaping (_ input: Double) -> Double) {
    (self.sampleRate, self.channelCount, self.inputCount, self.place) = (Double(sampleRate), channelCount, inputCount, place)
    let options =
      RubberBandOptionProcessRealTime.rawValue | RubberBandOptionEngineFiner.rawValue | RubberBandOptionThreadingNever.rawValue
      | RubberBandOptionChannelsTogether.rawValue
    unsafe state = rubberband_new(UInt32(sampleRate), UInt32(channelCount), Int32(options), 1, 1)
    unsafe rubberband_set_max_process_size(state, UInt32(Self.blockLength))
    padding = unsafe Int(rubberband_get_preferred_start_pad(state))
    superfluous = unsafe Int(rubberband_get_start_delay(state))
    window = unsafe Int(rubberband_get_samples_required(state))
    queue = SampleQueue(channelCount: channelCount)
    unsafe block = .allocate(capacity: channelCount * Self.blockLength)
  }

  deinit {
    unsafe rubberband_delete(state)
    unsafe block.deallocate()
  }

  /// Writes the next `count` stretched samples of each channel to the start of `planes`.
  ///
  /// - Parameter source: fills the first samples of each plane with the next ones of the input, and returns how many it gave. What
  ///   is missing is silence.
  package func read<Failure: Error>(
    _ count: Int, into planes: [UnsafeMutableBufferPointer<Float>],
    from source: (_ count: Int, _ planes: [UnsafeMutableBufferPointer<Float>]) throws(Failure) -> Int
  ) throws(Failure) {
    var done = 0
    while true {
      if superfluous > 0 { superfluous -= queue.drop(superfluous) }
      done += unsafe queue.read(count - done, into: planes, at: done)
      if done == count { return }
      aim()
      try unsafe feed(from: source)
    }
  }

  /// Tells the engine the ratio with which its next step ends at the place that the curve has for it.
  private func aim() {
    let start = Double(fed) + Double(unsafe rubberband_get_samples_required(state)) - Double(window)
    let (here, there) = (place(start), place(start + step))
    let longer = max((there - here) / step - 1, 0)
    let late = sampleRate * min(longer * Self.earliness.perLength, Self.earliness.most)
    let ratio = (there + late - Double(made)) / step
    unsafe rubberband_set_time_ratio(state, min(max(ratio, Self.ratios.lowerBound), Self.ratios.upperBound))
  }

  /// Puts in what the next step needs, and takes out what has come of it.
  private func feed<Failure: Error>(
    from source: (_ count: Int, _ planes: [UnsafeMutableBufferPointer<Float>]) throws(Failure) -> Int
  ) throws(Failure) {
    let needed = max(unsafe Int(rubberband_get_samples_required(state)), 1)
    let count = min(needed, Self.blockLength)
    let planes = unsafe (0..<channelCount).map { channel in
      unsafe UnsafeMutableBufferPointer(rebasing: block[channel * Self.blockLength..<(channel + 1) * Self.blockLength])
    }
    let silent = min(padding, count)
    let left = Int(min(Int64(count - silent), max(inputCount - taken, 0)))
    let rest = unsafe planes.map { unsafe UnsafeMutableBufferPointer(rebasing: $0[silent...]) }
    let given = try left > 0 ? unsafe source(left, rest) : 0
    unsafe planes.forEach { plane in
      unsafe plane[..<silent].update(repeating: 0)
      unsafe plane[(silent + given)..<count].update(repeating: 0)
    }
    padding -= silent
    taken += Int64(left)
    fed += Int64(count)
    var input = unsafe planes.map { unsafe UnsafePointer($0.baseAddress) }
    unsafe rubberband_process(state, &input, UInt32(count), 0)
    unsafe drain(planes)
    if count == needed { step = Double(max(unsafe rubberband_get_samples_required(state), 1)) }
  }

  private func drain(_ planes: [UnsafeMutableBufferPointer<Float>]) {
    while true {
      let ready = min(Int(unsafe rubberband_available(state)), Self.blockLength)
      guard ready > 0 else { return }
      var output = unsafe planes.map { $0.baseAddress }
      let count = unsafe Int(rubberband_retrieve(state, &output, UInt32(ready)))
      for channel in 0..<channelCount {
        unsafe queue.append(UnsafeBufferPointer(rebasing: planes[channel][..<count]), toChannel: channel)
      }
      made += Int64(count)
    }
  }
}
