package import Formats
package import MediaTime

/// The loudness of a track or of the mix over time, drawn as bars or as an outline; or of each band of its spectrum at the time of the frame.
///
/// The levels are measured once, before the edit is planned, and travel with it. So every worker draws the same.
package struct WaveformContent: Hashable, Sendable {
  package enum Style: String, Hashable, Sendable, CaseIterable {
    /// A bar for each level.
    case bars
    /// A filled outline through all levels.
    case area
    /// The outline alone.
    case line
  }

  package enum Measure: String, Hashable, Sendable, CaseIterable {
    /// The largest sample of any channel.
    case peak
    /// The root of the mean square of the loudest channel.
    case rms
  }

  /// The bands of a spectrum, whose edges are equally far from each other in octaves. They stand from left to right.
  package struct Spectrum: Hashable, Sendable {
    /// The lower edge of the first band, in Hz.
    package var from: Double
    /// The upper edge of the last band, in Hz.
    package var to: Double
    /// The time from one measurement to the next.
    package var step: MediaTime
    /// The dB by which a band falls within a second, at most; nil where it falls at once.
    package var fall: Double?

    package init(from: Double = 40, to: Double = 16_000, step: MediaTime = Spectrum.usualStep, fall: Double? = nil) {
      (self.from, self.to, self.step, self.fall) = (from, to, step, fall)
    }

    /// A twenty-fifth of a second.
    package static let usualStep = MediaTime(milliseconds: 40)
    /// The level in dB that has no height where the document names none.
    package static let usualFloor = -60.0
    package static let usualBands = 32
  }

  /// The audio track; nil is all that is heard.
  package var track: TrackID?
  /// The spectrum that is shown in place of levels over time; nil for those. `bars` is then the number of its bands.
  package var spectrum: Spectrum?
  /// The part of the composition that is measured.
  package var range: MediaTimeRange
  /// The number of levels that are seen at once.
  package var bars: Int
  /// The length of time that is seen at once, around the time of the frame; nil where all of the range is seen throughout.
  package var window: MediaTime?
  /// The place of the frame's time in a window, as a share of the layer's width.
  package var now: Double
  package var measure: Measure
  /// The level in dB that is drawn with no height, below 0; nil where heights are proportional to samples.
  package var floor: Double?
  /// Whether the loudest level gets the whole height.
  package var isNormalized: Bool
  package var style: Style
  /// Whether it grows from the middle to both sides; else from the bottom up.
  package var isMirrored: Bool
  /// The width of a bar, as a share of the distance between two.
  package var barWidth: Double
  /// Whether the ends of bars are half circles.
  package var hasRoundBars: Bool
  /// The width of the line, in the layer's pixels.
  package var lineWidth: Double
  package var color: RGBAColor
  /// The colour of what lies before the frame's time; nil where it has the same.
  package var progressColor: RGBAColor?
  /// The heights, in thousandths of the layer's height; nil where they are not measured yet. Those of a spectrum are the bands of its first
  /// moment, then those of the second, and so on.
  package var levels: [Int]?

  package init(
    track: TrackID? = nil, spectrum: Spectrum? = nil, range: MediaTimeRange, bars: Int = 100, window: MediaTime? = nil,
    now: Double = 0.5,
    measure: Measure = .peak, floor: Double? = nil, isNormalized: Bool = false, style: Style = .bars, isMirrored: Bool = true,
    barWidth: Double = 0.6, hasRoundBars: Bool = false, lineWidth: Double = 2, color: RGBAColor = .white,
    progressColor: RGBAColor? = nil, levels: [Int]? = nil
  ) {
    self.spectrum = spectrum
    (self.track, self.range, self.bars, self.window, self.now) = (track, range, bars, window, now)
    (self.measure, self.floor, self.isNormalized, self.style) = (measure, floor, isNormalized, style)
    (self.isMirrored, self.barWidth, self.hasRoundBars, self.lineWidth) = (isMirrored, barWidth, hasRoundBars, lineWidth)
    (self.color, self.progressColor, self.levels) = (color, progressColor, levels)
  }

  /// The height that stands for the whole layer.
  package static let full = 1000

  /// The length of time of one level, in seconds.
  package var levelDuration: Rational {
    get throws(TimeError) { try Rational(window ?? range.duration) * Rational(1, over: Int128(bars)) }
  }

  /// The number of moments at which a spectrum is measured; 1 for levels over time.
  package var momentCount: Int {
    get throws(TimeError) {
      guard let spectrum else { return 1 }
      return max(Int(clamping: try range.duration.coveringUnits(of: spectrum.step)), 1)
    }
  }

  /// The number of levels that cover the range. In a window the last one may reach beyond it, into silence.
  package var levelCount: Int {
    get throws(TimeError) {
      if spectrum != nil {
        let (count, isTooLarge) = try momentCount.multipliedReportingOverflow(by: bars)
        return isTooLarge ? .max : count
      }
      guard window != nil else { return bars }
      let count = try Rational(range.duration) / levelDuration
      return Int(clamping: -(try Rational(0) - count).floor)
    }
  }
}

