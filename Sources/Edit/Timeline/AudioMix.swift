package import Formats

/// The volumes of the audio tracks (AVAudioMix), their places between left and right, and to which others they yield. A track
/// without parameters plays at volume 1, in the middle.
package struct AudioMix: Hashable, Sendable {
  /// The parameters in the order of the tracks' names. Tracks that are heard as they are are left out, so that equal mixes are
  /// equal values.
  package let inputParameters: [AudioMixInputParameters]

  /// - Precondition: no track occurs twice.
  package init(_ inputParameters: [AudioMixInputParameters] = []) {
    precondition(Set(inputParameters.map(\.track)).count == inputParameters.count, "a track has two volumes")
    self.inputParameters = inputParameters.filter { !$0.isUsual }.sorted { $0.track < $1.track }
  }

  /// The mix in which only some of an edit's tracks are heard, and those among them that are heard without that.
  ///
  /// - Parameters:
  ///   - tracks: the tracks that are left.
  ///   - all: all audio tracks of the edit.
  package func hearing(_ tracks: [TrackID], of all: [TrackID]) -> AudioMix {
    AudioMix(
      all.map { track in
        var parameters = parameters(of: track) ?? AudioMixInputParameters(track: track)
        if !tracks.contains(track) { parameters.isMuted = true }
        return parameters
      })
  }

  private func parameters(of track: TrackID) -> AudioMixInputParameters? { inputParameters.first { $0.track == track } }

  package func volume(of track: TrackID) -> Envelope<Double> { parameters(of: track)?.volume ?? Envelope() }

  package func balance(of track: TrackID) -> Envelope<Double> { parameters(of: track)?.balance ?? Envelope() }

  /// Whether the track's sound keeps its pitch where it plays at another speed.
  package func preservesPitch(_ track: TrackID) -> Bool { parameters(of: track)?.preservesPitch ?? false }

  /// The channels of the track's sources that are heard; nil is all, as they are.
  package func channels(of track: TrackID) -> ChannelMap? { parameters(of: track)?.channels }

  /// The effects on the track, before its loudness and its volume.
  package func effects(on track: TrackID) -> [SoundEffect] { parameters(of: track)?.effects ?? [] }

  package func ducking(of track: TrackID) -> Ducking? { parameters(of: track)?.ducking }

  /// The loudness to which the track is brought before its volume counts; nil where it stays as it is.
  package func loudness(of track: TrackID) -> TrackLoudness? { parameters(of: track)?.loudness }

  /// Whether the track is heard at all: it is not muted, and where some tracks are solo it is one of them.
  package func isHeard(_ track: TrackID) -> Bool {
    let parameters = parameters(of: track)
    if parameters?.isMuted == true { return false }
    return parameters?.isSolo == true || !inputParameters.contains(where: \.isSolo)
  }
}

package struct AudioMixInputParameters: Hashable, Sendable {
  package var track: TrackID
  /// The linear gain; 1 leaves the samples as they are.
  package var volume: Envelope<Double>
  /// The balance, -1...1: at -1 the right side is silent, at 1 the left one, and without keyframes both are as they are.
  package var balance: Envelope<Double>
  package var isMuted: Bool
  package var isSolo: Bool
  /// Whether the sound keeps its pitch where it plays at another speed. If not, the pitch rises and falls with the speed.
  package var preservesPitch: Bool
  /// The channels of its sources that are heard; nil is all, as they are.
  package var channels: ChannelMap?
  /// The effects, in their order.
  package var effects: [SoundEffect]
  /// The tracks to which it yields, and how.
  package var ducking: Ducking?
  /// The loudness of the whole track (EBU R128), to which a gain brings it. The volume comes on top of that.
  package var loudness: TrackLoudness?

  package init(
    track: TrackID, volume: Envelope<Double> = Envelope(), balance: Envelope<Double> = Envelope(), isMuted: Bool = false,
    isSolo: Bool = false, preservesPitch: Bool = false, ducking: Ducking? = nil, loudness: TrackLoudness? = nil,
    channels: ChannelMap? = nil, effects: [SoundEffect] = []
  ) {
    (self.channels, self.effects) = (channels, effects)
    (self.track, self.volume, self.balance) = (track, volume, balance)
    self.preservesPitch = preservesPitch
    (self.isMuted, self.isSolo, self.ducking, self.loudness) = (isMuted, isSolo, ducking, loudness)
  }

  /// Whether the parameters leave the track as it is.
  fileprivate var isUsual: Bool { self == AudioMixInputParameters(track: track) }
}
