internal import Formats
internal import MediaTime
internal import Timeline

extension Lowering {
  /// Holds the last picture of the first video track where only sound goes on after it. So do Apple's systems where no video composition
  /// says something else, and so do the clips of phones end: their sound is often some hundredths of a second longer than their picture.
  ///
  /// Nothing is held within a track, where a gap is black, and nothing where another video track goes on.
  ///
  /// - Throws: an `AVError` that names the track where the moment of its last picture is no time.
  func holdLastPicture(in edit: inout Composition) throws(AVError) {
    let videos = edit.tracks.indices.filter { edit.tracks[$0].media == .video }
    guard let first = videos.first, case .media(let source, let mapping)? = edit.tracks[first].segments.last else { return }
    let (track, end) = (edit.tracks[first], edit.duration)
    guard track.duration < end, videos.allSatisfy({ edit.tracks[$0].duration <= track.duration }) else { return }
    do {
      let hold = try MediaTimeRange(start: mapping.source.lastMoment, duration: .zero)
      let held = TrackSegment.media(
        source, try TimeMapping(source: hold, target: MediaTimeRange(start: track.duration, end: end)))
      edit.tracks[first] = try CompositionTrack(id: track.id, media: track.media, segments: track.segments + [held])
    } catch {
      throw AVError(.unknown, "track \(track.id.rawValue): its last picture cannot be held: \(error)", property: "segments")
    }
  }
}

extension MediaTimeRange {
  /// A moment at which the range's last picture is seen: a millisecond before its end, or its start where it is no longer than that.
  /// Where the end's ticks and milliseconds have none in common that fit, it is one tick before the end, which is less.
  fileprivate var lastMoment: MediaTime {
    get throws(TimeError) {
      let millisecond = MediaTime(milliseconds: 1)
      guard duration > millisecond else { return start }
      do { return try end - millisecond } catch { return try MediaTime(end.value - 1, end.timescale) }
    }
  }
}
