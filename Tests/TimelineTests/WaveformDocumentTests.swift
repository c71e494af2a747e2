import Document
import Formats
import MediaTime
import Testing
import Timeline

/// How waveforms are read and written, and what is refused of them.
@Suite struct `A document's waveforms` {
  private func timeline(_ waveform: String) throws(DocumentFaults) -> Timeline {
    try Timeline.parse(
      Array(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
         "composition": {"tracks": [
           {"id": "V", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]},
           {"id": "S", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0", "duration": "2"}}]}]},
         "layers": [{"waveform": \(waveform)}]}
        """.utf8))
  }

  @Test(arguments: [
    ("7", "layers[0].waveform: expected an object, found a number"),
    (#"{"track": "V"}"#, "layers[0].waveform.track: track 'V' is not audio"),
    (#"{"bars": 1}"#, "layers[0].waveform.bars: 1 is not in 2...2000"),
    (#"{"bars": 2001}"#, "layers[0].waveform.bars: 2001 is not in 2...2000"),
    (#"{"floor": 0}"#, "layers[0].waveform.floor: 0 is not in -120...-1"),
    (#"{"style": "dots"}"#, "layers[0].waveform.style: 'dots' is not one of bars, area, line"),
    (#"{"style": "line", "round": true}"#, "layers[0].waveform.round: only bars have it: \"style\" is \"line\""),
    (#"{"lineWidth": 3}"#, "layers[0].waveform.lineWidth: only a line has it: \"style\" is \"bars\""),
    (#"{"now": 0.1}"#, "layers[0].waveform.now: is a place in a window: give \"window\", too"),
    (
      #"{"timeRange": {"start": "1", "duration": "1.5"}}"#,
      "layers[0].waveform.timeRange: ends at 2.5 s, after the composition, which ends at 2 s"
    ),
    (
      #"{"window": "0.01", "bars": 2000}"#,
      "layers[0].waveform.window: has 400000 levels; at most 50000 are accepted: show fewer bars, or a longer window"
    ),
    (#"{"bars": 3, "levels": [1, 2]}"#, "layers[0].waveform.levels: has 2 levels, but the waveform has 3"),
    (#"{"bars": 2, "levels": [1, 1001]}"#, "layers[0].waveform.levels[1]: 1001 is not in 0...1000"),
    (##"{"color": "#ffffff", "progress": "#000000"}"##, "layers[0].waveform.progress: unknown key"),
    (#"{"spectrum": 3}"#, "layers[0].waveform.spectrum: expected an object, found a number"),
    (#"{"spectrum": {"from": 5}}"#, "layers[0].waveform.spectrum.from: 5 is not in 10...48000"),
    (
      #"{"spectrum": {"from": 500, "to": 500}}"#,
      "layers[0].waveform.spectrum.to: the bands end at 500.0 Hz, which is not above 500.0 Hz, where they begin"
    ),
    (#"{"spectrum": {"bands": 8}}"#, "layers[0].waveform.spectrum.bands: unknown key (that is said by bars of the waveform)"),
    (
      #"{"spectrum": {}, "window": "1"}"#,
      "layers[0].waveform.window: a spectrum shows one moment, by the power in each band"
    ),
    (
      #"{"spectrum": {"step": "0.001"}, "bars": 2000}"#,
      "layers[0].waveform.spectrum: has 4000000 levels; at most 1000000 are accepted: show fewer bars, or a longer step"
    ),
    (
      #"{"spectrum": {"step": "1"}, "bars": 2, "levels": [1, 2, 3]}"#,
      "layers[0].waveform.levels: has 3 levels, but the waveform has 4"
    ),
  ])
  func `are refused with their place`(waveform: String, fault: String) {
    #expect { try timeline(waveform) } throws: { error in
      (error as? DocumentFaults)?.faults.contains { $0.description.hasPrefix(fault) } == true
    }
  }

  @Test func `of a spectrum are written as they were read, too`() throws {
    let usual = try timeline(#"{"spectrum": {"from": 40, "step": "0.04"}, "bars": 32, "floor": -60, "mirrored": false}"#)
    #expect(String(decoding: usual.canonicalJSON(), as: UTF8.self).contains(#""waveform":{"spectrum":{}}"#))
    #expect(try Timeline.parse(usual.canonicalJSON()) == usual)
    let all = try timeline(
      ##"""
      {"track": "S", "spectrum": {"from": 100, "to": 8000.5, "step": "1/2", "fall": 50}, "timeRange": {"start": "0.5", "duration": "1.2"},
       "bars": 2, "floor": -40, "mirrored": true, "levels": [0, 1, 2, 3, 4, 1000]}
      """##)
    #expect(try Timeline.parse(all.canonicalJSON()) == all)
    guard case .waveform(let waveform)? = all.layers.first?.content else { throw DocumentFaults(faults: []) }
    #expect(try waveform.momentCount == 3 && waveform.spectrum?.fall == 50 && waveform.isMirrored && waveform.floor == -40)
  }

  @Test func `are written as they were read, and their usual values not at all`() throws {
    let usual = try timeline(#"{"bars": 100, "style": "bars", "now": 0.5, "window": "1", "mirrored": true}"#)
    #expect(String(decoding: usual.canonicalJSON(), as: UTF8.self).contains(#""waveform":{"window":"1"}"#))
    let all = try timeline(
      ##"""
      {"track": "S", "timeRange": {"start": "0.5", "duration": "1"}, "bars": 3, "window": "0.5", "now": 0.25, "measure": "rms",
       "floor": -40.5, "normalize": true, "style": "line", "mirrored": false, "lineWidth": 3, "color": "#102030",
       "progressColor": "#40506070", "levels": [0, 1, 2, 3, 4, 1000]}
      """##)
    #expect(try Timeline.parse(all.canonicalJSON()) == all)
    guard case .waveform(let waveform)? = all.layers.first?.content else { throw DocumentFaults(faults: []) }
    #expect(waveform.levels == [0, 1, 2, 3, 4, 1000] && waveform.now == 0.25 && waveform.floor == -40.5)
    #expect(waveform.range.start.seconds == 0.5 && waveform.measure == .rms && waveform.isNormalized)
  }
}
