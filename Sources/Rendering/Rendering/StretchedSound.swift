internal import Media
internal import MediaTime
internal import Scenes

/// The samples of a span that plays at another speed and keeps its pitch: those of its source, stretched.
///
/// The source is read at the part of the speed that changes the pitch, `rate / stretch`, which is 1 where no nested composition
/// adds to it.
final class StretchedSound: SampleSource {
  private let source: any SampleSource
  private let stretcher: TimeStretcher
  private let stretch: Double

  /// - Parameter open: opens the source of a span whose pitch follows its speed.
  init(
    _ span: SoundSpan, sampleRate: Int32, channelCount: Int, _ open: (SoundSpan) throws -> any SampleSource
  ) throws {
    let count = Int64(span.samples.count)
    let inputCount = try max(Int64(clamping: (Rational(count) * span.stretch).rounded()), 1)
    stretch = span.stretch.approximation
    stretcher = TimeStretcher(sampleRate: sampleRate, channelCount: channelCount, inputCount: inputCount, outputCount: count)
    source = try open(span.unstretched(count: inputCount))
  }

  func read(_ count: Int, into planes: [UnsafeMutableBufferPointer<Float>]) throws(MediaError) -> Int {
    try unsafe stretcher.read(count, into: planes) { (count, planes) throws(MediaError) in
      try unsafe source.read(count, into: planes)
    }
  }

  var concealedSamples: Int64 { Int64((Double(source.concealedSamples) / stretch).rounded(.up)) }
}
