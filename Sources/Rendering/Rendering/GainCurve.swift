internal import Formats
internal import MediaTime
internal import Scenes
internal import Timeline

/// The envelope of a volume or a balance on the movie's sample clock. Each keyframe stands at the nearest sample, and ramps go from sample to sample.
struct GainCurve {
  /// A run of samples in which the gain moves from one value to another, or stays.
  private struct Piece {
    let samples: Range<Int64>
    /// The sample at which the gain is `from`, and the one at which it would be `to`. `start` is the later one where the sound is
    /// reversed.
    let start: Int64
    let end: Int64
    let from: Double
    let to: Double
    let easing: Easing
    /// The seconds between the two keyframes, on their own clock.
    let duration: Double

    init(constant gain: Double, _ samples: Range<Int64>) {
      (self.samples, start, end, duration) = (samples, 0, 0, 0)
      (from, to, easing) = (gain, gain, .linear)
    }

    init(_ here: Envelope<Double>.Keyframe, _ next: Envelope<Double>.Keyframe, start: Int64, end: Int64) {
      duration = next.time.seconds - here.time.seconds
      (samples, self.start, self.end) = (min(start, end)..<max(start, end), start, end)
      (from, to, easing) = (here.value, here.holds ? here.value : next.value, here.easing)
    }
  }

  let kind: SoundSpan.Volume.Kind
  /// The pieces in order. None is empty, and together they cover all samples.
  private let pieces: [Piece]

  /// - Parameter sampleRate: the number of samples per second.
  init(_ volume: SoundSpan.Volume, sampleRate: Int32) throws(TimeError) {
    kind = volume.kind
    let neutral = kind == .gain ? 1.0 : 0
    let keyframes = volume.envelope.keyframes
    let samples = try keyframes.map { (keyframe) throws(TimeError) in
      let sample = try (volume.origin + volume.scale * Rational(keyframe.time)) * Rational(Int64(sampleRate))
      return Int64(clamping: try sample.rounded())
    }
    guard let first = samples.first, let last = samples.last else {
      pieces = [Piece(constant: neutral, .min..<(.max))]
      return
    }
    let moving = keyframes.indices.dropLast().map {
      Piece(keyframes[$0], keyframes[$0 + 1], start: samples[$0], end: samples[$0 + 1])
    }
    let end = keyframes[keyframes.count - 1].value
    let all =
      last < first || volume.scale < Rational(0)
      ? [Piece(constant: end, .min..<last)] + moving.reversed() + [Piece(constant: neutral, first..<(.max))]
      : [Piece(constant: neutral, .min..<first)] + moving + [Piece(constant: end, last..<(.max))]
    pieces = all.filter { !$0.samples.isEmpty }
  }

  /// The gain of a channel for all samples of a range, where it stays the same; nil where it moves.
  func steadyGain(in samples: Range<Int64>, on side: ChannelSide) -> Float? {
    if kind == .balance, side == .middle { return 1 }
    let position = pieces.partitioningIndex { $0.samples.upperBound > samples.lowerBound }
    guard position < pieces.endIndex, pieces[position].from == pieces[position].to,
      pieces[position].samples.upperBound >= samples.upperBound
    else { return nil }
    return gain(Float(pieces[position].from), on: side)
  }

  /// Multiplies the samples of a channel by their gains.
  ///
  /// - Parameters:
  ///   - first: the number of the first sample.
  ///   - side: that on which the channel lies.
  func apply(to samples: UnsafeMutableBufferPointer<Float>, from first: Int64, on side: ChannelSide) {
    guard kind != .balance || side != .middle else { return }
    let end = first + Int64(samples.count)
    // A ducking may have as many pieces as there are sentences.
    var position = pieces.partitioningIndex { $0.samples.upperBound > first }
    while position < pieces.endIndex, pieces[position].samples.lowerBound < end {
      let piece = pieces[position]
      let part = piece.samples.clamped(to: first..<end)
      let range = Int(part.lowerBound - first)..<Int(part.upperBound - first)
      unsafe apply(piece, to: UnsafeMutableBufferPointer(rebasing: samples[range]), from: part.lowerBound, on: side)
      position += 1
    }
  }

  /// A run of samples with all on which their gains depend.
  struct Passage: Encodable {
    let first: Int64
    let end: Int64
    let from: Double
    let to: Double
    /// The two samples between which the gain moves, with the way in which it does; nil where it stays.
    let start: Int64?
    let goal: Int64?
    let easing: Easing?
    let duration: Double?
  }

  /// The runs of samples in a range.
  func passages(in range: Range<Int64>) -> [Passage] {
    pieces.filter { $0.samples.overlaps(range) }.map { piece in
      let (samples, moves) = (piece.samples.clamped(to: range), piece.from != piece.to)
      return Passage(
        first: samples.lowerBound, end: samples.upperBound, from: piece.from, to: piece.to, start: moves ? piece.start : nil,
        goal: moves ? piece.end : nil, easing: moves ? piece.easing : nil, duration: moves ? piece.duration : nil)
    }
  }

  private func apply(
    _ piece: Piece, to samples: UnsafeMutableBufferPointer<Float>, from first: Int64, on side: ChannelSide
  ) {
    let (length, distance) = (Double(piece.end - piece.start), piece.to - piece.from)
    if distance == 0 {
      unsafe SampleArithmetic.scale(samples, by: gain(Float(piece.from), on: side))
    } else if piece.easing == .linear {
      let (slope, number) = (distance / length, first - piece.start)
      switch kind {
      case .gain: unsafe SampleArithmetic.scale(samples, alongLineFrom: piece.from, slope: slope, first: number) { $0 }
      case .balance:
        unsafe SampleArithmetic.scale(samples, alongLineFrom: piece.from, slope: slope, first: number) { gain($0, on: side) }
      }
    } else {
      for index in samples.indices {
        let progress = piece.easing.progress(at: Double(first + Int64(index) - piece.start) / length, of: piece.duration)
        // A curve that overshoots must not make a gain negative, which would invert the sound.
        let value = piece.from + distance * progress
        unsafe samples[index] *= gain(Float(kind == .gain ? max(value, 0) : min(max(value, -1), 1)), on: side)
      }
    }
  }

  /// The gain of a channel at a value of the envelope. Of a balance the far side gets softer, and the near one stays as it is.
  private func gain(_ value: Float, on side: ChannelSide) -> Float {
    kind == .gain ? value : min(1, side == .left ? 1 - value : 1 + value)
  }
}

extension AudioCodecSettings.ChannelLayout {
  /// The sides of its channels.
  var sides: [ChannelSide] { places.map(\.side) }
}
