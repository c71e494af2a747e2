internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension TimelineResolver {
  /// Notes sound on a track that is to keep its pitch, and that plays along a retiming curve or has such sound in it.
  func checkCurves(_ clip: CompositionTrack.Clip, at path: JSONPath) {
    let way = "let its track change the pitch, or give it segments of constant speed"
    if clip.mapping.curve != nil {
      return log.note("sound along a timeMap changes its pitch with its speed, with preservesPitch: \(way)", at: path["timeMap"])
    }
    guard case .composition(let id) = clip.source, !clip.mapping.isIdentityRate, hasCurves(id) else { return }
    log.note(
      "composition '\(id)' has sound along a timeMap, which changes its pitch with its speed, with preservesPitch: \(way)",
      at: path)
  }

  private func hasCurves(_ id: CompositionID) -> Bool {
    nested[id]?.timeline.composition.tracks.contains { track in
      track.media == .audio
        && track.clips.contains { clip in
          if case .composition(let inner) = clip.source { return hasCurves(inner) }
          return clip.mapping.curve != nil
        }
    } ?? false
  }
}

extension TimeMapping {
  /// The key of a segment that says what of the source is played.
  var sourceKey: String { curve == nil ? "source" : "timeMap" }
}
