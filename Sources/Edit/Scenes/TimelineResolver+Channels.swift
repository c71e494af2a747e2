internal import Formats
internal import JSON
internal import Timeline

extension TimelineResolver {
  /// Notes sound that is longer than its file type counts.
  func checkSoundSize(of resolved: ResolvedTimeline) {
    for sound in resolved.sounds {
      // Times that overflow are noted elsewhere.
      guard let audio = sound.audio, let samples = audio.coding.samples, let count = try? sound.sampleCount,
        let words = timeline.export.fileType.objection(
          toSamples: count, of: samples.byteCount * Int64(audio.channelLayout.channelCount))
      else { continue }
      return log.note(words, at: root["export"]["fileType"])
    }
  }

  /// Notes effects of frequencies that the sound has not.
  func checkEffects() {
    let half = Double(timeline.export.audio.sampleRate) / 2
    func check(_ effects: [SoundEffect], of owner: String, at path: JSONPath) {
      guard let highest = effects.compactMap(\.highestFrequency).max(), highest >= half else { return }
      log.note(
        "\(owner) has an effect at \(JSONValue.text(highest)) Hz, and sound of \(timeline.export.audio.sampleRate) Hz has frequencies "
          + "below \(JSONValue.text(half)) Hz", at: path)
    }
    for track in timeline.audioMix.inputParameters { check(track.effects, of: "track '\(track.track)'", at: root["audioMix"]) }
    check(timeline.export.effects, of: "the sound", at: root["export"]["effects"])
  }

  /// Notes clips that have not the channels with which their track is to be heard.
  func checkChannels() {
    let tracks = root == .root ? root["composition"]["tracks"] : root["tracks"]
    for (index, track) in timeline.composition.tracks.enumerated() {
      guard let map = timeline.audioMix.channels(of: track.id) else { continue }
      for (position, clip) in track.clips.enumerated() {
        let path = tracks[index]["segments"][position]
        switch clip.source {
        case .composition(let id):
          log.note(
            "the track's channels are chosen in audioMix, and composition '\(id)' is mixed: choose those of its own tracks",
            at: path)
        case .asset(let asset, let number):
          guard let facts = facts[asset]?.playableTracks(.audio), number < facts.count,
            case .audio(let audio) = facts[number].detail,
            audio.channelCount < map.neededChannels
          else { continue }
          let count = audio.channelCount == 1 ? "one channel" : "\(audio.channelCount) channels"
          log.note(
            "asset '\(asset)' has \(count), counted from 0, and audioMix chooses number \(map.neededChannels - 1)", at: path)
        }
      }
    }
  }
}
