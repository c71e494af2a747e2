internal import Formats
internal import Glibc
package import Media
internal import MediaTime
package import Messages
package import Scenes
internal import Timeline

/// The sound of a movie, taken block by block: the mix, brought to the loudness that the export asks for.
///
/// Loudness is a matter of the whole sound. So the mix is made once to be measured, and again with one gain that is the same
/// throughout. A range that it exceeds is narrowed first, by a gain that moves over seconds, and that mix is measured, too. Where that would bring a true peak over the ceiling, a limiter holds it below. Limiting takes some loudness, so
/// that this mix is measured too, and the gain corrected, before the sound is made that is kept. Nothing is stored between these
/// passes: memory does not grow with the movie, and every pass has the same samples. One owner, one thread.
package final class MasteredSound {
  /// The distance in dB that the limiter keeps from the ceiling, because measurements of true peaks differ by their filters.
  private static let margin = 0.1
  /// The passes with the limiter, at most. A target that its ceiling does not allow is not reached by more.
  private static let trials = 5
  /// The distance from the target, in LU, with which a pass is kept.
  private static let tolerance = 0.05
  /// The most by which the gain is raised to give back what limiting takes, in dB. More would only squeeze the sound.
  private static let mostCorrection = 12.0

  /// The samples of the passes before this sound, a channel; for progress.
  package let samplesBefore: Int64
  /// The loudness before and after; nil where the export asks for none.
  package let loudness: SoundLoudness?
  private let pass: MasteringPass

  /// - Parameters:
  ///   - part: the samples that are mixed, of an edit that may be divided (`SoundDivision`); nil mixes all.
  ///   - progress: called after every block with the number of samples mixed so far, a channel, and with the number of all
  ///     that will be mixed, as far as that is known.
  /// - Precondition: the edit has sound.
  /// - Throws: what `SoundMix` throws.
  package init(
    edit: ResolvedTimeline, policy: SourcePolicy, part: SoundMix.Part? = nil,
    progress: (_ done: Int64, _ total: Int64) -> Void = { _, _ in }
  ) throws {
    guard let settings = edit.audio else { preconditionFailure("the edit has no sound") }
    precondition(part == nil || edit.timeline.export.loudness == nil, "loudness is a matter of the whole sound")
    // What comes before the exported part is mixed in each pass, too, for effects that remember it.
    let count = try part.map { Int64($0.mixed.count) } ?? edit.sampleCount + edit.leadSampleCount
    var before = try edit.studiedSampleCount
    let target = edit.timeline.export.loudness
    let rest = target == nil ? count : count * (target?.range == nil ? 2 : 3)
    let studied = before
    let measures = try SoundMeasures(of: edit, policy: policy) { progress($0, studied + rest) }
    func makePass(_ setting: MasteringPass.Setting) throws -> MasteringPass {
      try MasteringPass(SoundMix(edit: edit, policy: policy, measures: measures, part: part), settings, setting)
    }
    func measure(_ setting: MasteringPass.Setting) throws -> MasteringPass.Levels {
      let levels = try makePass(setting).measured(settings, keepsCourse: target?.range != nil) {
        progress(before + $0, before + count * 2)
      }
      before += count
      return levels
    }
    guard let target else {
      (samplesBefore, loudness, pass) = (before, nil, try makePass(.init()))
      return
    }
    let mixed = try measure(.init())
    var (setting, levels) = (MasteringPass.Setting(), mixed)
    if let range = target.range, let gains = mixed.course?.gains(narrowingTo: range) {
      setting.narrowing = NarrowingGain(gains, sampleRate: settings.sampleRate)
      levels = try measure(setting)
    }
    setting.gain = levels.integrated.map { target.integrated - $0 } ?? 0
    levels = levels.louder(by: setting.gain)
    if let peak = levels.truePeak, peak > target.truePeak - Self.margin {
      (setting, levels) = try Self.limited(to: target, from: setting, measure)
    }
    loudness = SoundLoudness(
      measured: mixed.integrated, gain: SoundMeasures.hundredths(setting.gain), limiting: levels.limiting,
      integrated: levels.integrated, truePeak: levels.truePeak, measuredRange: mixed.course?.range,
      range: levels.course?.range)
    (samplesBefore, pass) = (before, try makePass(setting))
  }

  /// Finds the gain before the limiter with which what comes out of it has the target's loudness, by the secant method. Loudness
  /// rises with the gain, the slower the more is limited.
  ///
  /// - Returns: the best pass, with its levels.
  private static func limited(
    to target: LoudnessTarget, from unlimited: MasteringPass.Setting,
    _ measure: (MasteringPass.Setting) throws -> MasteringPass.Levels
  ) throws -> (MasteringPass.Setting, MasteringPass.Levels) {
    var setting = unlimited
    setting.ceiling = target.truePeak - margin
    var last: (gain: Double, integrated: Double)?
    var best: (setting: MasteringPass.Setting, levels: MasteringPass.Levels, miss: Double)?
    for _ in 1...trials {
      let levels = try measure(setting)
      // Sound that cannot be measured misses nothing.
      let missing = levels.integrated.map { target.integrated - $0 } ?? 0
      let excess = max(0, (levels.truePeak ?? -.infinity) - target.truePeak)
      // No distance from the loudness is as bad as a peak over the ceiling.
      let miss = abs(missing) + (excess > 0 ? 1_000 + excess : 0)
      if best.map({ miss < $0.miss }) ?? true { best = (setting, levels, miss) }
      if miss <= tolerance { break }
      let (step, integrated) = (setting.gain - (last?.gain ?? setting.gain), target.integrated - missing)
      // The first step knows no slope yet. Where much is limited, it is about this.
      let slope = step == 0 ? 0.7 : (integrated - (last?.integrated ?? integrated)) / step
      last = (setting.gain, integrated)
      let next = SoundMeasures.hundredths(min(setting.gain + missing / min(max(slope, 0.15), 1), unlimited.gain + mostCorrection))
      if next == setting.gain, excess == 0 { break }
      (setting.gain, setting.ceiling) = (next, (setting.ceiling ?? target.truePeak) - excess)
    }
    guard let best else { preconditionFailure("there is a pass") }
    return (best.setting, best.levels)
  }

  /// The next samples; nil at the end. The block holds the samples until the next call. It is empty in the beginning, while what comes
  /// before the exported part is mixed for effects.
  package func next() throws -> SampleBlock? { try pass.next() }

  /// The number of samples of this pass that are mixed so far, with those before the exported part.
  package var mixedCount: Int64 { pass.mix.mixedCount }

  /// The parts of the sound so far that are silence because their source is damaged.
  package var concealed: [Concealment] { pass.mix.concealed }
}

