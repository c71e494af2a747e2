import EditTesting
import Document
import Formats
import MediaTime
import Scenes
import Testing
import Timeline

/// How layers are read, and what is refused of them.
@Suite struct `A document's layers` {
  private func document(_ layers: String) -> [UInt8] {
    Array(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}, "logo": {"path": "logo.png"}},
       "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0", "duration": "2"}}]}]},
       "videoComposition": {"renderSize": [64, 64], "frameDuration": "1/25"}, "layers": [\(layers)]}
      """.utf8)
  }

  private func faults(_ layers: String) -> [String] {
    do {
      _ = try Timeline.parse(document(layers))
      return []
    } catch { return error.faults.map(\.description) }
  }

  private static let bare =
    "layers[0]: shows nothing: needs \"image\", \"text\", \"shape\", \"gradient\", \"waveform\", \"track\", \"video\", \"clip\", \"lottie\", \"layers\", \"backgroundColor\" or \"borderWidth\""

  private static let box = #""backgroundColor": [1, 0, 0]"#

  @Test(arguments: [
    ("{}", bare), (#"{"layers": []}"#, bare), (#"{"borderWidth": 0, "position": [1, 2]}"#, bare),
    (
      "7",
      "layers[0]: expected an object with \"image\", \"text\", \"shape\", \"gradient\", \"waveform\", \"track\", \"video\", \"clip\", \"lottie\" or \"layers\", found a number"
    ),
    (#"{"image": "logo", "text": "x"}"#, "layers[0]: has \"image\" and \"text\": give each a layer of its own"),
    (#"{"shape": "star", "fillColor": [1, 1, 1]}"#, "layers[0].shape: 'star' is not one of rectangle, ellipse"),
    (#"{"shape": "ellipse"}"#, "layers[0]: is seen by nothing: give it a \"fillColor\" or a \"strokeColor\""),
    (
      #"{"shape": {"path": "M 0 0 X"}, "fillColor": [1, 1, 1]}"#,
      "layers[0].shape.path: a number was expected, at 'X'"
    ),
    (
      #"{"shape": "ellipse", "strokeColor": [1, 1, 1], "dash": [0, 0]}"#, "layers[0].dash: needs a length above 0"
    ),
    (#"{"gradient": {"colors": [[1, 1, 1]]}}"#, "layers[0].gradient.colors: needs at least two colours"),
    (
      ##"{"gradient": {"colors": ["#ffffff", "#000000"], "locations": [1, 0]}}"##, "layers[0].gradient.locations: must not fall"
    ),
    (
      ##"{"gradient": {"colors": ["#ffffff", "#000000"], "start": [0, 0], "end": [0, 0]}}"##,
      "layers[0].gradient.end: leaves the gradient no length: start and end must differ"
    ),
    (
      ##"{"gradient": {"kind": "radial", "colors": ["#ffffff", "#000000"], "end": [0.5, 1]}}"##,
      "layers[0].gradient.end: leaves the gradient no length: start and end must differ"
    ),
    (
      #"{\#(box), "transform": [0, 0, 0, 1, 0, 0]}"#,
      "layers[0].transform: is singular: it maps the picture onto a line or a point"
    ),
    (#"{\#(box), "scale": [1, 2, 3]}"#, "layers[0].scale: expected [x, y], found an array"),
    (#"{\#(box), "position": 7}"#, "layers[0].position: expected [x, y], found a number"),
    (#"{\#(box), "cornerRadius": -1}"#, "layers[0].cornerRadius: -1 is not in 0...1000000"),
    (#"{\#(box), "shadow": {"radius": 501}}"#, "layers[0].shadow.radius: 501 is not in 0...500"),
    (#"{\#(box), "shadow": {"blur": 3}}"#, "layers[0].shadow.blur: unknown key (that is said by radius)"),
    (
      #"{"blendMode": "screen", "layers": [{"video": true}, {\#(box), "blendMode": "multiply"}]}"#,
      "layers[0].layers[1].blendMode: a layer with moving pictures that is mixed itself cannot hold layers that are mixed"
    ),
    (
      #"{\#(box), "mask": {\#(box), "blendMode": "screen"}}"#,
      "layers[0].mask: is mixed with nothing: \"blendMode\" says nothing about a mask"
    ),
    (
      #"{"layers": [{\#(box), "rotation": [{"at": "0", "value": 1e9}]}]}"#,
      "layers[0].layers[0].rotation[0].value: 1e9 is not in -36000000...36000000"
    ),
    (#"{"layers": [{"layers": [{"image": "nobody"}]}]}"#, "layers[0].layers[0].layers[0].image: no asset 'nobody'"),
    (#"{\#(box), "sublayers": []}"#, "layers[0].sublayers: unknown key (that is said by layers)"),
    (#"{\#(box), "x": 3}"#, "layers[0].x: unknown key (that is said by frame: [x, y, width, height])"),
    (
      #"{"text": "x", "font": "A", "size": 9, "verticalAlign": "middle"}"#,
      "layers[0].verticalAlign: a text without a frame stands in the lower third of the picture: give it a frame"
    ),
    (#"{"text": "x", "font": "A", "size": 9, "outline": {}}"#, "layers[0].outline.width: missing"),
  ])
  func `faults are named by their place`(_ layers: String, _ fault: String) {
    #expect(faults(layers) == [fault])
  }

  @Test func `layers stand on each other as high as they may, and are counted together`() {
    func tower(_ levels: Int) -> String {
      levels == 1 ? "{\(Self.box)}" : #"{"layers": [\#(tower(levels - 1))]}"#
    }
    #expect(faults(tower(DocumentLimits.layerNesting)) == [])
    let path = "layers[0]" + String(repeating: ".layers[0]", count: DocumentLimits.layerNesting - 1)
    #expect(
      faults(tower(DocumentLimits.layerNesting + 1)).contains { $0.hasPrefix("\(path).layers: layers stand on each other") })
    let half = Array(repeating: "{\(Self.box)}", count: DocumentLimits.layers / 2).joined(separator: ",")
    #expect(
      faults(#"{"layers": [\#(half)]}, {"layers": [\#(half)]}"#) == [
        "layers: more than 10000 layers, with those on other layers and their copies"
      ])
  }

  @Test func `a single keyframe's value holds throughout`() throws {
    let layer = try Timeline.parse(
      document(#"{\#(Self.box), "position": [{"at": "1", "value": [3, 4]}], "scale": [{"at": "1", "value": 1}]}"#)
    ).layers[0]
    #expect(layer.geometry.position == Envelope(constant: Point(3, 4)) && layer.geometry.scale == Envelope())
    #expect(layer.geometry.isSteady)
  }

  @Test func `colours mix with their alpha between keyframes`() {
    let (clear, white) = (RGBAColor(1, 0, 0, alpha: 0), RGBAColor(0, 1, 0))
    #expect(clear.interpolated(to: white, progress: 0.5) == RGBAColor(0, 1, 0, alpha: 0.5))
    #expect(white.interpolated(to: clear, progress: 1) == RGBAColor(1, 0, 0, alpha: 0))
    #expect(
      RGBAColor(1, 0, 0).interpolated(to: RGBAColor(0, 0, 1, alpha: 0.5), progress: 0.5)
        == RGBAColor(2.0 / 3, 0, 1.0 / 3, alpha: 0.75))
  }

  @Test(arguments: [
    ("", [String]()), (#""opacity": 0.5, "masksToBounds": true,"#, []), (#""shadow": {},"#, []),
    (#""replicator": {"count": 2},"#, []),
    (#""filters": [{"blur": 1}],"#, ["layers[0].layers[0].backdropFilters"]),
    (#""blendMode": "screen","#, ["layers[0].layers[0].backdropFilters"]),
    (#""shadow": {"ofContent": true},"#, ["layers[0].layers[0].backdropFilters"]),
    (#""replicator": {"count": 2, "colorStep": [-0.1, 0, 0]},"#, ["layers[0].layers[0].backdropFilters"]),
    (#""mask": {"backdropFilters": [{"blur": 1}]},"#, ["layers[0].mask.backdropFilters"]),
  ])
  func `a layer that filters what lies below is warned of where nothing is there`(outer: String, paths: [String]) throws {
    let layers = #"{\#(outer) "layers": [{"backdropFilters": [{"blur": 2}]}]}"#
    let edit = try Timeline.parse(document(layers)).resolved(with: [
      AssetID("a"): try Assets.movie(), AssetID("logo"): try Assets.logo(),
    ])
    #expect(edit.warnings.filter { $0.kind == .neverSeen && $0.path.hasPrefix("layers") }.map(\.path) == paths)
  }

  @Test func `layers that nobody sees, animations and unsaid languages are told, also on other layers`() throws {
    let layers = #"""
      {"layers": [{"text": "漢字", "font": "A", "size": 9, "frame": [0, 0, 9, 9]}, {\#(Self.box), "opacity": 0}]},
      {\#(Self.box), "mask": {"text": "字", "font": "A", "size": 9}}, {\#(Self.box), "frame": [100, 100, 9, 9]},
      {\#(Self.box), "frame": [100, 100, 9, 9], "position": [5, 5]}, {\#(Self.box), "layers": [{\#(Self.box), "opacity": 0}]}
      """#
    let edit = try Timeline.parse(document(layers)).resolved(with: [
      AssetID("a"): try Assets.movie(), AssetID("logo"): try Assets.logo(),
    ])
    let warnings = edit.warnings.filter { $0.path.hasPrefix("layers") }
    #expect(
      warnings.map { "\($0.path): \($0.kind)" } == [
        "layers[0].layers[1]: neverSeen", "layers[2]: neverSeen", "layers[4].layers[0]: neverSeen",
        "layers[0].layers[0]: languageUnsaid", "layers[1].mask: languageUnsaid",
      ])
  }
}
