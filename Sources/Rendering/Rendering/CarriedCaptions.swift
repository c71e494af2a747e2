internal import Media
internal import MediaTime
internal import Scenes
internal import Timeline

extension ResolvedTimeline {
  /// The captions that the movie carries as text tracks, in the movie's time.
  var carriedCaptions: [MovieCaptions] {
    get throws(TimeError) {
      var found: [MovieCaptions] = []
      for track in timeline.captions where track.showing.isCarried {
        let cues = try track.texts(in: exportRange).map { MovieCaptions.Cue($0.text, $0.range) }
        found.append(MovieCaptions(cues, language: track.language))
      }
      return found
    }
  }
}
