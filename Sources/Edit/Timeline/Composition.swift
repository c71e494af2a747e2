package import Formats
package import MediaTime

/// Tracks of media in time (AVComposition). It is a value.
package struct Composition: Hashable, Sendable {
  package var tracks: [CompositionTrack]

  package init(tracks: [CompositionTrack] = []) { self.tracks = tracks }

  /// The end of the longest track; zero without tracks.
  package var duration: MediaTime { tracks.map(\.duration).max() ?? .zero }

  package func track(_ id: TrackID) -> CompositionTrack? { tracks.first { $0.id == id } }
}

/// A track: segments that follow each other from zero without a gap between them (AVCompositionTrack). A pause is a segment too.
package struct CompositionTrack: Hashable, Sendable {
  package let id: TrackID
  package let media: MediaKind
  /// The segments, without gaps between them, from zero, each of positive duration. Pauses are empty segments. There are never
  /// two empty segments in a row and none at the end, so that equal tracks are equal values.
  package internal(set) var segments: [TrackSegment]
  /// How long a segment of sound goes on after its end, where another one follows at once. It fades out, and the other one fades in.
  package var crossfade = MediaTime.zero

  package init(id: TrackID, media: MediaKind) {
    self.id = id
    self.media = media
    segments = []
  }

  /// Makes a track of segments. Empty segments in a row become one, and one at the end is dropped.
  ///
  /// - Throws: `CompositionError.notContiguous` when a segment does not start where the one before it ends, `.emptyRange` for a
  ///   segment without duration, `.time` when a time does not fit.
  package init(id: TrackID, media: MediaKind, segments: [TrackSegment]) throws(CompositionError) {
    self.init(id: id, media: media)
    var end = MediaTime.zero
    for segment in segments {
      guard segment.timeRange.start == end else { throw .notContiguous(end: end, next: segment.timeRange.start) }
      guard !segment.timeRange.isEmpty else { throw .emptyRange(segment.timeRange) }
      end = segment.timeRange.end
    }
    do { self.segments = try Self.normalized(segments) } catch { throw .time(error) }
  }

  /// The segments with neighbouring empty ones made one, and an empty one at the end dropped.
  static func normalized(_ segments: [TrackSegment]) throws(TimeError) -> [TrackSegment] {
    var result: [TrackSegment] = []
    result.reserveCapacity(segments.count)
    for segment in segments {
      if case .empty(let gap) = segment, case .empty(let before)? = result.last {
        result[result.count - 1] = try .empty(MediaTimeRange(start: before.start, end: gap.end))
      } else {
        result.append(segment)
      }
    }
    if case .empty? = result.last { result.removeLast() }
    return result
  }

  package var duration: MediaTime { segments.last?.timeRange.end ?? .zero }

  /// A segment that plays a source.
  package typealias Clip = (source: SegmentSource, mapping: TimeMapping)

  /// The segments that are not empty, in order. A document lists these.
  package var clips: [Clip] {
    segments.compactMap { if case .media(let source, let mapping) = $0 { (source, mapping) } else { nil } }
  }

  /// The segment at `time`, or nil before zero and from the end on. The search is binary, since edits have thousands of clips.
  package func segment(at time: MediaTime) -> TrackSegment? {
    let position = segments.partitioningIndex { $0.timeRange.end > time }
    guard position < segments.count, segments[position].timeRange.contains(time) else { return nil }
    return segments[position]
  }
}

/// A stretch of a track: nothing, or a range of a source, perhaps at another speed or backwards (AVCompositionTrackSegment).
package enum TrackSegment: Hashable, Sendable {
  case empty(MediaTimeRange)
  case media(SegmentSource, TimeMapping)

  /// The segment's range in its track.
  package var timeRange: MediaTimeRange {
    switch self {
    case .empty(let range): range
    case .media(_, let mapping): mapping.target
    }
  }
}

/// The source that a segment plays.
package enum SegmentSource: Hashable, Sendable, CustomStringConvertible {
  /// A track of an asset. The position counts the asset's playable tracks of the segment's kind, from zero. It is not the
  /// container's stream index.
  case asset(AssetID, trackPosition: Int)
  /// The picture or the mixed sound of a nested composition.
  case composition(CompositionID)

  package init(asset: AssetID, trackPosition: Int = 0) { self = .asset(asset, trackPosition: trackPosition) }

  package var description: String {
    switch self {
    case .asset(let id, _): id.rawValue
    case .composition(let id): id.rawValue
    }
  }
}
