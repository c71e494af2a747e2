internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension TimelineResolver {
  /// Notes frames that cannot be made of fields: those of another height, and those whose half no time is.
  func checkFields(_ resolved: ResolvedTimeline) {
    guard timeline.export.video.fields != nil, let composition = resolved.videoComposition else { return }
    let height = composition.outputSize.height
    let chroma = timeline.export.video.chroma
    // Each field has whole lines of chroma.
    let multiple = chroma == .yuv420 ? 4 : 2
    if height % multiple != 0 {
      log.note(
        "fields of \(chroma.rawValue) need a height that is a multiple of \(multiple), not \(height)",
        at: root["videoComposition"]["renderSize"])
    }
    do throws(TimeError) {
      _ = try composition.halfFrame
    } catch {
      log.note("half a frame is no time: \(error)", at: root["videoComposition"]["frameDuration"])
    }
  }
}

extension VideoComposition {
  /// The time from one field to the next.
  var halfFrame: MediaTime { get throws(TimeError) { try MediaTime(Rational(frameDuration) / Rational(2)) } }
}
