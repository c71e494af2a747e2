internal import Formats
internal import Media
internal import MediaTime
internal import Scenes
internal import Timeline

/// The samples of a span that follows a retiming curve and keeps its pitch.
///
/// The curve is taken in runs. The source of each is read once, forwards or backwards, and stretched along the curve. Between them,
/// where the source is too slow to be heard or turns round, sound fades out before and in behind. A run is made from its beginning,
/// wherever the movie's range begins, so its samples are always the same. One thread at a time.
final class CurvedPitchSound: SampleSource {
  /// The run that is heard: what makes its samples, and their number in the movie.
  private struct Player {
    let source: any SampleSource
    let stretcher: CurveStretcher
    /// The output samples for each input sample, on the whole.
    let ratio: Double
    /// The movie's sample that the stretcher gives next.
    var position: Int64
  }

  private let span: SoundSpan
  private let runs: [CurvedRun]
  private let pitch: Double
  private let rate: Int32
  private let channelCount: Int
  private let open: (SoundSpan) throws -> any SampleSource
  /// The place in the movie at which the curve begins, in samples; negative where the movie begins within the curve.
  private let origin: Double
  /// The time at which the curve ends, counted from its beginning.
  private let length: Double
  private var run = 0
  private var player: Player?
  /// The movie's sample that is given next.
  private var position: Int64
  private let end: Int64
  private var concealedBefore: Int64 = 0
  private let scratch: SampleBlock

  /// - Parameters:
  ///   - open: opens the source of a span whose speed is constant.
  /// - Precondition: the curve keeps its pitch.
  init(
    _ span: SoundSpan, along curve: SoundCurve, pitch: Rational, _ settings: AudioCodecSettings,
    _ open: @escaping (SoundSpan) throws -> any SampleSource
  ) throws(TimeError) {
    (self.span, self.pitch, rate, self.open) = (span, pitch.approximation, settings.sampleRate, open)
    channelCount = settings.channelLayout.channelCount
    runs = try CurvedRun.all(of: curve, slowest: pitch.approximation / Double(DocumentLimits.preservedSpeed))
    let last = curve.pieces[curve.pieces.count - 1]
    origin = try (curve.pieces[0].start * Rational(Int64(settings.sampleRate))).approximation
    // The end of the last run is the same sum.
    length = try (last.start - curve.pieces[0].start).approximation + last.duration.approximation
    (position, end) = (span.samples.lowerBound, span.samples.upperBound)
    scratch = SampleBlock(channelCount: channelCount, capacity: SoundMix.blockLength)
  }

  func read(_ count: Int, into planes: [UnsafeMutableBufferPointer<Float>]) throws(MediaError) -> Int {
    let count = Int(min(Int64(count), end - position))
    unsafe planes.forEach { plane in unsafe plane[..<count].update(repeating: 0) }
    let wanted = position..<position + Int64(count)
    while run < runs.count {
      let heard = samples(of: runs[run]).clamped(to: wanted)
      if !heard.isEmpty { try unsafe give(heard, of: runs[run], from: wanted.lowerBound, into: planes) }
      guard samples(of: runs[run]).upperBound <= wanted.upperBound else { break }
      concealedBefore = concealedSamples
      (run, player) = (run + 1, nil)
    }
    position = wanted.upperBound
    return count
  }

  var concealedSamples: Int64 {
    guard let player else { return concealedBefore }
    return concealedBefore + Int64((Double(player.source.concealedSamples) * player.ratio).rounded(.up))
  }

  /// The movie's samples in which a run is heard.
  private func samples(of run: CurvedRun) -> Range<Int64> {
    let first = Int64((run.start * Double(rate) + origin).rounded(.up))
    return first..<max(first, Int64((run.end * Double(rate) + origin).rounded(.up)))
  }

  private func give(
    _ heard: Range<Int64>, of run: CurvedRun, from first: Int64, into planes: [UnsafeMutableBufferPointer<Float>]
  ) throws(MediaError) {
    var player: Player
    if let opened = self.player { player = opened } else { player = try self.player(of: run) }
    while player.position < heard.lowerBound {
      let count = Int(min(heard.lowerBound - player.position, Int64(scratch.capacity)))
      try unsafe read(count, of: player, into: scratch.planes)
      player.position += Int64(count)
    }
    let offset = Int(heard.lowerBound - first)
    let rest = unsafe planes.map { unsafe UnsafeMutableBufferPointer(rebasing: $0[offset...]) }
    try unsafe read(heard.count, of: player, into: rest)
    player.position = heard.upperBound
    self.player = player
    for index in 0..<heard.count {
      let gain = gain(of: run, at: (Double(heard.lowerBound + Int64(index)) - origin) / Double(rate))
      guard gain < 1 else { continue }
      unsafe rest.forEach { plane in unsafe plane[index] *= Float(gain) }
    }
  }

  private func read(
    _ count: Int, of player: Player, into planes: [UnsafeMutableBufferPointer<Float>]
  ) throws(MediaError) {
    try unsafe player.stretcher.read(count, into: planes) { (count, planes) throws(MediaError) in
      try unsafe player.source.read(count, into: planes)
    }
  }

  /// The gain beside a place where the source is too slow, or turns round.
  private func gain(of run: CurvedRun, at time: Double) -> Double {
    var gain = 1.0
    if run.start > 0 { gain = min(gain, (time - run.start) / CurvedSound.fade) }
    if run.end < length { gain = min(gain, (run.end - time) / CurvedSound.fade) }
    return max(gain, 0)
  }

  /// Opens the source of a run at its beginning.
  private func player(of run: CurvedRun) throws(MediaError) -> Player {
    let rate = Double(self.rate)
    // The source is read from a sample of the movie's rate on, the one before the run's earliest time.
    let earliest = Int64((run.earliest * rate).rounded(.down))
    let start = Double(earliest) / rate
    let count = max(Int64(((run.latest - start) / pitch * rate).rounded(.up)), 1)
    let source: any SampleSource
    do {
      source = try open(
        span.stretch(of: count, from: Rational(Int128(earliest), over: Int128(self.rate)), isReversed: run.isReversed))
    } catch {
      throw error as? MediaError ?? MediaError(.internal, at: "\(span.asset)", "\(error)")
    }
    let first = samples(of: run).lowerBound
    let (pitch, isReversed, begin) = (pitch, run.isReversed, Double(first) - origin)
    let stretcher = CurveStretcher(sampleRate: self.rate, channelCount: channelCount, inputCount: count) { input in
      let forwards = isReversed ? Double(count) - 1 - input : input
      return run.time(of: start + forwards * pitch / rate) * rate - begin
    }
    return Player(
      source: source, stretcher: stretcher, ratio: (run.end - run.start) * rate / Double(count), position: first)
  }
}
