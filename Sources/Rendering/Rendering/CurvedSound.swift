internal import Formats
internal import Media
internal import MediaTime
internal import Scenes

/// The samples of a span that follows a retiming curve. Its pitch follows its speed.
///
/// Each sample is found by itself: the curve says at which place of the source it stands, and a filter what the source's signal is
/// there. So the sound goes on without a seam where the speed changes, and does not depend on where mixing began. Where the source
/// stands still nothing is heard: sound fades out before and in behind.
final class CurvedSound: SampleSource {
  /// The length of the fades beside a place where the source stands still, in seconds.
  static let fade = 0.005
  /// The least number of source samples that are read at once.
  private static let leastBlock = 1 << 16

  /// A piece of the curve in samples of the source, by seconds.
  private struct Piece {
    let start, duration, place, speed, halfAcceleration: Double
    let isStill: Bool
    var followsStill = false
    var precedesStill = false
  }

  private let pieces: [Piece]
  private let sampleRate: Double
  private var piece = 0
  /// The movie's sample that is given next.
  private var position: Int64
  private let end: Int64
  private let window: SourceWindow
  private var kernel = SincKernel()

  /// - Parameters:
  ///   - sampleRate: the movie's samples per second.
  ///   - skipped: the number of the span's first samples that are left out.
  ///   - open: opens the source at its own rate, from a source time on.
  init(
    _ span: SoundSpan, _ curve: SoundCurve, of track: TrackFacts, sourceRate: Int32, sampleRate: Int32, channelCount: Int,
    after skipped: Int64, _ open: @escaping (Rational) throws(MediaError) -> AudioReader
  ) throws(TimeError) {
    let rate = Double(sourceRate)
    var pieces = curve.pieces.map {
      Piece(
        start: $0.start.approximation, duration: $0.duration.approximation, place: $0.source.approximation * rate,
        speed: $0.speed.approximation * rate, halfAcceleration: $0.acceleration.approximation * rate / 2, isStill: $0.isStill)
    }
    for index in pieces.indices {
      pieces[index].followsStill = index > 0 && pieces[index - 1].isStill
      pieces[index].precedesStill = index + 1 < pieces.count && pieces[index + 1].isStill
    }
    let fastest = try curve.pieces.map { (piece) throws(TimeError) in try piece.fastest }.max() ?? Rational(1)
    let width = SincKernel.width(step: fastest.approximation * rate / Double(sampleRate))
    (self.pieces, self.sampleRate) = (pieces, Double(sampleRate))
    (position, end) = (span.samples.lowerBound + skipped, span.samples.upperBound)
    window = SourceWindow(
      sourceRate: sourceRate, end: track.timeRange.end, channelCount: channelCount, block: max(Self.leastBlock, width), open)
  }

  func read(_ count: Int, into planes: [UnsafeMutableBufferPointer<Float>]) throws(MediaError) -> Int {
    let count = Int(min(Int64(count), end - position))
    for index in 0..<count {
      let time = Double(position + Int64(index)) / sampleRate
      while piece + 1 < pieces.count, time >= pieces[piece + 1].start { piece += 1 }
      let gain = gain(in: pieces[piece], at: time)
      guard gain > 0 else {
        for channel in unsafe planes.indices { unsafe planes[channel][index] = 0 }
        continue
      }
      let passed = time - pieces[piece].start
      let current = pieces[piece]
      let place = current.place + passed * (current.speed + passed * current.halfAcceleration)
      let step = abs(current.speed + 2 * passed * current.halfAcceleration) / sampleRate
      let first = kernel.aim(at: place, step: step)
      try window.reach(first, count: kernel.weights.count)
      for channel in unsafe planes.indices {
        unsafe planes[channel][index] = Float(gain * window.sum(channel, from: first, kernel.weights))
      }
    }
    position += Int64(count)
    return count
  }

  var concealedSamples: Int64 { window.concealedSamples }

  private func gain(in piece: Piece, at time: Double) -> Double {
    if piece.isStill { return 0 }
    var gain = 1.0
    if piece.followsStill { gain = min(gain, (time - piece.start) / Self.fade) }
    if piece.precedesStill { gain = min(gain, (piece.start + piece.duration - time) / Self.fade) }
    return max(gain, 0)
  }
}

/// A part of a source's samples, around the place that is heard. It reads in blocks whose borders do not depend on where reading began.
private final class SourceWindow {
  private let sourceRate: Int32
  private let end: MediaTime
  /// The length of a block. The window is two of them, which hold all that a place needs.
  private let block: Int
  private let open: (Rational) throws(MediaError) -> AudioReader
  private let samples: [SampleBlock]
  /// The numbers of the blocks that the halves of the window hold.
  private var held: [Int64?] = [nil, nil]
  private var reader: AudioReader?
  /// The block that the reader gives next.
  private var upcoming: Int64 = 0
  private(set) var concealedSamples: Int64 = 0

  init(
    sourceRate: Int32, end: MediaTime, channelCount: Int, block: Int,
    _ open: @escaping (Rational) throws(MediaError) -> AudioReader
  ) {
    (self.sourceRate, self.end, self.block, self.open) = (sourceRate, end, block, open)
    samples = (0..<2).map { _ in SampleBlock(channelCount: channelCount, capacity: block) }
  }

  /// Reads what is missing of `count` samples from `first` on.
  func reach(_ first: Int64, count: Int) throws(MediaError) {
    let (low, high) = (number(of: first), number(of: first + Int64(count) - 1))
    for number in low...high where held[half(number)] != number {
      try fill(samples[half(number)], with: number)
      held[half(number)] = number
    }
  }

  /// The sum of the samples from `first` on, each times its weight.
  func sum(_ channel: Int, from first: Int64, _ weights: [Double]) -> Double {
    var (sum, number) = (0.0, number(of: first))
    var (place, index) = (Int(first - number * Int64(block)), 0)
    while index < weights.count {
      let plane = unsafe samples[half(number)].planes[channel]
      let count = min(weights.count - index, block - place)
      for offset in 0..<count { unsafe sum += weights[index + offset] * Double(plane[place + offset]) }
      (index, place, number) = (index + count, 0, number + 1)
    }
    return sum
  }

  private func number(of sample: Int64) -> Int64 {
    let length = Int64(block)
    return sample >= 0 ? sample / length : -((length - 1 - sample) / length)
  }

  private func half(_ number: Int64) -> Int { Int(number & 1) }

  /// Reads a block. What the source does not have is silence.
  private func fill(_ target: SampleBlock, with number: Int64) throws(MediaError) {
    target.silence(block)
    let first = number * Int64(block)
    guard first >= 0, Double(first) / Double(sourceRate) < end.seconds || end == .zero else { return }
    if reader == nil || upcoming != number {
      // Reading begins a second before, so that decoders have settled: those of lossy codecs need some blocks for that.
      let early = max(first - Int64(sourceRate), 0)
      let place: Rational
      do { place = try Rational(Int128(early), over: Int128(sourceRate)) } catch {
        throw MediaError(.internal, at: "sound", "\(error)")
      }
      let opened = try open(place)
      try opened.skip(first - early, in: target)
      reader = opened
      target.silence(block)
    }
    guard let reader else { return }
    let before = reader.concealedSamples
    _ = try unsafe reader.read(block, into: target.planes)
    concealedSamples += reader.concealedSamples - before
    upcoming = number + 1
  }
}
