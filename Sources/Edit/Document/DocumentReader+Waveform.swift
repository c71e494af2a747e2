internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension DocumentReader {
  func waveformContent(_ node: DocumentNode) -> WaveformContent? {
    guard let object = DocumentObject(.waveform, node) else { return nil }
    let faultsBefore = log.count
    guard let range = waveformRange(object) else { return nil }
    let spectrum = object["spectrum"].flatMap(spectrum)
    let usual = WaveformContent.usual(spectrum, range)
    let waveform = WaveformContent(
      track: object["track"].flatMap { trackID($0, .audio) }, spectrum: spectrum, range: range,
      bars: object["bars"].flatMap { $0.integer(in: DocumentLimits.waveformBars) } ?? usual.bars,
      window: object["window"].flatMap { time($0, .positive) },
      now: object["now"].flatMap { $0.number(in: 0...1) } ?? usual.now,
      measure: object["measure"].flatMap { $0.choice(WaveformContent.Measure.self) } ?? usual.measure,
      floor: object["floor"].flatMap { $0.number(in: DocumentLimits.waveformFloor) } ?? usual.floor,
      isNormalized: object["normalize"].flatMap { $0.bool() } ?? false,
      style: object["style"].flatMap { $0.choice(WaveformContent.Style.self) } ?? usual.style,
      isMirrored: object["mirrored"].flatMap { $0.bool() } ?? usual.isMirrored,
      barWidth: object["barWidth"].flatMap { $0.number(in: 0.01...1) } ?? usual.barWidth,
      hasRoundBars: object["round"].flatMap { $0.bool() } ?? false,
      lineWidth: object["lineWidth"].flatMap { $0.number(in: DocumentLimits.lineWidth) } ?? usual.lineWidth,
      color: object["color"].flatMap(color) ?? usual.color, progressColor: object["progressColor"].flatMap(color))
    checkStyle(waveform, object)
    guard log.count == faultsBefore, let count = exact(node, { () throws(TimeError) in try waveform.levelCount }) else {
      return nil
    }
    guard count <= mostLevels(waveform) else {
      let (part, change) = spectrum == nil ? ("window", "a longer window") : ("spectrum", "a longer step")
      return (object[part] ?? node).refuse(
        because: "has \(count) levels; at most \(mostLevels(waveform)) are accepted: show fewer bars, or \(change)")
    }
    return measured(waveform, count, object)
  }

  private func mostLevels(_ waveform: WaveformContent) -> Int {
    waveform.spectrum == nil ? DocumentLimits.waveformLevels : DocumentLimits.spectrumLevels
  }

  private func spectrum(_ node: DocumentNode) -> WaveformContent.Spectrum? {
    guard let object = DocumentObject(.spectrum, node) else { return nil }
    let usual = WaveformContent.Spectrum()
    let spectrum = WaveformContent.Spectrum(
      from: object["from"].flatMap { $0.number(in: DocumentLimits.spectrumEdges) } ?? usual.from,
      to: object["to"].flatMap { $0.number(in: DocumentLimits.spectrumEdges) } ?? usual.to,
      step: object["step"].flatMap { time($0, .positive) } ?? usual.step,
      fall: object["fall"].flatMap { $0.number(in: DocumentLimits.spectrumFall) })
    guard spectrum.from * 1.01 <= spectrum.to else {
      return (object["to"] ?? object["from"] ?? node).refuse(
        because: "the bands end at \(spectrum.to) Hz, which is not above \(spectrum.from) Hz, where they begin")
    }
    return spectrum
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
    if waveform.spectrum != nil {
      let why = "a spectrum shows one moment, by the power in each band"
      for key in ["window", "now", "measure", "progressColor"] { object[key]?.note(why) }
      return
    }
    if waveform.window == nil { object["now"]?.note("is a place in a window: give \"window\", too") }
  }

  /// The waveform with the levels that were measured before, where the document has them.
  private func measured(_ waveform: WaveformContent, _ count: Int, _ object: DocumentObject) -> WaveformContent? {
    guard let node = object["levels"] else { return waveform }
    guard let nodes = node.elements(atMost: mostLevels(waveform)) else { return nil }
    guard nodes.count == count else { return node.refuse(because: "has \(nodes.count) levels, but the waveform has \(count)") }
    let levels = nodes.compactMap { $0.integer(in: 0...WaveformContent.full) }
    guard levels.count == count else { return nil }
    var measured = waveform
    measured.levels = levels
    return measured
  }
}

extension WaveformContent {
  /// The waveform of a range with usual values.
  static func usual(_ spectrum: Spectrum?, _ range: MediaTimeRange) -> WaveformContent {
    guard let spectrum else { return WaveformContent(range: range) }
    return WaveformContent(
      spectrum: spectrum, range: range, bars: Spectrum.usualBands, floor: Spectrum.usualFloor, isMirrored: false)
  }
}
