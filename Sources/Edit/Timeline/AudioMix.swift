/// The volumes of the audio tracks (AVAudioMix). A track without parameters plays at volume 1.
package struct AudioMix: Hashable, Sendable {
  /// The volumes in the order of the tracks' names. Tracks whose volume is always 1 are left out, so that equal mixes are equal
  /// values.
  package let inputParameters: [AudioMixInputParameters]

  /// - Precondition: no track occurs twice.
  package init(_ inputParameters: [AudioMixInputParameters] = []) {
    precondition(Set(inputParameters.map(\.track)).count == inputParameters.count, "a track has two volumes")
    self.inputParameters = inputParameters.filter { $0.volume != Envelope() }.sorted { $0.track < $1.track }
  }

  package func volume(of track: TrackID) -> Envelope<Double> {
    inputParameters.first { $0.track == track }?.volume ?? Envelope()
  }
}

package struct AudioMixInputParameters: Hashable, Sendable {
  package var track: TrackID
  /// The linear gain; 1 leaves the samples as they are.
  package var volume: Envelope<Double>

  package init(track: TrackID, volume: Envelope<Double>) {
    (self.track, self.volume) = (track, volume)
  }
}
