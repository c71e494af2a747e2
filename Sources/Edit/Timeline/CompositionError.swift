package import MediaTime

/// The reason for which an edit of a composition was refused. The composition stays as it was.
package enum CompositionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A range or a duration that must be positive is not positive.
  case emptyRange(MediaTimeRange)
  /// The time lies before zero.
  case negativeTime(MediaTime)
  /// The time lies after the end of the track or composition.
  case beyondEnd(MediaTime, end: MediaTime)
  /// A segment does not start where the one before it ends.
  case notContiguous(end: MediaTime, next: MediaTime)
  /// The track would have more segments than a document may have in one track.
  case tooManySegments
  /// Another track has the name already.
  case duplicateTrack(TrackID)
  /// No track has the name.
  case unknownTrack(TrackID)
  /// A track of this length has no sound between two times that could be looped, or not as much as its crossfade takes.
  case noLoop(MediaTime, MediaTime, MediaTime)
  /// An exact time does not fit into a media time.
  case time(TimeError)

  package var description: String {
    switch self {
    case .emptyRange(let range): "the duration of \(range) must be positive"
    case .negativeTime(let time): "\(time) lies before zero"
    case .beyondEnd(let time, let end): "\(time) lies after the end, \(end)"
    case .notContiguous(let end, let next): "a segment starts at \(next), but the one before it ends at \(end)"
    case .tooManySegments: "takes more than \(DocumentLimits.segments) segments"
    case .duplicateTrack(let id): "a track '\(id)' exists already"
    case .unknownTrack(let id): "there is no track '\(id)'"
    case .noLoop(let start, let end, let duration):
      "there is nothing to loop from \(start) to \(end), or it is shorter than the crossfade: the track lasts \(duration)"
    case .time(let error): error.description
    }
  }
}
