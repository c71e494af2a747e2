package import Formats
package import Media
internal import MediaTime
internal import Scenes

/// Reads the peaks of a track of sound, as BBC's audiowaveform defines them: for each pixel the smallest and the largest sample, of 16 bits,
/// of the mean of all channels.
package final class WaveformPeaks {
  package let sampleRate: Int32
  package let channelCount: Int

  private let samplesPerPixel: Int
  private let reader: AudioReader
  private let block: SampleBlock
  /// The extremes so far of the pixel that is not complete, and the number of its samples.
  private var (least, most, filled) = (Int.max, Int.min, 0)
  private var hasEnded = false

  /// - Parameters:
  ///   - track: a track of sound, as it was probed. One of more than two channels is mixed down to two, or read as 5.1.
  ///   - samplesPerPixel: at least 1.
  /// - Throws: what `AudioReader` throws.
  package init(of path: String, _ track: TrackFacts, policy: SourcePolicy, samplesPerPixel: Int) throws(MediaError) {
    guard case .audio(let facts) = track.detail else { preconditionFailure("a track of sound") }
    let layout: AudioCodecSettings.ChannelLayout =
      facts.channelCount == 1 ? .mono : facts.channelCount == 6 ? .surround51 : .stereo
    (sampleRate, channelCount, self.samplesPerPixel) = (facts.sampleRate, layout.channelCount, samplesPerPixel)
    reader = try AudioReader(
      path: path, track: track, policy: policy, from: Rational(track.timeRange.start), sampleRate: facts.sampleRate,
      layout: layout)
    block = SampleBlock(channelCount: layout.channelCount, capacity: SoundMix.blockLength)
  }

  /// The peaks of the next samples, the smallest and the largest of each pixel in turn; nil at the end. The last pixel may stand for
  /// fewer samples.
  package func next() throws(MediaError) -> [Int16]? {
    guard !hasEnded else { return nil }
    var peaks: [Int16] = []
    while peaks.count < 4096, !hasEnded {
      let count = try unsafe reader.read(SoundMix.blockLength, into: block.planes)
      for index in 0..<count {
        var sum = 0
        for channel in 0..<channelCount { sum += unsafe Self.integer(block.planes[channel][index]) }
        let sample = sum / channelCount
        (least, most, filled) = (min(least, sample), max(most, sample), filled + 1)
        if filled == samplesPerPixel { peaks += finishPixel() }
      }
      hasEnded = count < SoundMix.blockLength
      if hasEnded, filled > 0 { peaks += finishPixel() }
    }
    return peaks
  }

  private func finishPixel() -> [Int16] {
    defer { (least, most, filled) = (.max, .min, 0) }
    return [Int16(clamping: least), Int16(clamping: most)]
  }

  private static func integer(_ sample: Float) -> Int {
    Int((min(max(sample, -1), 1) * 32_768).rounded(.toNearestOrEven)).clampedTo16
  }
}

extension Int {
  fileprivate var clampedTo16: Int { Swift.min(Swift.max(self, -32_768), 32_767) }
}
