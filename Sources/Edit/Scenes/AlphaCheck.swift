internal import Formats
internal import JSON
internal import Timeline

extension TimelineResolver {
  /// Notes what a movie with alpha cannot show. Each of these would need to know what lies behind the movie.
  func checkAlpha(_ resolved: ResolvedTimeline) {
    guard timeline.export.video.hasAlpha, let composition = resolved.videoComposition else { return }
    let path = root["videoComposition"]
    if composition.blending == .linear {
      log.note("a movie with alpha is mixed in codes, as its viewers mix it: use \"encoded\"", at: path["blending"])
    }
    for (index, instruction) in composition.instructions.enumerated() {
      guard case .compositor = instruction.content else { continue }
      log.note(
        "frames of a compositor have no alpha: leave export.video.alpha out, or use layerInstructions",
        at: path["instructions"][index]["compositor"])
    }
    for (index, layer) in timeline.layers.enumerated() {
      for (layer, way) in layer.all {
        let place = root["layers"][index].following(way)
        if layer.style.blendMode != .normal {
          log.note(
            "a movie with alpha has no \(layer.style.blendMode.rawValue), which depends on what lies behind the movie: use \"normal\"",
            at: place["blendMode"])
        }
        if !layer.style.backdropFilters.isEmpty {
          log.note(
            "a movie with alpha has none of these, which change what lies behind the movie, too: use \"filters\" of the layers below",
            at: place["backdropFilters"])
        }
      }
    }
  }
}
