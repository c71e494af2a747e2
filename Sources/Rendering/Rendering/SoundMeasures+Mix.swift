internal import Formats
internal import Media
internal import MediaTime
internal import Scenes
internal import Timeline

extension SoundMeasures {
  /// Does the studies of an edit, by mixing their tracks.
  ///
  /// - Parameter progress: called after every block with the number of samples mixed so far in all studies, a channel.
  /// - Throws: what reading the sources throws.
  init(of edit: ResolvedTimeline, policy: SourcePolicy, progress: (Int64) -> Void) throws {
    self.init()
    guard let settings = edit.audio else { return }
    var done: Int64 = 0
    for study in edit.soundStudies {
      let mix = try SoundMix(study: study, of: edit, policy: policy, measures: self)
      func each(_ body: (SampleBlock) throws -> Void) throws {
        while let block = try mix.next() {
          try body(block)
          done += Int64(block.count)
          progress(done)
        }
      }
      switch study.question {
      case .activity(let threshold):
        var meter = ActivityMeter(threshold: threshold, settings)
        try each { unsafe meter.add($0.samples) }
        activity[study] = meter.finish()
      case .loudness(let range):
        let meter = try LoudnessMeter(
          sampleRate: settings.sampleRate, layout: settings.channelLayout, keepsTenths: range != nil)
        try each { try unsafe meter.add($0.samples) }
        loudness[study] = try meter.integrated.map(Self.hundredths)
        let course = LoudnessCourse(tenths: meter.tenths)
        guard let range, let gains = course.gains(narrowingTo: range) else { break }
        narrowing[study] = gains
        loudness[study] = course.changed(by: gains).integrated
      }
    }
  }

  /// The level in whole hundredths of a decibel. The logarithms of C libraries differ in their last digits from machine to machine.
  static func hundredths(_ level: Double) -> Double { (level * 100).rounded() / 100 }
}

/// Finds the windows of sound whose level reaches a threshold. The level is the root of the mean square of the loudest channel.
struct ActivityMeter {
  private let threshold: Double
  private let windowLength: Int
  /// The sums of squares in the window so far, of each channel.
  private var sums: [Double]
  private var filled = 0
  private var start: Int64 = 0
  private var ranges: [Range<Int64>] = []

  /// - Parameter threshold: linear.
  init(threshold: Double, _ settings: AudioCodecSettings) {
    self.threshold = threshold
    windowLength = Ducking.windowLength(sampleRate: settings.sampleRate)
    sums = Array(repeating: 0, count: settings.channelLayout.channelCount)
  }

  mutating func add(_ channels: [UnsafeBufferPointer<Float>]) {
    var position = 0
    while let count = unsafe channels.first?.count, position < count {
      let part = position..<min(count, position + windowLength - filled)
      for channel in sums.indices {
        let samples = unsafe channels[channel]
        for index in part { unsafe sums[channel] += Double(samples[index]) * Double(samples[index]) }
      }
      filled += part.count
      position = part.upperBound
      if filled == windowLength { endWindow() }
    }
  }

  /// Judges the last window, which may be shorter.
  ///
  /// - Returns: the samples of all windows that reached the threshold, in order. No two ranges touch.
  mutating func finish() -> [Range<Int64>] {
    if filled > 0 { endWindow() }
    return ranges
  }

  private mutating func endWindow() {
    let end = start + Int64(filled)
    if let loudest = sums.max(), loudest >= threshold * threshold * Double(filled) {
      if let last = ranges.last, last.upperBound == start {
        ranges[ranges.count - 1] = last.lowerBound..<end
      } else {
        ranges.append(start..<end)
      }
    }
    (start, filled) = (end, 0)
    for channel in sums.indices { sums[channel] = 0 }
  }
}
