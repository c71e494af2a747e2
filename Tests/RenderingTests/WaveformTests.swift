import Document
import FarmTesting
import Formats
import Media
import Messages
import Rendering
import Scenes
import Testing
import Timeline

/// Waveforms as layers: their measured levels against closed forms, and their pictures against shapes that are drawn by hand.
@Suite struct `A waveform` {
  private let workshop = Workshop()
  private static let frameCount = 10

  private init() throws {
    try workshop.clip("a.mp4", frameCount: Self.frameCount)
    // Two channels: a tone of amplitude 0.5 for 0.2 s, then of 0.05; the other channel has half of it.
    try MediaTools.ffmpeg([
      "-f", "lavfi", "-i",
      "aevalsrc='if(lt(t,0.2),0.5,0.05)*sin(2*PI*1000*t)|if(lt(t,0.2),0.25,0.025)*sin(2*PI*1000*t)':s=48000:d=0.4",
      "-c:a", "pcm_f32le", workshop.file("tone.wav"),
    ])
  }

  private func edit(_ layer: String, mix: String = "", compositions: String = "{}", source: String = "a") throws
    -> ResolvedTimeline
  {
    try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "tone": {"path": "tone.wav"}}, "compositions": \(compositions),
       "composition": {"tracks": [
         {"id": "V", "media": "video", "segments": [\(source == "a" ? #"{"asset": "a"}"# : #"{"composition": "inner"}"#)]},
         {"id": "S", "media": "audio", "segments": [{"asset": "tone"}]},
         {"id": "late", "media": "audio", "segments": [{"asset": "tone", "source": {"start": "0", "duration": "0.1"}, "at": "0.3"}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709",
         "instructions": [{"layerInstructions": ["V"]}]},
       "layers": [\(layer)], "audioMix": [\(mix)], "export": {"preset": "lossless"}}
      """)
  }

  private func levels(_ waveform: String, mix: String = "") throws -> [[Int]] {
    let edit = try edit(#"{"waveform": \#(waveform)}"#, mix: mix)
    return try WaveformLevels.measure(edit, policy: workshop.policy) {}
  }

  @Test(arguments: [
    (#"{"track": "S", "bars": 4}"#, [500, 500, 50, 50]),
    (#"{"track": "S", "bars": 4, "measure": "rms"}"#, [354, 354, 35, 35]),
    (#"{"track": "S", "bars": 4, "normalize": true}"#, [1000, 1000, 100, 100]),
    // -6.02 dB and -26.02 dB of 40 dB.
    (#"{"track": "S", "bars": 4, "floor": -40}"#, [849, 849, 349, 349]),
    (#"{"track": "S", "bars": 4, "floor": -20}"#, [699, 699, 0, 0]),
    // The mix has both tracks: the late one sounds over the last quarter, in phase.
    (#"{"bars": 4}"#, [500, 500, 50, 550]), (#"{"track": "late", "bars": 4}"#, [0, 0, 0, 500]),
    (#"{"track": "S", "timeRange": {"start": "0.1", "duration": "0.2"}, "bars": 2}"#, [500, 50]),
    // Two levels for each 0.1 s.
    (#"{"track": "S", "window": "0.1", "bars": 2}"#, [500, 500, 500, 500, 50, 50, 50, 50]),
    // The last of three levels of 0.15 s ends with the sound.
    (#"{"track": "S", "window": "0.3", "bars": 2, "measure": "rms"}"#, [354, 205, 35]),
  ])
  func `has the levels of what it shows`(waveform: String, expected: [Int]) throws {
    let measured = try #require(try levels(waveform).first)
    #expect(measured.count == expected.count)
    for (found, level) in zip(measured, expected) { #expect(abs(found - level) <= 1, "\(measured)") }
  }

  /// The bands of each moment, in thousandths.
  private func bands(_ waveform: String, bars: Int) throws -> [[Int]] {
    let measured = try #require(try levels(waveform).first)
    return stride(from: 0, to: measured.count, by: bars).map { Array(measured[$0..<($0 + bars)]) }
  }

  @Test func `of a spectrum has a tone in its band, with the tone's level`() throws {
    // A sine of -6.02 dB at 1 kHz, later of -26.02 dB. The bands are octaves from 62.5 Hz to 16 kHz; 1 kHz is where the fifth begins.
    let moments = try bands(
      #"{"track": "S", "bars": 8, "spectrum": {"from": 88.388, "to": 22627.4, "step": "0.1"}, "floor": -60}"#, bars: 8)
    #expect(moments.count == 4)
    for (moment, level) in zip(moments, [-6.02, -6.02, -26.02, -26.02]) {
      #expect(abs(Double(moment[3]) - 1000 * (1 + level / 60)) <= 3, "\(moment)")
      for (band, height) in moment.enumerated() where band != 3 { #expect(height < moment[3] / 2, "\(moment)") }
    }
    #expect(moments[0][0] < 50 && moments[0][7] < 50)
  }

  @Test func `of a spectrum falls as slowly as is asked for, and rises at once`() throws {
    let step = #""step": "0.1", "from": 500, "to": 2000"#
    let fast = try bands(#"{"track": "S", "bars": 2, "spectrum": {\#(step)}, "floor": -60}"#, bars: 2)
    let slow = try bands(#"{"track": "S", "bars": 2, "spectrum": {\#(step), "fall": 50}, "floor": -60}"#, bars: 2)
    #expect(slow[0] == fast[0] && slow[1] == fast[1])
    // 50 dB a second are 5 dB a step, which is a twelfth of 60 dB.
    for band in 0..<2 {
      #expect(abs(slow[2][band] - max(fast[2][band], slow[1][band] - 83)) <= 1, "\(slow) \(fast)")
      #expect(abs(slow[3][band] - max(fast[3][band], slow[2][band] - 83)) <= 1)
    }
    let late = try bands(#"{"track": "late", "bars": 2, "spectrum": {\#(step), "fall": 50}, "floor": -60}"#, bars: 2)
    #expect(late[0] == [0, 0] && late[3].max()! > 800)
  }

  @Test func `of a spectrum shows the bands of the frame's moment`() throws {
    let levels = "[1000, 0, 0, 1000, 500, 500, 0, 0]"
    let layer =
      ##"{"waveform": {"bars": 2, "spectrum": {"step": "0.1"}, "barWidth": 1, "levels": \##(levels)}, "frame": [0, 0, 96, 64]}"##
    let edit = try edit(layer)
    func heights(_ frame: Int) throws -> [Double] {
      guard case .still(let still, _)? = try edit.scene(at: frame).nodes.last else { return [] }
      let shapes = still.drawing.parts.flatMap(\.drawing.parts).compactMap { part -> VectorPath? in
        guard case .shape(let shape, _)? = part.drawing.content, case .path(let path) = shape.outline else { return nil }
        return path
      }
      return shapes.map { path in
        let heights = path.elements.compactMap { element -> Double? in
          switch element {
          case .move(let point), .line(let point): point.y
          case .curve, .close: nil
          }
        }
        return (heights.max() ?? 0) - (heights.min() ?? 0)
      }
    }
    // Frames of 0.04 s: the moments begin at frames 0, 3 (0.12 s), 5 and 8.
    #expect(try (0..<8).map { try heights($0) } == [[64], [64], [64], [64], [64], [32], [32], [32]])
    #expect(try heights(8) == [])
  }

  @Test func `has the volume of its track, and not what the track yields`() throws {
    let mix = #"{"track": "S", "volume": 0.5, "duck": {"under": ["late"], "by": 0.1}}"#
    #expect(try levels(#"{"track": "S", "bars": 2}"#, mix: mix) == [[250, 25]])
    #expect(try levels(#"{"track": "S", "bars": 2}"#, mix: #"{"track": "S", "mute": true}"#) == [[0, 0]])
  }

  @Test func `that an edit has twice is measured once, and one that has its levels not again`() throws {
    let known = #"{"waveform": {"bars": 2, "track": "late", "levels": [7, 8]}}"#
    let layer = #"{"waveform": {"bars": 2}}"#
    let edit = try edit("\(layer), \(known), {\"layers\": [\(layer)], \"opacity\": 0.5}")
    let waveforms = edit.timeline.unmeasuredWaveforms
    #expect(waveforms.count == 1)
    let measured = edit.timeline.with([waveforms[0]: [1, 2]])
    #expect(measured.unmeasuredWaveforms.isEmpty)
    #expect(measured.layers.flatMap(\.waveforms).map(\.levels) == [[1, 2], [7, 8], [1, 2]])
    // It travels in the document.
    #expect(try workshop.edit(String(decoding: measured.canonicalJSON(), as: UTF8.self)).timeline == measured)
  }

  @Test func `in a nested composition shows the sound of that composition`() throws {
    let inner = #"""
      {"inner": {"tracks": [{"id": "V", "media": "video", "segments": [{"asset": "a"}]},
        {"id": "T", "media": "audio", "segments": [{"asset": "tone", "source": {"start": "0.2", "duration": "0.2"}}]}],
        "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "color": "bt709"}, "layers": [{"waveform": {"bars": 2}}]}}
      """#
    let edit = try edit(#"{"waveform": {"bars": 2, "track": "S"}}"#, compositions: inner, source: "inner")
    // The inner composition lasts 0.4 s, its sound 0.2 s.
    let levels = try WaveformLevels.measure(edit, policy: workshop.policy) {}
    #expect(levels == [[500, 50], [50, 0]])
  }

  @Test func `that was not measured is refused by an attempt`() throws {
    let edit = try edit(#"{"waveform": {}}"#)
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    let spec = JobSpec(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, fonts: nil, output: "",
      overwrites: false, keepsSegments: true)
    #expect(throws: Failure.self) { try spec.edit }
    #expect(try spec.unmeasuredEdit.timeline == edit.timeline)
  }

  // MARK: - Pictures

  private func frame(_ index: Int, _ layer: String) throws -> [UInt8] {
    try PictureRenderer(edit: edit(layer), policy: workshop.policy).frame(index).packed()
  }

  private func shapes(_ paths: (path: String, color: String)...) -> String {
    let shapes = paths.map { #"{"shape": {"path": "\#($0.path)"}, "fillColor": "\#($0.color)"}"# }
    return #"{"frame": [8, 8, 80, 40], "masksToBounds": true, "layers": [\#(shapes.joined(separator: ", "))]}"#
  }

  private func waveform(_ settings: String) -> String {
    ##"{"frame": [8, 8, 80, 40], "waveform": {"bars": 4, "levels": [1000, 500, 0, 250], "color": "#ff0000", \##(settings)}}"##
  }

  @Test func `has bars at their places, and what was heard in a colour of its own`() throws {
    let bars = ["M 5 0 H 15 V 40 H 5 Z", "M 25 10 H 35 V 30 H 25 Z", "M 65 15 H 75 V 25 H 65 Z"]
    let all = shapes((bars.joined(separator: " "), "#ff0000"))
    #expect(try frame(3, waveform(#""barWidth": 0.5"#)) == frame(3, all))
    // At 0.12 s of 0.4 s, 24 of 80 pixels were heard; in the last frame, 72.
    let progress = waveform(##""barWidth": 0.5, "progressColor": "#00ff00""##)
    #expect(try frame(0, progress) == frame(0, all))
    #expect(try frame(3, progress) == frame(3, shapes((bars[0], "#00ff00"), (bars[1] + " " + bars[2], "#ff0000"))))
    let split = ["M 65 15 H 72 V 25 H 65 Z", "M 72 15 H 75 V 25 H 72 Z"]
    #expect(
      try frame(9, progress)
        == frame(9, shapes((bars[0] + " " + bars[1] + " " + split[0], "#00ff00"), (split[1], "#ff0000"))))
  }

  @Test func `stands on its ground where it is not mirrored, and is an outline where that is asked for`() throws {
    let bars = "M 5 0 H 15 V 40 H 5 Z M 25 20 H 35 V 40 H 25 Z M 65 30 H 75 V 40 H 65 Z"
    #expect(try frame(1, waveform(#""barWidth": 0.5, "mirrored": false"#)) == frame(1, shapes((bars, "#ff0000"))))
    let area = "M 0 0 L 10 0 L 30 20 L 50 40 L 70 30 L 80 30 L 80 40 L 0 40 Z"
    #expect(try frame(1, waveform(#""style": "area", "mirrored": false"#)) == frame(1, shapes((area, "#ff0000"))))
  }

  @Test func `in a window moves by the time that passes`() throws {
    // Four levels of 0.1 s. At 0.12 s the middle shows the second one, at a fifth of its length.
    let expected = shapes(("M 21 0 H 31 V 40 H 21 Z", "#00ff00"), ("M 41 10 H 51 V 30 H 41 Z", "#ff0000"))
    let moving = waveform(##""barWidth": 0.5, "window": "0.4", "progressColor": "#00ff00""##)
    #expect(try frame(3, moving) == frame(3, expected))
  }
}
