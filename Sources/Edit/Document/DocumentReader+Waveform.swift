internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentReader {
  func waveformContent(_ node: DocumentNode) -> WaveformContent? {
    guard let object = DocumentObject(.waveform, node) else { return nil }
    let faultsBefore = log.count
    guard let range = waveformRange(object) else { return nil }
    let usual = WaveformContent(range: range)
    let waveform = WaveformContent(
      track: object["track"].flatMap { trackID($0, .audio) }, range: range,
      bars: object["bars"].flatMap { $0.integer(in: DocumentLimits.waveformBars) } ?? usual.bars,
      window: object["window"].flatMap { time($0, .positive) },
      now: object["now"].flatMap { $0.number(in: 0...1) } ?? usual.now,
      measure: object["measure"].flatMap { $0.choice(WaveformContent.Measure.self) } ?? usual.measure,
      floor: object["floor"].flatMap { $0.number(in: DocumentLimits.waveformFloor) },
      isNormalized: object["normalize"].flatMap { $0.bool() } ?? false,
      style: object["style"].flatMap { $0.choice(WaveformContent.Style.self) } ?? usual.style,
      isMirrored: object["mirrored"].flatMap { $0.bool() } ?? true,
      barWidth: object["barWidth"].flatMap { $0.number(in: 0.01...1) } ?? usual.barWidth,
      hasRoundBars: object["round"].flatMap { $0.bool() } ?? false,
      lineWidth: object["lineWidth"].flatMap { $0.number(in: DocumentLimits.lineWidth) } ?? usual.lineWidth,
      color: object["color"].flatMap(color) ?? usual.color, progressColor: object["progressColor"].flatMap(color))
    checkStyle(waveform, object)
    guard log.count == faultsBefore, let count = exact(node, { () throws(TimeError) in try waveform.levelCount }) else {
      return nil
    }
    guard count <= DocumentLimits.waveformLevels else {
      return (object["window"] ?? node).refuse(
        because: "has \(count) levels; at most \(DocumentLimits.waveformLevels) are accepted: show fewer bars, or a longer window"
      )
    }
    return measured(waveform, count, object)
  }

  /// The range that is measured; the whole composition where it is left out.
  private func waveformRange(_ object: DocumentObject) -> MediaTimeRange? {
    // A composition without a length has a fault of its own.
    guard let duration else { return nil }
    guard let node = object["timeRange"] else {
      return exact(object.node) { () throws(TimeError) in try MediaTimeRange(start: .zero, end: duration) }
    }
    guard let range = timeRange(node) else { return nil }
    guard range.end <= duration else {
      return node.refuse(because: "ends at \(range.end) s, after the composition, which ends at \(duration) s")
    }
    return range
  }

  private func checkStyle(_ waveform: WaveformContent, _ object: DocumentObject) {
    if waveform.style != .bars {
      (object["barWidth"] ?? object["round"])?.note("only bars have it: \"style\" is \"\(waveform.style.rawValue)\"")
    }
    if waveform.style != .line { object["lineWidth"]?.note("only a line has it: \"style\" is \"\(waveform.style.rawValue)\"") }
    if waveform.window == nil { object["now"]?.note("is a place in a window: give \"window\", too") }
  }

  /// The waveform with the levels that were measured before, where the document has them.
  private func measured(_ waveform: WaveformContent, _ count: Int, _ object: DocumentObject) -> WaveformContent? {
    guard let node = object["levels"] else { return waveform }
    guard let nodes = node.elements(atMost: DocumentLimits.waveformLevels) else { return nil }
    guard nodes.count == count else { return node.refuse(because: "has \(nodes.count) levels, but the waveform has \(count)") }
    let levels = nodes.compactMap { $0.integer(in: 0...WaveformContent.full) }
    guard levels.count == count else { return nil }
    var measured = waveform
    measured.levels = levels
    return measured
  }
}
