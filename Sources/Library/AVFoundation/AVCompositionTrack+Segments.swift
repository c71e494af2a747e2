internal import Formats
internal import MediaTime
internal import Timeline

extension AVCompositionTrack {
  /// Whether segments can be the track's: they begin at zero, follow each other, and have times that are numbers.
  ///
  /// - Throws: an `AVError` with the time of the first segment that cannot.
  public func validateSegments(_ trackSegments: [AVCompositionTrackSegment]) throws(AVError) {
    var end = CMTime.zero
    for (index, segment) in trackSegments.enumerated() {
      let (source, target) = (segment.timeMapping.source, segment.timeMapping.target)
      func fault(_ code: AVError.Code, _ words: String) -> AVError {
        AVError(code, "segments[\(index)]: \(words)", property: "segments", url: segment.sourceURL, time: target.start)
      }
      guard target.duration.isNumeric, target.duration > .zero else {
        throw fault(.invalidCompositionTrackSegmentDuration, "its duration must be positive")
      }
      guard target.start == end else {
        throw fault(
          .compositionTrackSegmentsNotContiguous,
          "starts at \(target.start.seconds) s, and not at \(end.seconds) s, where the one before it ends")
      }
      end = target.end
      guard !segment.isEmpty else { continue }
      guard source.start.isNumeric, source.start >= .zero else {
        throw fault(.invalidCompositionTrackSegmentSourceStartTime, "its source must start at zero or later")
      }
      guard source.duration.isNumeric, source.duration > .zero else {
        throw fault(.invalidCompositionTrackSegmentSourceDuration, "its source's duration must be positive")
      }
    }
  }

  /// The edit that plays segments, and its media, which are read for this.
  func made(
    of trackSegments: [AVCompositionTrackSegment]
  ) throws(AVError) -> (CompositionTrack, [SegmentSource: SourceTrack]) {
    var (segments, sources): ([TrackSegment], [SegmentSource: SourceTrack]) = ([], [:])
    // Each medium is read once.
    var assets: [URL: AVURLAsset] = [:]
    do {
      for segment in trackSegments {
        let target = try MediaTimeRange(segment.timeMapping.target, "segments")
        guard let url = segment.sourceURL, !segment.isEmpty else {
          segments.append(.empty(target))
          continue
        }
        let (medium, track) = try played(by: segment, url, &assets)
        let (source, known) = (try MediaTimeRange(segment.timeMapping.source, "segments"), track.facts.timeRange)
        guard source.start < known.end || known.isEmpty else {
          throw AVError(
            .invalidCompositionTrackSegmentSourceStartTime,
            "segments: \(source) lies outside of the track, which has \(known)",
            property: "segments", url: url, time: segment.timeMapping.target.start)
        }
        segments.append(.media(medium, try TimeMapping(source: source, target: target)))
        sources[medium] = track
      }
      return (try CompositionTrack(id: edit.id, media: edit.media, segments: segments), sources)
    } catch let error as AVError { throw error } catch {
      throw AVError(.unknown, "segments: \(error)", property: "segments")
    }
  }

  /// The medium's track that a segment plays: the one that it played in another edit, else one that is read from its URL.
  private func played(
    by segment: AVCompositionTrackSegment, _ url: URL, _ assets: inout [URL: AVURLAsset]
  ) throws(AVError) -> (medium: SegmentSource, source: SourceTrack) {
    if let played = segment.played, (played.source.facts.video != nil) == (mediaType == .video) { return played }
    let asset = assets[url] ?? AVURLAsset(url: url)
    assets[url] = asset
    guard let track = try asset.loadedTracks().first(where: { $0.trackID == segment.sourceTrackID }),
      track.mediaType == mediaType, let facts = track.facts, let position = track.position
    else {
      throw AVError(
        .noSourceTrack, "segments: \(url.mediaPlace) has no track \(segment.sourceTrackID) of this kind that can be decoded",
        property: "segments", url: url, time: segment.timeMapping.target.start)
    }
    let medium = SegmentSource(asset: AssetID(of: url, track.file), trackPosition: position)
    return (medium, SourceTrack(url: url, facts: facts, file: track.file))
  }
}