extension Layer {
  /// The waveforms of this layer, of the layers on it and of their masks.
  package var waveforms: [WaveformContent] {
    all.compactMap { found in if case .waveform(let waveform)? = found.layer.content { waveform } else { nil } }
  }

  /// The same layer with other waveforms, also on the layers on it and in masks.
  package func withWaveforms(_ change: (WaveformContent) -> WaveformContent) -> Layer {
    var layer = self
    if case .waveform(let waveform)? = content { layer.content = .waveform(change(waveform)) }
    layer.sublayers = sublayers.map { $0.withWaveforms(change) }
    layer.mask = mask?.withWaveforms(change)
    return layer
  }
}

/// A waveform whose levels are not measured yet.
package struct UnmeasuredWaveform: Hashable, Sendable {
  /// The nested composition in which it is shown; nil for the edit itself.
  package var composition: CompositionID?
  package var waveform: WaveformContent

  package init(_ waveform: WaveformContent, in composition: CompositionID?) {
    (self.waveform, self.composition) = (waveform, composition)
  }
}

extension Timeline {
  /// The waveforms that are not measured yet, also in the nested compositions that are played, each once.
  package var unmeasuredWaveforms: [UnmeasuredWaveform] {
    var played: Set<CompositionID> = []
    func visit(_ composition: Composition) {
      for id in composition.nested where played.insert(id).inserted {
        if let nested = compositions[id] { visit(nested.composition) }
      }
    }
    visit(composition)
    let inner = played.sorted().map { (Optional($0), compositions[$0]?.layers ?? []) }
    var (found, seen): ([UnmeasuredWaveform], Set<UnmeasuredWaveform>) = ([], [])
    for (composition, layers) in [(nil, layers)] + inner {
      for waveform in layers.flatMap(\.waveforms) where waveform.levels == nil {
        let unmeasured = UnmeasuredWaveform(waveform, in: composition)
        if seen.insert(unmeasured).inserted { found.append(unmeasured) }
      }
    }
    return found
  }

  /// The same edit with the levels of its waveforms.
  package func with(_ levels: [UnmeasuredWaveform: [Int]]) -> Timeline {
    func measured(_ layers: [Layer], in composition: CompositionID?) -> [Layer] {
      layers.map { layer in
        layer.withWaveforms { waveform in
          var measured = waveform
          measured.levels = waveform.levels ?? levels[UnmeasuredWaveform(waveform, in: composition)]
          return measured
        }
      }
    }
    var timeline = self
    timeline.layers = measured(layers, in: nil)
    for (id, nested) in compositions { timeline.compositions[id]?.layers = measured(nested.layers, in: id) }
    return timeline
  }
}
