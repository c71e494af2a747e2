internal import JSON
internal import MediaTime
internal import Timeline

extension TimelineResolver {
  /// Notes waveforms without a sound that they could show, and too many of them.
  func checkWaveforms(_ resolved: ResolvedTimeline) {
    var count = 0
    for (index, layer) in timeline.layers.enumerated() {
      for (layer, way) in layer.all {
        guard case .waveform? = layer.content else { continue }
        count += 1
        if resolved.audio == nil {
          log.note("shows sound, and there is none", at: root["layers"][index].following(way)["waveform"])
        }
      }
    }
    guard root == .root else { return }
    count += timeline.compositions.values.reduce(0) { $0 + $1.layers.reduce(0) { $0 + $1.waveforms.count } }
    let all = (timeline.layers + timeline.compositions.values.flatMap(\.layers)).flatMap(\.waveforms)
    // A count that time cannot hold was refused where the waveform was read.
    let levels = all.filter { $0.spectrum != nil }.reduce(0) { $0 + ((try? $1.levelCount) ?? 0) }
    if levels > DocumentLimits.spectrumLevels {
      log.note(
        "spectra with \(levels) levels in all; at most \(DocumentLimits.spectrumLevels) are accepted: show fewer bars, or a longer step",
        at: root["layers"])
    }
    if count > DocumentLimits.waveforms {
      log.note("\(count) waveforms; at most \(DocumentLimits.waveforms) are accepted", at: root["layers"])
    }
    if count > 0, resolved.audio == nil { log.note("there is no sound that waveforms could show", at: root["composition"]) }
  }
}
