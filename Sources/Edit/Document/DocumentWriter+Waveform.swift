internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentWriter {
  func waveform(_ waveform: WaveformContent) -> JSONValue {
    let usual = WaveformContent(range: waveform.range)
    let isWhole = waveform.range.start == .zero && waveform.range.end == duration
    return .object(
      members([
        "track": waveform.track.map { .string($0.rawValue) }, "timeRange": isWhole ? nil : range(waveform.range),
        "bars": unless(waveform.bars, usual.bars, JSONValue.integer), "window": waveform.window.map(time),
        "now": unless(waveform.now, usual.now, JSONValue.double),
        "measure": unless(waveform.measure, usual.measure) { .string($0.rawValue) },
        "floor": waveform.floor.map(JSONValue.double),
        "normalize": unless(waveform.isNormalized, false, JSONValue.bool),
        "style": unless(waveform.style, usual.style) { .string($0.rawValue) },
        "mirrored": unless(waveform.isMirrored, true, JSONValue.bool),
        "barWidth": unless(waveform.barWidth, usual.barWidth, JSONValue.double),
        "round": unless(waveform.hasRoundBars, false, JSONValue.bool),
        "lineWidth": unless(waveform.lineWidth, usual.lineWidth, JSONValue.double),
        "color": unless(waveform.color, usual.color, color), "progressColor": waveform.progressColor.map(color),
        "levels": waveform.levels.map { .array($0.map(JSONValue.integer)) },
      ]))
  }
}
