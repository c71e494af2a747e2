internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension TimelineResolver {
  /// Notes a time code of the movie's first frame that its rate, or its source, does not have.
  func noteTimecode(of resolved: ResolvedTimeline) {
    guard let timecode = timeline.export.timecode else { return }
    let path = root["export"]["timecode"]
    guard let duration = resolved.videoComposition?.frameDuration else {
      return log.note("a movie without a picture has no time code", at: path)
    }
    do throws(TimeError) {
      switch timecode {
      case .label(let label): _ = try Timecode(frameDuration: duration).time(parsing: label)
      case .source(let asset):
        if case .objection(let words) = try resolved.label(from: asset, countedIn: duration) { log.note(words, at: path) }
      }
    } catch {
      log.note("\(error)", at: path)
    }
  }
}

extension ResolvedTimeline {
  /// The label of the movie's first frame; nil where the export asks for none.
  package var firstLabel: String? {
    get throws(TimeError) {
      switch timeline.export.timecode {
      case nil: return nil
      case .label(let label): return label
      case .source(let asset):
        guard let videoComposition,
          case .label(let label) = try self.label(from: asset, countedIn: videoComposition.frameDuration)
        else { preconditionFailure("the source's time code was checked") }
        return label
      }
    }
  }

  /// The answer of a source about the movie's first frame.
  fileprivate enum SourceLabel {
    case label(String)
    /// The reason for which it has no label for it, and what would do.
    case objection(String)
  }

  /// The label of the frame that a segment shows first.
  ///
  /// - Parameters:
  ///   - asked: the asset; nil is that of the first track which has a segment there.
  ///   - frameDuration: the duration of the movie's frames.
  fileprivate func label(from asked: AssetID?, countedIn frameDuration: MediaTime) throws(TimeError) -> SourceLabel {
    let advice = "name an asset that is, or write the label"
    let shown = timeline.composition.tracks.filter { $0.media == .video }.compactMap { track -> CompositionTrack.Clip? in
      guard case .media(let source, let mapping)? = track.segment(at: exportRange.start) else { return nil }
      return (source, mapping)
    }
    let clip = shown.first { clip in
      guard let asked else { return true }
      if case .asset(asked, _) = clip.source { return true }
      return false
    }
    guard let clip else {
      let what = asked.map { "asset '\($0)' is not" } ?? "no segment of a video track is"
      return .objection("\(what) shown in the movie's first frame: \(advice)")
    }
    guard case .asset(let asset, let position) = clip.source else {
      return .objection("the first frame shows composition '\(clip.source)', which has no time code: \(advice)")
    }
    guard let timecode = facts[asset]?.timecode else {
      return .objection("asset '\(asset)' has no time code: write the label, such as 01:00:00:00")
    }
    if timecode.beginsAnew == true {
      return .objection("the time code of asset '\(asset)' begins anew inside of it: write the label")
    }
    guard timecode.frameDuration == frameDuration else {
      return .objection(
        "the time code of asset '\(asset)' counts frames of \(timecode.frameDuration) s, and the movie's last \(frameDuration) s: "
          + "give videoComposition.frameDuration \(timecode.frameDuration), or write the label")
    }
    let start = track(position, of: asset, media: .video).timeRange.start
    let frames = try (clip.mapping.sourceTime(at: exportRange.start) - Rational(start)) / Rational(frameDuration)
    let index = try clip.mapping.isReversed(at: exportRange.start) ? frames.ceiling - 1 : frames.floor
    return .label(try timecode.label(ofFrame: max(0, Int64(clamping: index))))
  }
}
