internal import Formats
internal import Media
internal import MediaTime
internal import Scenes

/// The samples that a span would have if it were played forwards, from the last to the first.
///
/// Readers only read forwards. So the span is read in pieces, the last one first. Reading a piece starts some samples before it,
/// so that the resampler's filter has settled. It starts where the resampler's phase is the same as at the span's start. So the
/// pieces join as if they had been read in one go.
final class ReversedSound: SampleSource {
  /// The number of samples in a piece: 22 seconds at 48 kHz, 8 MB in stereo. Formats that cannot seek are decoded from their
  /// start for each piece.
  private static let pieceLength: Int64 = 1 << 20
  /// The number of samples that are read and dropped before a piece. Resampling filters are shorter.
  private static let settling: Int64 = 4096

  private let span: SoundSpan
  private let sampleRate: Int32
  private let open: (Rational) throws(MediaError) -> AudioReader
  /// The number of samples after which the resampler's phase is the same again.
  private let period: Int64
  /// The samples of the piece, forwards. Those from `left` on have been given out.
  private let piece: SampleBlock
  private var left = 0
  private(set) var concealedSamples: Int64 = 0
  /// The samples at the beginning of what is heard that are left out.
  let skippedSamples: Int64
  /// The number of samples of the span that lie before the piece.
  private var before: Int64

  /// - Parameters:
  ///   - sourceRate: the source's own number of samples per second.
  ///   - skipped: the samples that are not wanted. Whole pieces of them are not read, and the others come (`skippedSamples`).
  ///   - open: opens the span's source from a source time on.
  init(
    _ span: SoundSpan, sourceRate: Int32, _ settings: AudioCodecSettings, after skipped: Int64 = 0,
    _ open: @escaping (Rational) throws(MediaError) -> AudioReader
  ) throws(TimeError) {
    (self.span, sampleRate, self.open) = (span, settings.sampleRate, open)
    skippedSamples = skipped - skipped % Self.pieceLength
    before = Int64(span.samples.count) - skippedSamples
    let step = try span.rate * Rational(Int128(sourceRate), over: Int128(settings.sampleRate))
    // At some odd speeds the phase does not return within `settling` samples. Pieces are then off by at most half a source
    // sample.
    period = step.denominator <= Int128(Self.settling) ? Int64(step.denominator) : 1
    let capacity = Int(min(before, Self.pieceLength) + Self.settling)
    piece = SampleBlock(channelCount: settings.channelLayout.channelCount, capacity: capacity)
  }

  func read(_ count: Int, into planes: [UnsafeMutableBufferPointer<Float>]) throws(MediaError) -> Int {
    var done = 0
    while done < count, left > 0 || before > 0 {
      if left == 0 { try readPiece() }
      let part = min(left, count - done)
      for channel in 0..<piece.channelCount {
        let (source, target) = unsafe (piece.planes[channel], planes[channel])
        for index in 0..<part { unsafe target[done + index] = source[left - 1 - index] }
      }
      left -= part
      done += part
    }
    return done
  }

  private func readPiece() throws(MediaError) {
    let start = max(before - Self.pieceLength, 0)
    let settled = max(start - Self.settling, 0)
    let from = settled - settled % period
    let reader = try open(sourceTime(of: from))
    var dropped = Int64(0)
    while dropped < start - from {
      let count = try unsafe reader.read(Int(min(start - from - dropped, Self.settling)), into: piece.planes)
      guard count > 0 else { break }
      dropped += Int64(count)
    }
    // Samples that the source does not have are silence, as when it is played forwards.
    piece.silence(piece.capacity)
    _ = try unsafe reader.read(Int(before - start), into: piece.planes)
    concealedSamples += reader.concealedSamples
    (left, before) = (Int(before - start), start)
  }

  private func sourceTime(of sample: Int64) throws(MediaError) -> Rational {
    do {
      return try span.sourceStart + span.rate * Rational(Int128(sample), over: Int128(sampleRate))
    } catch {
      throw MediaError(.internal, at: "\(span.asset)", "\(error)")
    }
  }
}
