package import Formats
package import MediaTime

/// The edits of AVMutableComposition. Each edits all tracks, or none when it throws.
extension Composition {
  /// Adds an empty track.
  ///
  /// - Throws: `CompositionError.duplicateTrack` when a track has the name already.
  package mutating func addTrack(_ id: TrackID, _ media: MediaKind) throws(CompositionError) {
    guard track(id) == nil else { throw .duplicateTrack(id) }
    tracks.append(CompositionTrack(id: id, media: media))
  }

  /// Edits one track in place.
  ///
  /// - Throws: `CompositionError.unknownTrack`, and what `edit` throws.
  package mutating func edit(
    _ id: TrackID, _ edit: (inout CompositionTrack) throws(CompositionError) -> Void
  ) throws(CompositionError) {
    guard let index = tracks.firstIndex(where: { $0.id == id }) else { throw .unknownTrack(id) }
    try edit(&tracks[index])
  }

  /// Inserts an empty range: everything at or after its start moves back by its duration (insertEmptyTimeRange(_:)).
  ///
  /// - Throws: `CompositionError.beyondEnd` when the range starts at or after the composition's end.
  package mutating func insertEmptyTimeRange(_ range: MediaTimeRange) throws(CompositionError) {
    guard range.start < duration else { throw .beyondEnd(range.start, end: duration) }
    try editTracks(reaching: range.start) { (track) throws(CompositionError) in try track.insertEmptyTimeRange(range) }
  }

  /// Removes the range from every track (removeTimeRange(_:)).
  ///
  /// - Throws: `CompositionError.beyondEnd` when part of the range lies after the composition's end.
  package mutating func removeTimeRange(_ range: MediaTimeRange) throws(CompositionError) {
    try checkWithin(range)
    try editTracks(reaching: range.start) { (track) throws(CompositionError) in
      try track.withGap(until: range.end) { (track) throws(CompositionError) in try track.removeTimeRange(range) }
    }
  }

  /// Plays the range faster or slower on every track, so that it lasts `duration` (scaleTimeRange(_:toDuration:)).
  ///
  /// - Throws: `CompositionError.beyondEnd` when part of the range lies after the composition's end.
  package mutating func scaleTimeRange(_ range: MediaTimeRange, toDuration duration: MediaTime) throws(CompositionError) {
    try checkWithin(range)
    try editTracks(reaching: range.start) { (track) throws(CompositionError) in
      try track.withGap(until: range.end) { (track) throws(CompositionError) in
        try track.scaleTimeRange(range, toDuration: duration)
      }
    }
  }

  /// Plays the range backwards on every track.
  ///
  /// - Throws: `CompositionError.beyondEnd` when part of the range lies after the composition's end.
  package mutating func reverseTimeRange(_ range: MediaTimeRange) throws(CompositionError) {
    try checkWithin(range)
    try editTracks(reaching: range.start) { (track) throws(CompositionError) in
      try track.withGap(until: range.end) { (track) throws(CompositionError) in try track.reverseTimeRange(range) }
    }
  }

  private func checkWithin(_ range: MediaTimeRange) throws(CompositionError) {
    guard range.end <= duration else { throw .beyondEnd(range.end, end: duration) }
  }

  /// Edits every track that ends after `time`. The others stay as they are.
  private mutating func editTracks(
    reaching time: MediaTime, _ edit: (inout CompositionTrack) throws(CompositionError) -> Void
  ) throws(CompositionError) {
    var edited = tracks
    for index in edited.indices where edited[index].duration > time { try edit(&edited[index]) }
    tracks = edited
  }
}
