internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentWriter {
  func waveform(_ waveform: WaveformContent) -> JSONValue {
    let usual = WaveformContent.usual(waveform.spectrum, waveform.range)
    let isWhole = waveform.range.start == .zero && waveform.range.end == duration
    return .object(
      members([
        "track": waveform.track.map { .string($0.rawValue) }, "spectrum": waveform.spectrum.map(spectrum),
        "timeRange": isWhole ? nil : range(waveform.range),
        "bars": unless(waveform.bars, usual.bars, JSONValue.integer), "window": waveform.window.map(time),
        "now": unless(waveform.now, usual.now, JSONValue.double),
        "measure": unless(waveform.measure, usual.measure) { .string($0.rawValue) },
        "floor": waveform.floor == usual.floor ? nil : waveform.floor.map(JSONValue.double),
        "normalize": unless(waveform.isNormalized, false, JSONValue.bool),
        "style": unless(waveform.style, usual.style) { .string($0.rawValue) },
        "mirrored": unless(waveform.isMirrored, usual.isMirrored, JSONValue.bool),
        "barWidth": unless(waveform.barWidth, usual.barWidth, JSONValue.double),
        "round": unless(waveform.hasRoundBars, false, JSONValue.bool),
        "lineWidth": unless(waveform.lineWidth, usual.lineWidth, JSONValue.double),
        "color": unless(waveform.color, usual.color, color), "progressColor": waveform.progressColor.map(color),
        "levels": waveform.levels.map { .array($0.map(JSONValue.integer)) },
      ]))
  }

  private func spectrum(_ spectrum: WaveformContent.Spectrum) -> JSONValue {
    let usual = WaveformContent.Spectrum()
    return .object(
      members([
        "from": unless(spectrum.from, usual.from, JSONValue.double), "to": unless(spectrum.to, usual.to, JSONValue.double),
        "step": unless(spectrum.step, usual.step, time), "fall": spectrum.fall.map(JSONValue.double),
      ]))
  }
}
