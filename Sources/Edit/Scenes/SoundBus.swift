internal import Formats
package import MediaTime
package import Timeline

/// A track with effects. Its spans are added up by themselves; then come its effects, and then its volumes.
package struct SoundBus: Hashable, Sendable {
  package let track: TrackID
  package let effects: [SoundEffect]
  /// The volumes and balances after the effects, all multiplied.
  package let volumes: [SoundSpan.Volume]
}

extension ResolvedTimeline {
  /// The tracks with effects that are heard, in the order of the edit.
  ///
  /// - Parameters:
  ///   - study: the study for which they are heard; nil for the movie.
  ///   - measures: the results of all studies, or of those before this one.
  package func soundBuses(of study: SoundStudy? = nil, _ measures: SoundMeasures) throws(TimeError) -> [SoundBus] {
    guard let audio else { return [] }
    // Tracks of nested compositions have no effects.
    guard study?.composition == nil else { return [] }
    let origin = study == nil ? try Rational(0) - Rational(exportRange.start) : Rational(0)
    var buses: [SoundBus] = []
    for track in timeline.composition.tracks where track.media == .audio {
      let effects = timeline.audioMix.effects(on: track.id)
      guard !effects.isEmpty, timeline.audioMix.isHeard(track.id), study?.tracks.contains(track.id) ?? true else { continue }
      let own = try envelopes(of: track.id, in: nil, measures, audio.sampleRate, study)
      let volumes = own.map { SoundSpan.Volume($0, envelope: $1, origin: origin, scale: Rational(1)) }
      buses.append(SoundBus(track: track.id, effects: effects, volumes: volumes))
    }
    return buses
  }

  /// The number of samples before the exported range that are mixed for effects, which remember them: from the edit's beginning on.
  package var leadSampleCount: Int64 {
    get throws(TimeError) {
      guard let audio else { return 0 }
      let mix = timeline.audioMix
      let hasEffects = timeline.composition.tracks.contains { !mix.effects(on: $0.id).isEmpty && mix.isHeard($0.id) }
      guard hasEffects || !timeline.export.effects.isEmpty else { return 0 }
      return Int64(clamping: try (Rational(exportRange.start) * Rational(Int64(audio.sampleRate))).ceiling)
    }
  }
}
