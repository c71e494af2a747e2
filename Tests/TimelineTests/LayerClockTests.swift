import EditTesting
import Document
import FarmTesting
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `The clock of a layer` {
  private static func time(_ text: String) throws -> MediaTime { try MediaTime(parsing: text) }

  @Test(arguments: [
    // The time around the clock, and on it.
    ("0", "0.5"), ("2", "0.5"), ("3", "2"), ("4", "3.5"),
  ])
  func `it stands until it begins, then runs at its speed`(around: String, own: String) throws {
    let clock = LayerClock(begin: try Self.time("2"), speed: Rational(try Self.time("3/2")), offset: try Self.time("0.5"))
    #expect(try clock.time(at: Self.time(around)) == Self.time(own))
  }

  @Test(arguments: [
    (false, 2, "0.25", "0.25"), (false, 2, "1", "0"), (false, 2, "1.75", "0.75"), (false, 2, "2", "1"), (false, 2, "9", "1"),
    (true, 1, "0.75", "0.75"), (true, 1, "1", "1"), (true, 1, "1.25", "0.75"), (true, 1, "2", "0"), (true, 1, "7", "0"),
    (true, 0, "6.5", "0.5"), (true, 0, "7.5", "0.5"), (true, 0, "7", "1"), (false, 0, "100", "0"), (false, 0, "100.3", "0.3"),
  ])
  func `it repeats, there or there and back, and stands where it ended`(
    autoreverses: Bool, count: Int, around: String, own: String
  ) throws {
    let clock = LayerClock(
      cycle: .init(duration: try Self.time("1"), count: count == 0 ? nil : Int64(count), autoreverses: autoreverses))
    #expect(try clock.time(at: Self.time(around)) == Self.time(own))
  }

  /// The stills' places across, at each frame of 10 a second.
  private func places(_ layers: String, at frames: [Int]) throws -> [[Double]] {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
       "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/10", "color": "bt709", "instructions": [
         {"timeRange": {"start": "0", "duration": "10"}}]}, "layers": [\(layers)]}
      """
    let edit = try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): try Assets.movie()])
    return try frames.map { frame in
      try edit.scene(at: frame).nodes.compactMap { node in
        guard case .still(let still, let placement) = node else { return nil }
        return still.map.then(placement.transform).tx
      }
    }
  }

  @Test func `keyframes, and all times of what stands on the layer, count on it`() throws {
    let slide = #"[{"at": "0", "value": [0, 0]}, {"at": "1", "value": [100, 0]}]"#
    let box = #""backgroundColor": [1, 0, 0], "frame": [0, 0, 10, 10], "anchorPoint": [0, 0]"#
    let own =
      #"{\#(box), "position": \#(slide), "clock": {"begin": "2", "duration": "1", "repeat": "forever", "autoreverse": true}}"#
    #expect(try places(own, at: [0, 20, 25, 30, 35, 40, 45]) == [[0], [0], [50], [100], [50], [0], [50]])
    let around =
      #"{"frame": [5, 0, 100, 100], "clock": {"begin": "1", "speed": 2}, "layers": [{\#(box), "position": \#(slide)}, {\#(box), "from": "1", "to": "2"}]}"#
    #expect(try places(around, at: [0, 10, 12, 15, 19, 20]) == [[5], [5], [45], [105, 5], [105, 5], [105]])
  }

  /// The edit lasts 10 s, and the clock shows 20 s at its end.
  @Test func `a layer goes at its time on that clock, and stays to the end where it has none`() throws {
    let box = #""backgroundColor": [1, 0, 0], "frame": [0, 0, 10, 10], "anchorPoint": [0, 0]"#
    for (times, seen) in [
      (#""to": "9""#, [true, true, false, false]), (#""to": "10""#, [true, true, false, false]),
      (#""from": "1""#, [false, true, true, true]), (#""from": "1", "to": "10""#, [false, true, false, false]),
      (#""from": "12""#, [false, false, false, true]), (#""from": "0""#, [true, true, true, true]),
    ] {
      let layer = #"{"frame": [5, 0, 100, 100], "clock": {"speed": 2}, "layers": [{\#(box), \#(times)}]}"#
      #expect(try places(layer, at: [0, 44, 50, 99]).map { !$0.isEmpty } == seen, "\(times)")
      let document = #"""
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
         "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
         "layers": [\#(layer)]}
        """#
      let timeline = try Timeline.parse(Array(document.utf8))
      #expect(try Timeline.parse(timeline.canonicalJSON()) == timeline, "\(times)")
      #expect(try timeline.resolved(with: [AssetID("a"): try Assets.movie()]).warnings == [])
    }
  }

  @Test func `depth decides what lies on top, and hidden layers are not there`() throws {
    func box(_ x: Int, _ more: String) -> String { #"{"backgroundColor": [1, 0, 0], "frame": [\#(x), 0, 10, 10]\#(more)}"# }
    let layers = [
      box(1, ""), box(2, #", "zPosition": -1"#), box(3, #", "zPosition": 4"#), box(4, ""), box(5, #", "hidden": true"#),
    ]
    #expect(try places(layers.joined(separator: ", "), at: [0]) == [[2, 1, 4, 3]])
  }

  @Test(arguments: [
    (#"{"repeat": 2}"#, "clock.repeat: needs \"duration\""),
    (#"{"duration": "1", "repeat": 0}"#, "clock.repeat"),
    (#"{"duration": "1", "repeat": "always"}"#, "clock.repeat"),
    (#"{"speed": 0}"#, "clock.speed"), (#"{"speed": "1/100000"}"#, "clock.speed"), (#"{"speed": "100000"}"#, "clock.speed"),
    (#"{"beginTime": "1"}"#, "clock.beginTime"),
  ])
  func `a clock that cannot run is refused`(clock: String, fault: String) throws {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
        {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
       "layers": [{"backgroundColor": [1, 0, 0], "clock": \(clock)}]}
      """
    let faults = try #require(throws: DocumentFaults.self) { try Timeline.parse(Array(document.utf8)) }
    #expect("\(faults)".contains("layers[0].\(fault)"), "\(faults)")
  }

  @Test(arguments: [ChromaSampling.yuv420, .yuv422, .yuv444])
  func `the video in a layer is composited in the movie's own form`(chroma: ChromaSampling) throws {
    let document = """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
        {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]}, "layers": [{"video": true}],
       "export": {"fileType": "mkv", "video": {"codec": "ffv1", "chroma": "\(chroma.rawValue)"}}}
      """
    let edit = try Timeline.parse(Array(document.utf8)).resolved(with: [AssetID("a"): try Assets.movie()])
    let scene = try edit.scene(at: 0)
    guard case .video(let video, _)? = scene.nodes.first else { return #expect(Bool(false), "\(scene.nodes)") }
    #expect(scene.canvas.chroma == chroma && video.canvas == scene.canvas)
  }
}
