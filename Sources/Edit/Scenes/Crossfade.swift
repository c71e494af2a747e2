internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension CompositionTrack {
  /// Whether a clip follows the one before it at once, and the sounds of the two fade into each other.
  func fadesIn(_ index: Int, of clips: [Clip]) -> Bool {
    crossfade > .zero && index > 0 && clips[index - 1].mapping.target.end == clips[index].mapping.target.start
  }

  /// The stretch that a clip plays after its end, while the next one fades in; nil where none follows at once.
  ///
  /// - Throws: `TimeError` when a time does not fit.
  func tail(of index: Int, in clips: [Clip]) throws(TimeError) -> TimeMapping? {
    guard index + 1 < clips.count, fadesIn(index + 1, of: clips) else { return nil }
    let mapping = clips[index].mapping
    guard mapping.curve == nil else { return nil }
    let length = try MediaTime(Rational(crossfade) * mapping.rate)
    let source =
      mapping.isReversed
      ? try MediaTimeRange(start: mapping.source.start - length, end: mapping.source.start)
      : try MediaTimeRange(start: mapping.source.end, duration: length)
    return try TimeMapping(
      source: source, target: MediaTimeRange(start: mapping.target.end, duration: crossfade), isReversed: mapping.isReversed)
  }
}

extension TimelineResolver {
  /// Notes tracks whose clips cannot fade into each other: too short ones, and ones whose source has nothing after them.
  func checkCrossfades(at tracks: JSONPath) {
    for (index, track) in timeline.composition.tracks.enumerated() where track.crossfade > .zero {
      let (clips, path) = (track.clips, tracks[index]["crossfade"])
      for position in clips.indices {
        if let fault = fault(of: position, in: clips, track) {
          log.note("segment \(position) \(fault)", at: path)
          break
        }
      }
    }
  }

  /// The reason for which a clip cannot fade into the next one; nil where it can, or need not.
  private func fault(of index: Int, in clips: [CompositionTrack.Clip], _ track: CompositionTrack) -> String? {
    let clip = clips[index]
    let goesOn = index + 1 < clips.count && track.fadesIn(index + 1, of: clips)
    guard goesOn || track.fadesIn(index, of: clips) else { return nil }
    if clip.mapping.target.duration < track.crossfade { return "is shorter than the crossfade" }
    guard goesOn else { return nil }
    if clip.mapping.curve != nil { return "follows a timeMap, which says nothing of what comes after it: give it a source" }
    let tail: TimeMapping?
    do { tail = try track.tail(of: index, in: clips) } catch { return "\(error)" }
    guard let range = tail?.source else { return nil }
    guard range.start >= .zero else { return "goes on for the crossfade back to before the beginning of its source" }
    let last = range.end
    guard let end = end(of: clip.source), last > end else { return nil }
    return "goes on for the crossfade up to \(last) of its source, which ends at \(end)"
  }

  /// The end of a source; nil where it is not known.
  private func end(of source: SegmentSource) -> MediaTime? {
    switch source {
    case .asset(let id, let position):
      guard let facts = facts[id], facts.playableTracks(.audio).indices.contains(position) else { return nil }
      return facts.playableTracks(.audio)[position].intactEnd ?? (facts.duration > .zero ? facts.duration : nil)
    case .composition(let id): return nested[id]?.timeline.composition.duration
    }
  }
}