extension ResolvedTimeline {
  /// The number of samples that all studies mix, a channel.
  fileprivate var studiedSampleCount: Int64 {
    get throws(TimeError) {
      var sum: Int64 = 0
      for study in soundStudies { sum += try soundSpans(of: study, SoundMeasures()).sampleCount }
      return sum
    }
  }
}

/// One pass over a mix, with a gain and perhaps a limiter. One owner, one thread.
private final class MasteringPass {
  struct Setting {
    /// The gain in dB.
    var gain = 0.0
    /// The gain that narrows the sound's range; nil where it does not move.
    var narrowing: NarrowingGain?
    /// The level in dBTP to which true peaks are limited; nil without a limiter.
    var ceiling: Double?
  }

  /// The levels of a whole sound, in whole hundredths.
  struct Levels {
    /// In LUFS; nil where it cannot be measured.
    var integrated: Double?
    /// In dBTP; nil for digital silence.
    var truePeak: Double?
    /// The most by which the limiter lowered it, in dB.
    var limiting: Double
    /// The loudness over time; nil where no range is asked for. A gain does not change its range.
    var course: LoudnessCourse?

    func louder(by gain: Double) -> Levels {
      Levels(
        integrated: integrated.map { SoundMeasures.hundredths($0 + gain) },
        truePeak: truePeak.map { SoundMeasures.hundredths($0 + gain) }, limiting: limiting, course: course)
    }
  }

  let mix: SoundMix
  private let gain: Float
  private let narrowing: NarrowingGain?
  /// The samples to which the gains were applied so far.
  private var position: Int64 = 0
  private let limiter: TruePeakLimiter?
  /// The samples that the limiter still gives out before the sound's first one.
  private var early: Int
  /// The block with the silence after the sound, which brings out what the limiter holds; nil when it is out.
  private var tail: SampleBlock?

  init(_ mix: SoundMix, _ settings: AudioCodecSettings, _ setting: Setting) {
    self.mix = mix
    gain = Float(Exponential.gain(decibels: setting.gain))
    narrowing = setting.narrowing
    let channelCount = settings.channelLayout.channelCount
    limiter = setting.ceiling.map {
      TruePeakLimiter(
        ceiling: Exponential.gain(decibels: $0), channelCount: channelCount, sampleRate: settings.sampleRate)
    }
    early = limiter?.delay ?? 0
    tail = limiter.map { SampleBlock(channelCount: channelCount, capacity: $0.delay) }
    if let tail { tail.silence(tail.capacity) }
  }

  func next() throws -> SampleBlock? {
    while let block = try mix.next() ?? takeTail() {
      if block.count == 0 { return block }
      for channel in 0..<block.channelCount {
        unsafe SampleArithmetic.scale(UnsafeMutableBufferPointer(rebasing: block.planes[channel][..<block.count]), by: gain)
      }
      narrowing?.apply(to: block, from: position)
      position += Int64(block.count)
      limiter?.process(block)
      let dropped = min(early, block.count)
      block.dropFirst(dropped)
      early -= dropped
      if block.count > 0 { return block }
    }
    return nil
  }

  private func takeTail() -> SampleBlock? {
    defer { tail = nil }
    return tail
  }

  /// Measures the sound that this pass would give.
  ///
  /// - Parameter progress: called after every block with the number of samples so far, a channel.
  func measured(_ settings: AudioCodecSettings, keepsCourse: Bool, progress: (Int64) -> Void) throws -> Levels {
    let meter = try LoudnessMeter(sampleRate: settings.sampleRate, layout: settings.channelLayout, keepsTenths: keepsCourse)
    let peaks = TruePeakMeter(channelCount: settings.channelLayout.channelCount, sampleRate: settings.sampleRate)
    while let block = try next() {
      if block.count > 0 {
        try unsafe meter.add(block.samples)
        peaks.add(block)
      }
      progress(mix.mixedCount)
    }
    return Levels(
      integrated: try meter.integrated.map(SoundMeasures.hundredths), truePeak: Self.decibels(peaks.finish()),
      limiting: 0 - (limiter.flatMap { Self.decibels($0.leastGain) } ?? 0),
      course: keepsCourse ? LoudnessCourse(tenths: meter.tenths) : nil)
  }

  /// The level of a peak in dB; nil for 0.
  private static func decibels(_ peak: Double) -> Double? {
    peak > 0 && peak.isFinite ? SoundMeasures.hundredths(20 * log10(peak)) : nil
  }
}

extension SampleBlock {
  /// Removes the first samples.
  fileprivate func dropFirst(_ dropped: Int) {
    guard dropped > 0 else { return }
    count -= dropped
    for channel in 0..<channelCount {
      let plane = unsafe planes[channel]
      for index in 0..<count { unsafe plane[index] = plane[index + dropped] }
    }
  }
}
