internal import JSON
internal import Formats
internal import MediaTime
internal import Timeline

extension TimelineResolver {
  /// Notes texts whose timestamps cannot be told at the movie's frame rate.
  func checkTimestamps(_ frameDuration: MediaTime) {
    for (index, layer) in timeline.layers.enumerated() {
      for (layer, way) in layer.all {
        guard case .text(let text)? = layer.content, text.timestamp != nil else { continue }
        do {
          // The largest time decides whether all of them fit.
          _ = try text.stamped(at: timeline.composition.duration, frameDuration: frameDuration)
        } catch { log.note("\(error)", at: root["layers"][index].following(way)["timestamp"]) }
      }
    }
  }

  /// Notes texts that tell timecode of a source whose frames it does not count.
  func checkSourceTimecodes(_ resolved: ResolvedTimeline) {
    for (index, layer) in timeline.layers.enumerated() {
      for (layer, way) in layer.all {
        guard case .text(let text)? = layer.content, let id = text.timestamp?.track, text.fields.contains(.sourceTimecode),
          let track = timeline.composition.track(id)
        else { continue }
        let path = root["layers"][index].following(way)["timestamp"]
        var told: Set<SegmentSource> = []
        for clip in track.clips where told.insert(clip.source).inserted {
          do throws(TimeError) {
            // The first frame decides whether there are labels.
            _ = try resolved.moment(of: clip.source, at: Rational(0), isReversed: false).timecode
          } catch {
            log.note("source '\(clip.source)' has no {sourceTimecode}: \(error)", at: path)
          }
        }
      }
    }
  }
}

extension ResolvedTimeline {
  /// The moment of the source that a track shows at a time of the composition; nil where it shows nothing.
  func sourceMoment(of track: TrackID, at time: MediaTime) throws(TimeError) -> SourceMoment? {
    guard case .media(let source, let mapping)? = timeline.composition.track(track)?.segment(at: time) else { return nil }
    return try moment(of: source, at: mapping.sourceTime(at: time), isReversed: mapping.isReversed(at: time))
  }

  /// A moment of a source.
  func moment(of source: SegmentSource, at time: Rational, isReversed: Bool) throws(TimeError) -> SourceMoment {
    let video = picture(of: source)
    var rates = [video.nominalFrameRate, video.baseFrameRate].compactMap(\.self)
    // An average may be a little off the rate by which the frames were taken.
    if let counted = rates.firstIndex(where: { Self.isCounted($0) }) { rates = [rates[counted]] }
    let duration = if let rate = rates.first { try MediaTime(Rational(1) / Rational(rate)) } else { MediaTime?.none }
    let labels = if case .asset(let asset, _) = source { facts[asset]?.timecode } else { SourceTimecode?.none }
    return SourceMoment(
      name: timeline.name(of: source), time: time, isReversed: isReversed, frameDuration: duration, labels: labels)
  }

  /// Whether timecode counts frames of a rate.
  private static func isCounted(_ rate: MediaTime) -> Bool {
    // What does not fit is not counted either.
    do throws(TimeError) { _ = try Timecode(frameDuration: MediaTime(Rational(1) / Rational(rate))) } catch { return false }
    return true
  }
}
