internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension TimelineResolver {
  /// Notes sound on a track that is to keep its pitch, where it plays too fast along a retiming curve, or has sound in it whose pitch
  /// follows one.
  func checkCurves(_ clip: CompositionTrack.Clip, at path: JSONPath) {
    let limit = DocumentLimits.preservedSpeed
    if let curve = clip.mapping.curve {
      // Sound that is slower than an eighth is silent, as where the source stands still.
      let most = Rational(limit)
      let isTooFast = curve.pieces.contains { [$0.speed, $0.endSpeed].contains { $0 > most || $0 < Rational(-limit) } }
      if isTooFast { log.note("more than \(limit) times faster than the source, with preservesPitch", at: path["timeMap"]) }
      return
    }
    guard case .composition(let id) = clip.source, !clip.mapping.isIdentityRate, hasBentPitch(id) else { return }
    log.note(
      "composition '\(id)' has sound along a timeMap, which changes its pitch with its speed, with preservesPitch: let its track "
        + "change the pitch, or let the track inside keep it, too",
      at: path)
  }

  /// Whether a composition has sound whose pitch follows a curve.
  private func hasBentPitch(_ id: CompositionID) -> Bool {
    guard let timeline = nested[id]?.timeline else { return false }
    return timeline.composition.tracks.contains { track in
      track.media == .audio
        && track.clips.contains { clip in
          if case .composition(let inner) = clip.source { return hasBentPitch(inner) }
          return clip.mapping.curve != nil && !timeline.audioMix.preservesPitch(track.id)
        }
    }
  }
}

extension TimeMapping {
  /// The key of a segment that says what of the source is played.
  var sourceKey: String { curve == nil ? "source" : "timeMap" }
}
