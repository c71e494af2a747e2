import Document
import Timeline

/// Documents that several suites use.
enum Documents {
  /// An edit with every form of the first release: clips under a crop, a dissolve, ramps, a logo, text, music.
  static let opening = """
    { "spool": 1,
      "assets": { "bikes": {"path": "bikes.mp4"}, "bunny": {"path": "bunny.mp4"}, "song": {"path": "song.m4a"}, "logo": {"path": "logo.png"} },
      "composition": { "tracks": [
        {"id": "A", "media": "video", "segments": [{"asset": "bikes", "source": {"start": "2", "duration": "6"}, "at": "0"}]},
        {"id": "B", "media": "video", "segments": [{"asset": "bunny", "source": {"start": "0", "duration": "5"}, "at": "5"}]},
        {"id": "S", "media": "audio", "segments": [{"asset": "song", "source": {"start": "12.5", "duration": "10"}, "at": "0"}]}]},
      "videoComposition": { "renderSize": [1280, 720], "frameDuration": "1001/30000", "color": "bt709",
        "instructions": [
          {"timeRange": {"start": "0", "duration": "5"}, "layerInstructions": [{"track": "A", "crop": [0, 0, 640, 360]}]},
          {"timeRange": {"start": "5", "duration": "1"}, "transition": {"kind": "dissolve", "from": "A", "to": "B"}},
          {"timeRange": {"start": "6", "duration": "4"}, "layerInstructions": [{"track": "B", "opacity": [{"at": "9", "value": 1}, {"at": "10", "value": 0}]}]}]},
      "layers": [{"image": "logo", "frame": [24, 24, 96, 96], "opacity": 0.9}, {"text": "歌詞", "font": "Noto Sans CJK JP", "language": "ja", "size": 48, "from": "1", "to": "4"}],
      "audioMix": [{"track": "S", "volume": [{"at": "0", "value": 0}, {"at": "1", "value": 1}]}],
      "export": {"preset": "highest", "fileType": "mp4", "optimizeForNetworkUse": true} }
    """

  /// The faults of `document`, each as "path: message"; empty when it is accepted.
  static func faults(_ document: String) -> [String] {
    do {
      _ = try Timeline.parse(Array(document.utf8))
      return []
    } catch { return error.faults.map(\.description) }
  }

  static func canonical(_ document: String) throws -> String {
    try String(decoding: Timeline.parse(Array(document.utf8)).canonicalJSON(), as: UTF8.self)
  }
}
