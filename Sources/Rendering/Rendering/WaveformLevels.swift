internal import Formats
internal import Glibc
package import Media
internal import MediaTime
package import Scenes
internal import Timeline

/// The measured levels of a waveform.
package struct WaveformLevels {
  /// Measures an edit's waveforms by mixing their tracks.
  ///
  /// The tracks are heard with their own volumes and loudness, but they yield to no other track, and the loudness of the whole movie
  /// changes nothing.
  ///
  /// - Parameter progress: called after every block of samples.
  /// - Returns: the heights of each waveform, in thousandths, in the order of `unmeasuredWaveforms`.
  /// - Throws: what reading the sources throws.
  /// - Precondition: the edit has sound.
  package static func measure(
    _ edit: ResolvedTimeline, policy: SourcePolicy, progress: () -> Void
  ) throws -> [[Int]] {
    guard let settings = edit.audio else { preconditionFailure("the edit has no sound") }
    let measures = try SoundMeasures(of: edit, policy: policy) { _ in progress() }
    return try edit.timeline.unmeasuredWaveforms.map { place in
      let timeline = place.composition.map { edit.edit(of: $0).timeline } ?? edit.timeline
      let tracks = timeline.composition.tracks.filter { $0.media == .audio }.map(\.id).sorted()
      // A study of activity hears tracks as a waveform shows them.
      let study = SoundStudy(
        .activity(threshold: 0), of: place.waveform.track.map { [$0] } ?? tracks, in: place.composition)
      let mix = try SoundMix(study: study, of: edit, policy: policy, measures: measures)
      if let spectrum = place.waveform.spectrum {
        var meter = try SpectrumMeter(place.waveform, spectrum, sampleRate: settings.sampleRate)
        while let block = try mix.next(), !meter.isFull {
          unsafe meter.add(block.samples)
          progress()
        }
        meter.finish()
        return meter.heights
      }
      var meter = try LevelMeter(place.waveform, sampleRate: settings.sampleRate)
      while let block = try mix.next(), !meter.isFull {
        unsafe meter.add(block.samples)
        progress()
      }
      return meter.heights
    }
  }
}

/// Measures the level of each part of a waveform.
struct LevelMeter {
  private let waveform: WaveformContent
  /// The first sample of each part, and the end of the last one.
  private let borders: [Int64]
  private var position: Int64 = 0
  private var part = 0
  /// The largest sample so far in each part.
  private var peaks: [Double]
  /// The sums of squares so far in each part, by channel.
  private var squares: [[Double]]

  init(_ waveform: WaveformContent, sampleRate: Int32) throws(TimeError) {
    self.waveform = waveform
    let count = try waveform.levelCount
    let (start, length) = (Rational(waveform.range.start), try waveform.levelDuration)
    borders = try (0...count).map { (index) throws(TimeError) in
      // A window's last part may end after the range.
      let time = min(try start + length * Rational(Int64(index)), Rational(waveform.range.end))
      return Int64(clamping: try (time * Rational(Int64(sampleRate))).rounded())
    }
    peaks = Array(repeating: 0, count: count)
    squares = Array(repeating: [], count: count)
  }

  /// Whether all parts are measured.
  var isFull: Bool { part >= peaks.count }

  /// Adds samples that follow those of the call before.
  mutating func add(_ channels: [UnsafeBufferPointer<Float>]) {
    guard let count = unsafe channels.first?.count else { return }
    let end = position + Int64(count)
    while !isFull, borders[part] < end {
      let range = max(borders[part], position)..<max(min(borders[part + 1], end), max(borders[part], position))
      if squares[part].isEmpty { squares[part] = unsafe Array(repeating: 0, count: channels.count) }
      for channel in 0..<squares[part].count {
        let samples = unsafe channels[channel]
        for index in Int(range.lowerBound - position)..<Int(range.upperBound - position) {
          let sample = unsafe Double(samples[index])
          peaks[part] = max(peaks[part], abs(sample))
          squares[part][channel] += sample * sample
        }
      }
      guard borders[part + 1] <= end else { break }
      part += 1
    }
    position = end
  }

  /// The heights in thousandths.
  var heights: [Int] {
    let levels = peaks.indices.map { index in
      switch waveform.measure {
      case .peak: return peaks[index]
      case .rms:
        let length = borders[index + 1] - borders[index]
        return length > 0 ? ((squares[index].max() ?? 0) / Double(length)).squareRoot() : 0
      }
    }
    let loudest = waveform.isNormalized ? levels.max() ?? 0 : 1
    return levels.map { level in
      let share = loudest > 0 ? min(level / loudest, 1) : 0
      guard let floor = waveform.floor else { return Int((share * Double(WaveformContent.full)).rounded()) }
      guard share > 0 else { return 0 }
      return Int((max(1 - 20 * log10(share) / floor, 0) * Double(WaveformContent.full)).rounded())
    }
  }
}
