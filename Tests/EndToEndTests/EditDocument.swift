import FarmTesting

/// Documents that use a studio's footage.
enum EditDocument {
  /// Three clips of different size and rate, a dissolve, a crop, a stretch, ramps, a text layer, and two sounds: 3 s at
  /// 30000/1001.
  static func everything(export: String) -> String {
    """
    {"spool": 1,
     "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "v": {"path": "v.mkv"}, "song": {"path": "song.wav"}},
     "composition": {"tracks": [
       {"id": "A", "media": "video", "segments": [
         {"asset": "a", "source": {"start": "0.52", "duration": "1.5"}, "at": "0"},
         {"asset": "v", "source": {"start": "1", "duration": "0.8"}, "at": "2", "duration": "1"}]},
       {"id": "B", "media": "video", "segments": [{"asset": "b", "source": {"start": "1001/30000", "duration": "1.5"}, "at": "1"}]},
       {"id": "S", "media": "audio", "segments": [{"asset": "song", "source": {"start": "1.5", "duration": "3"}, "at": "0"}]},
       {"id": "T", "media": "audio", "segments": [{"asset": "a", "source": {"start": "0.3", "duration": "1.25"}, "at": "1.1"}]}]},
     "videoComposition": {"renderSize": [160, 96], "frameDuration": "1001/30000", "color": "bt709", "instructions": [
       {"timeRange": {"start": "0", "duration": "1"}, "layerInstructions": [{"track": "A", "crop": [0, 0, 120, 96]}]},
       {"timeRange": {"start": "1", "duration": "0.5"}, "transition": {"kind": "dissolve", "from": {"track": "A"},
         "to": {"track": "B", "gravity": "resizeAspect"}}},
       {"timeRange": {"start": "1.5", "duration": "0.5"}, "layerInstructions": [{"track": "B", "gravity": "resizeAspectFill",
         "transform": [{"at": "1.5", "value": [1, 0, 0, 1, 0, 0]}, {"at": "2", "value": [0.8, 0.2, -0.2, 0.8, 10, 4]}]}]},
       {"timeRange": {"start": "2", "duration": "1"}, "background": "#204060", "layerInstructions": [
         {"track": "A", "opacity": [{"at": "2.5", "value": 1}, {"at": "3", "value": 0}]},
         {"track": "B", "gravity": "resize"}]}]},
     "layers": [{"text": "Spool", "font": "DejaVu Sans", "size": 20, "from": "0.4", "to": "2.2", "opacity": 0.8}],
     "audioMix": [{"track": "S", "volume": [{"at": "0", "value": 0}, {"at": "1", "value": 0.8}, {"at": "2.5", "value": 0.8}, {"at": "3", "value": 0}]}],
     "export": \(export)}
    """
  }

  static let lossless = #"{"fileType": "mkv", "video": {"codec": "ffv1"}, "audio": {"codec": "flac"}}"#

  /// One transition of each sort that has its own code.
  private static let transitions = [
    #""kind": "dissolve""#, #""kind": "dipToColor", "color": [0.5, 0.25, 0.75]"#, #""kind": "push", "subtype": "fromTop""#,
    #""kind": "zoom", "subtype": "through""#, #""kind": "blurDissolve""#, #""kind": "clockWipe", "softness": 0.1"#,
    #""kind": "starWipe", "reverse": true, "border": {"width": 0.05, "color": [1, 0, 0]}"#,
  ]

  /// A random edit of the clips, with everything that can be done to them.
  static func random(_ random: inout SeededRandom) -> String {
    let rates = ["1/25", "1001/30000", "1/24", "1/30", "1/50"]
    let clips = ["a", "b", "v"]
    func time(_ ticks: Int) -> String { "\(ticks)/120" }
    var (segments, instructions, start) = (["A": [String](), "B": [String]()], [String](), 0)
    for index in 0..<Int.random(in: 2...4, using: &random) {
      let length = Int.random(in: 15...70, using: &random)
      for track in ["A", "B"] where Int.random(in: 0..<6, using: &random) > 0 {
        // Some segments hold a single moment.
        let source = random.chance(0.15) ? 0 : Int.random(in: 12...120, using: &random)
        let played =
          random.chance(0.3) ? "\"composition\": \"n\"" : "\"asset\": \"\(clips.randomElement(using: &random) ?? "a")\""
        segments[track]?.append(
          """
          {\(played), "at": "\(time(start))", "duration": "\(time(length))", "reversed": \(random.chance(0.3)),
           "source": {"start": "\(time(Int.random(in: 0...250, using: &random)))", "duration": "\(time(source))"}}
          """)
      }
      let layer = { (track: String, random: inout SeededRandom) in
        let gravity = ["none", "resize", "resizeAspect", "resizeAspectFill"].randomElement(using: &random) ?? "none"
        let opacity = "\(Double(Int.random(in: 2...10, using: &random)) / 10)"
        let shift = Int.random(in: -30...30, using: &random)
        return """
          {"track": "\(track)", "gravity": "\(gravity)", "opacity": [{"at": "\(time(start))", "value": 1, "easing": "easeInOut"},
           {"at": "\(time(start + length))", "value": \(opacity)}], "transform": [1, 0, 0, 1, \(shift), \(shift / 2)]}
          """
      }
      let range = "\"timeRange\": {\"start\": \"\(time(start))\", \"duration\": \"\(time(length))\"}"
      instructions.append(
        index % 2 == 0
          ? "{\(range), \"layerInstructions\": [\(layer("A", &random)), \(layer("B", &random))]}"
          : "{\(range), \"transition\": {\(transitions.randomElement(using: &random) ?? ""), \"from\": \(layer("A", &random)), \"to\": \(layer("B", &random))}}"
      )
      start += length
    }
    let sound =
      #"{"asset": "song", "source": {"start": "0", "duration": "\#(time(start))"}, "reversed": \#(random.chance(0.3))}"#
    let nestedSound =
      #"{"composition": "n", "source": {"start": "1", "duration": "\#(time(start))"}, "reversed": \#(random.chance(0.3))}"#
    return """
      {"spool": 1,
       "assets": {"a": {"path": "a.mp4"}, "b": {"path": "b.mp4"}, "v": {"path": "v.mkv"}, "song": {"path": "song.wav"}},
       "compositions": {"n": {"tracks": [
         {"id": "A", "media": "video", "segments": [{"asset": "b", "source": {"start": "0", "duration": "3"}, "reversed": true}]},
         {"id": "B", "media": "video", "segments": [{"asset": "v", "source": {"start": "0", "duration": "2"}, "at": "1.5"}]},
         {"id": "S", "media": "audio", "segments": [{"asset": "song", "source": {"start": "0", "duration": "4"}, "duration": "3.5"}]}],
         "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/24", "instructions": [
           {"timeRange": {"start": "0", "duration": "3.5"}, "layerInstructions": [{"track": "B", "opacity": 0.7}, "A"]}]}}},
       "composition": {"tracks": [
         {"id": "A", "media": "video", "segments": [\(segments["A", default: []].joined(separator: ","))]},
         {"id": "B", "media": "video", "segments": [\(segments["B", default: []].joined(separator: ","))]},
         {"id": "S", "media": "audio", "segments": [\(sound)]},
         {"id": "T", "media": "audio", "segments": [\(nestedSound)]}]},
       "videoComposition": {"renderSize": [128, 80], "frameDuration": "\(rates.randomElement(using: &random) ?? "1/25")",
         "instructions": [\(instructions.joined(separator: ","))]},
       "export": \(lossless)}
      """
  }
}
