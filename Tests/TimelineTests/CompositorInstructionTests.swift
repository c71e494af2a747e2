import EditTesting
import Document
import MediaTime
import Scenes
import Testing
import Timeline

@Suite struct `Instructions for compositors of the user's own` {
  private static let dissolve = #""transition": {"kind": "dissolve", "from": "A", "to": "B"}"#

  /// The opening document with `compositor` in place of its transition.
  private static func document(_ compositor: String) -> String {
    Documents.opening.replacing(dissolve, with: "\"compositor\": \(compositor)")
  }

  @Test func `one that is whole is read, written and read again`() throws {
    let document = Self.document(
      """
      {"name": "curl", "parameters": {"z": [1, {"y": 2.50, "x": null}], "a": "å"}, "requiredTracks": ["B", "A"],
       "passthrough": {"track": "A", "gravity": "resizeAspect"}, "containsTweening": false, "enablePostProcessing": false}
      """)
    let timeline = try Timeline.parse(Array(document.utf8))
    guard let instruction = timeline.videoComposition?.instructions[1], case .compositor(let compositor) = instruction.content
    else {
      Issue.record("no compositor")
      return
    }
    #expect(compositor.name == "curl")
    #expect(compositor.requiredTracks == [TrackID("B"), TrackID("A")])
    #expect(compositor.passthrough == LayerInstruction(track: TrackID("A"), gravity: .resizeAspect))
    #expect(!compositor.containsTweening && !compositor.enablePostProcessing)
    let parameters = compositor.statement(in: instruction.timeRange).parametersJSON
    #expect(String(decoding: parameters, as: UTF8.self) == #"{"a":"å","z":[1,{"x":null,"y":2.50}]}"#)
    #expect(try Timeline.parse(timeline.canonicalJSON()) == timeline)
  }

  @Test(arguments: [
    (#"{"requiredTracks": []}"#, ["name: missing"]),
    (#"{"name": "curl"}"#, ["requiredTracks: missing"]),
    (#"{"name": "page curl", "requiredTracks": []}"#, ["name: 'page curl' is not 1 to 64 letters, digits, '-', '_' and '.'"]),
    (#"{"name": "curl", "requiredTracks": ["A", "C"]}"#, ["requiredTracks[1]: no track 'C'"]),
    (#"{"name": "curl", "requiredTracks": ["A", "A"]}"#, ["requiredTracks[1]: 'A' is required already"]),
    (#"{"name": "curl", "requiredTracks": ["S"]}"#, ["requiredTracks[0]: track 'S' is not video"]),
    (#"{"name": "curl", "requiredTracks": ["A"], "passthrough": "B"}"#, ["passthrough: track 'B' is not one of requiredTracks"]),
    (#"{"name": "curl", "requiredTracks": [], "parameters": [1]}"#, ["parameters: expected an object, found an array"]),
    (#"{"name": "curl", "requiredTracks": [], "tweening": true}"#, ["tweening: unknown key"]),
  ])
  func `a fault is told with its path`(compositor: String, faults: [String]) {
    #expect(Documents.faults(Self.document(compositor)) == faults.map { "videoComposition.instructions[1].compositor.\($0)" })
  }

  @Test func `parameters are bounded`() {
    let long = String(repeating: "x", count: DocumentLimits.compositorParameters - 7)
    func faults(_ text: String) -> [String] {
      Documents.faults(Self.document(#"{"name": "curl", "requiredTracks": [], "parameters": {"a":"\#(text)"}}"#))
    }
    #expect(faults(String(long.dropLast())) == [])
    #expect(
      faults(long) == ["videoComposition.instructions[1].compositor.parameters: 65537 bytes; at most 65536 are accepted"])
  }

  @Test func `the compositors of an edit are listed with their paths, those of nested compositions too`() throws {
    let text = """
      {"spool": 1, "assets": {"v": {"path": "v.mp4"}},
       "compositions": {"inner": {
         "tracks": [{"id": "A", "media": "video", "segments": [{"asset": "v", "source": {"start": "0", "duration": "1"}}]}],
         "videoComposition": {"renderSize": [320, 240], "frameDuration": "1/10", "instructions": [
           {"timeRange": {"start": "0", "duration": "1"}, "compositor": {"name": "ripple", "requiredTracks": ["A"]}}]}}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [
         {"asset": "v", "source": {"start": "0", "duration": "2"}}, {"composition": "inner", "source": {"start": "0", "duration": "1"}}]}]},
       "videoComposition": {"renderSize": [320, 240], "frameDuration": "1/10", "instructions": [
         {"timeRange": {"start": "0", "duration": "1"}, "layerInstructions": ["A"]},
         {"timeRange": {"start": "1", "duration": "2"}, "compositor": {"name": "curl", "requiredTracks": ["A"]}}]}}
      """
    let edit = try Timeline.parse(Array(text.utf8)).resolved(with: [AssetID("v"): Assets.movie(seconds: 2)])
    #expect(
      edit.compositorUses.map { $0.fault(ofName: "unknown").description } == [
        "compositions.inner.videoComposition.instructions[0].compositor.name: unknown",
        "videoComposition.instructions[1].compositor.name: unknown",
      ])
  }
}
