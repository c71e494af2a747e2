package import Formats

/// One of several sounds of a movie, such as a language: a mix of some of the edit's tracks, encoded by itself. A track may belong to
/// several of them.
package struct MovieSound: Hashable, Sendable {
  /// The audio tracks that are heard in it, in the order of their names, each once.
  package let tracks: [TrackID]
  /// The language, as a BCP 47 tag; nil where none is stated.
  package var language: String?
  /// The name that players show; nil for none.
  package var title: String?
  /// Whether it is the one that players play where nobody chooses.
  package var isDefault: Bool
  /// How it is encoded. All sounds of a movie have one sample rate.
  package var audio: AudioCodecSettings
  /// The loudness to which it is brought; nil leaves it as it is mixed.
  package var loudness: LoudnessTarget?

  package init(
    of tracks: [TrackID], language: String? = nil, title: String? = nil, isDefault: Bool, audio: AudioCodecSettings,
    loudness: LoudnessTarget? = nil
  ) {
    (self.tracks, self.language, self.title) = (Set(tracks).sorted(), language, title)
    (self.isDefault, self.audio, self.loudness) = (isDefault, audio, loudness)
  }
}
