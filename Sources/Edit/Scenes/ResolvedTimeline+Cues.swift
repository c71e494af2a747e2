internal import Captions
package import MediaTime
internal import Timeline

extension ResolvedTimeline {
  /// The edit without the cues that none of some frames shows. The scenes of these frames are the same: an hour's lyrics are much more
  /// than a chunk of it needs.
  ///
  /// - Precondition: the edit has a picture, and the frames are its. There is one at least.
  package func keepingCues(of frames: Range<Int>) throws(TimeError) -> ResolvedTimeline {
    // The second field of the last frame shows a later moment than the frame's own.
    let (start, end) = (try time(ofFrame: frames.lowerBound), try time(ofFrame: frames.upperBound))
    var own = timeline
    own.captions = timeline.captions.map { track in
      guard track.drawsCues else { return track }
      return track.with(track.cues.filter { $0.range.start < end && start < $0.range.end })
    }
    return ResolvedTimeline(
      timeline: own, facts: facts, nested: nested, videoComposition: videoComposition, color: color, hdrMetadata: hdrMetadata,
      exportRange: exportRange, audio: audio)
  }
}
