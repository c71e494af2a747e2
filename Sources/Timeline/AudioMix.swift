/// Volumes of the audio tracks (AVAudioMix). A track without parameters plays at volume 1.
package struct AudioMix: Hashable, Sendable {
  package var inputParameters: [AudioMixInputParameters]

  package init(_ inputParameters: [AudioMixInputParameters] = []) { self.inputParameters = inputParameters }

  package func volume(of track: TrackID) -> Envelope<Double> {
    inputParameters.first { $0.track == track }?.volume ?? Envelope()
  }
}

package struct AudioMixInputParameters: Hashable, Sendable {
  package var track: TrackID
  /// Linear gain; 1 leaves the samples as they are.
  package var volume: Envelope<Double>

  package init(track: TrackID, volume: Envelope<Double>) {
    (self.track, self.volume) = (track, volume)
  }
}
