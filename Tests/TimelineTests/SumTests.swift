import Document
import Formats
import MediaTime
import Testing
import Timeline

/// Values over time that are repeated and added to each other.
@Suite struct `A sum of values over time` {
  private func time(_ value: Int64, _ timescale: Int32 = 1) throws -> MediaTime { try MediaTime(value, timescale) }

  private func layers(_ layers: String) throws(DocumentFaults) -> [Layer] {
    try Timeline.parse(
      Array(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
         "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
           {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
         "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/10", "color": "bt709", "instructions": [
           {"timeRange": {"start": "0", "duration": "10"}}]}, "layers": [\(layers)]}
        """.utf8)
    ).layers
  }

  private func faults(_ text: String) -> [String] {
    do {
      _ = try layers(text)
      return []
    } catch { return error.faults.map(\.description) }
  }

  private static let box = #""backgroundColor": [1, 0, 0]"#
  private static let way = #""keyframes": [{"at": "1", "value": 0}, {"at": "2", "value": 90}]"#

  private func rotation(_ value: String) throws -> Envelope<Double> {
    try #require(layers(#"{\#(Self.box), "rotation": \#(value)}"#).first).geometry.rotation
  }

  @Test func `a repeated one begins anew, a cumulative one goes on where the pass before it ended`() throws {
    let again = try rotation(#"{\#(Self.way), "repeat": 3}"#)
    for (tenth, value) in [(0, 0.0), (10, 0), (15, 45), (20, 0), (25, 45), (35, 45), (40, 90), (99, 90)] {
      #expect(try at(time(Int64(tenth), 10)) { try again.heldValue(at: $0, neutral: 7) } == value, "\(tenth)")
    }
    let further = try rotation(#"{\#(Self.way), "repeat": 3, "cumulative": true}"#)
    for (tenth, value) in [(0, 0.0), (10, 0), (15, 45), (20, 90), (25, 135), (35, 225), (40, 270), (99, 270)] {
      #expect(try at(time(Int64(tenth), 10)) { try further.heldValue(at: $0, neutral: 7) } == value, "\(tenth)")
    }
    let ever = try rotation(#"{\#(Self.way), "repeat": "forever", "cumulative": true}"#)
    #expect(try at(time(1001)) { try ever.heldValue(at: $0, neutral: 7) } == 90_000)
    #expect(!ever.isSteady && ever.furthest == .infinity && further.furthest == 270)
  }

  @Test func `an added one counts from the usual value, or from what stands before it`() throws {
    let one = try rotation(#"{\#(Self.way), "additive": true}"#)
    #expect(try at(time(3, 2)) { try one.heldValue(at: $0, neutral: 7) } == 45)
    let three = try rotation(
      #"""
      [{"keyframes": [{"at": "0", "value": 100, "easing": "easeIn"}, {"at": "8", "value": 10}]}, {\#(Self.way), "additive": true},
       {"keyframes": [{"at": "0", "value": 1}], "additive": true}]
      """#)
    let alone = try rotation(#"[{"at": "0", "value": 100, "easing": "easeIn"}, {"at": "8", "value": 10}]"#)
    #expect(
      try at(time(3, 2)) { try three.heldValue(at: $0, neutral: 7) } == at(time(3, 2)) { try alone.heldValue(at: $0, neutral: 7) }
        + 46)
    let layer = try #require(
      layers(
        #"""
        {\#(Self.box), "frame": [10, 20, 100, 40], "anchorPoint": [0, 1],
         "opacity": {"keyframes": [{"at": "0", "value": 0}, {"at": "1", "value": -0.5}], "additive": true},
         "position": {"keyframes": [{"at": "0", "value": [0, 0]}, {"at": "1", "value": [4, 8]}], "additive": true}}
        """#
      ).first)
    #expect(try at(time(1, 2)) { try layer.geometry.position.heldValue(at: $0, neutral: .zero) } == Point(12, 64))
    #expect(try at(time(1, 2)) { try layer.opacity(at: $0) } == 0.75)
  }

  @Test func `maps follow each other`() throws {
    let layer = try #require(
      layers(
        #"""
        {\#(Self.box), "transform": [{"keyframes": [{"at": "0", "value": [2, 0, 0, 3, 0, 0]}]},
          {"keyframes": [{"at": "0", "value": [1, 0, 0, 1, 0, 0]}, {"at": "1", "value": [1, 0, 0, 1, 10, 0]}],
           "repeat": 5, "cumulative": true, "additive": true}]}
        """#
      ).first)
    let map = try at(time(5, 2)) { try layer.geometry.transform.heldValue(at: $0, neutral: .identity) }
    #expect(map == AffineTransform(2, 0, 0, 3, 25, 0))
    #expect(layer.geometry.largestScale(of: Point(10, 10)) == 3)
  }

  @Test func `the canonical form gives it back`() throws {
    let text = #"""
      {\#(Self.box), "frame": [10, 20, 100, 40], "shadow": {"offset": {"keyframes": [{"at": "0", "value": [0, 0]}, {"at": "1", "value": [3, 0]}],
        "repeat": 4}}, "rotation": [{\#(Self.way), "calculation": "linear"}, {\#(Self.way), "repeat": "forever", "additive": true}],
       "scale": {"keyframes": [{"at": "0", "value": 0}, {"at": "1", "value": 1}], "repeat": 2, "cumulative": true, "additive": true}}
      """#
    let timeline = try Timeline.parse(
      Array(
        """
        {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
           {"asset": "a", "source": {"start": "0", "duration": "10"}}]}]},
         "videoComposition": {"renderSize": [640, 360], "frameDuration": "1/10", "color": "bt709", "instructions": [
           {"timeRange": {"start": "0", "duration": "10"}}]}, "layers": [\(text)]}
        """.utf8))
    #expect(try Timeline.parse(timeline.canonicalJSON()) == timeline)
    #expect(timeline.layers[0].geometry.scale.additions?.count == 1)
  }

  @Test func `from the bottom left it is the same the other way round`() throws {
    let added =
      #"{"keyframes": [{"at": "0", "value": [0, 10]}, {"at": "1", "value": [0, 20]}], "additive": true, "repeat": 2, "cumulative": true}"#
    let layer = try #require(
      layers(#"{\#(Self.box), "origin": "bottomLeft", "frame": [0, 0, 20, 20], "position": \#(added)}"#).first)
    #expect(try at(time(3, 2)) { try layer.geometry.position.heldValue(at: $0, neutral: .zero) } == Point(10, 350 - 35))
    let bare = #"{"keyframes": [{"at": "0", "value": [0, 10]}, {"at": "1", "value": [0, 20]}], "repeat": 2, "cumulative": true}"#
    #expect(
      faults(#"{\#(Self.box), "origin": "bottomLeft", "frame": [0, 0, 20, 20], "position": \#(bare)}"#) == [
        "layers[0].position: a place that counts from the bottom left is \"cumulative\" where it is \"additive\" alone"
      ])
  }

  @Test(arguments: [
    (#""position": {\#(way), "additive": true}"#, "layers[0].position.keyframes[0].value: expected [x, y], found a number"),
    (
      #""position": {"keyframes": [{"at": "0", "value": [1, 1]}], "additive": true}"#,
      "layers[0].position: is added to nothing: begin with one that is not \"additive\""
    ),
    (
      #""rotation": {\#(way), "cumulative": true}"#,
      "layers[0].rotation.cumulative: needs \"repeat\": how often the keyframes are run through"
    ),
    (
      #""rotation": {"keyframes": [{"at": "0", "value": 1}], "repeat": 3}"#,
      "layers[0].rotation.repeat: there is nothing to repeat: the keyframes stand at one time"
    ),
    (#""rotation": {\#(way), "repeat": 0}"#, "layers[0].rotation.repeat: 0 is not in 1...1000000"),
    (
      #""rotation": [{\#(way)}, {\#(way)}]"#,
      "layers[0].rotation[1]: replaces what comes before it in the list: leave that out, or let this one be \"additive\""
    ),
    (
      #""cornerRadius": [{\#(way)}, {\#(way), "additive": true}]"#,
      "layers[0].cornerRadius: such values are not added to each other: give one list of keyframes"
    ),
    (
      #""cornerRadius": {\#(way), "calculation": "linear", "additive": true}"#,
      "layers[0].cornerRadius.additive: unknown key (that is said by keyframes of places, factors, angles and transforms of layers, of opacities and of widths)"
    ),
  ])
  func `faults are named by their place`(_ keys: String, _ fault: String) {
    #expect(faults(#"{\#(Self.box), \#(keys)}"#).first == fault)
  }
}
