internal import Formats
internal import MediaTime
package import Timeline

/// A track of an asset that a movie's only sound plays as it is, from the first sample of both on, and nothing beside it.
package struct UntouchedSound: Hashable, Sendable {
  package let asset: AssetID
  /// The track's position among the asset's playable tracks of sound.
  package let trackPosition: Int
  /// The movie's samples in which it is heard.
  package let samples: Range<Int64>
}

/// The content of a movie's sound, for those who copy packets.
package enum SoundContent: Hashable, Sendable {
  case untouched(UntouchedSound)
  /// Something that has to be mixed, with the reason.
  case other(String)
}

extension ResolvedTimeline {
  /// The content of the sound. Nobody lists what may be done to a clip's sound; whatever is not one clip as it is has to be mixed.
  ///
  /// - Throws: `TimeError` where times do not fit.
  package var soundContent: SoundContent {
    get throws(TimeError) {
      let sounds = sounds
      guard sounds.count == 1, let sound = sounds.first, let settings = sound.audio else {
        return .other(sounds.isEmpty ? "there is no sound" : "there are several sounds")
      }
      let export = sound.timeline.export
      guard export.effects.isEmpty, export.loudness == nil, sound.soundStudies.isEmpty else {
        return .other("it has effects, or its loudness is measured")
      }
      let spans = try sound.soundSpans(SoundMeasures())
      guard spans.count == 1, let span = spans.first else {
        return .other(spans.isEmpty ? "nothing is heard" : "more is heard than one clip in one piece")
      }
      let track = sound.track(span.trackPosition, of: span.asset, media: .audio)
      if let reason = try span.touch(of: track, settings) { return .other(reason) }
      return .untouched(UntouchedSound(asset: span.asset, trackPosition: span.trackPosition, samples: span.samples))
    }
  }

  /// The samples of each of the movie's sounds, in the order of its tracks. A sound that is copied ends with its source.
  package var soundLengths: [Int64] {
    get throws(TimeError) {
      if let copied = timeline.export.copies?.soundSampleCount { return [copied] }
      var lengths: [Int64] = []
      for sound in sounds { lengths.append(try sound.sampleCount) }
      return lengths
    }
  }
}

extension SoundSpan {
  /// The reason for which the span does not play its track from the beginning on, as it is; nil where it does.
  fileprivate func touch(of track: TrackFacts, _ settings: AudioCodecSettings) throws(TimeError) -> String? {
    guard case .audio(let facts) = track.detail else { return "the clip has no sound" }
    let model = SoundSpan(
      asset: asset, trackPosition: trackPosition, samples: samples, sourceStart: Rational(0), rate: Rational(1),
      stretch: Rational(1), curve: nil, isReversed: false, channels: nil, bus: nil, volumes: [])
    if samples.lowerBound != 0 { return "the clip does not begin with the movie" }
    if sourceStart != Rational(0) || track.timeRange.start != .zero {
      return "the clip does not begin with its track, or the track not with its file"
    }
    if !volumes.isEmpty { return "its volume or its balance is changed, or it fades" }
    if channels != nil { return "its channels are chosen or mixed" }
    if self != model { return "it is played at another speed or backwards, or has effects" }
    if track.codec != settings.codec.rawValue { return "the clip's is \(track.codec), and the movie's \(settings.codec)" }
    if facts.sampleRate != settings.sampleRate {
      return "the clip's has \(facts.sampleRate) samples a second, and the movie's \(settings.sampleRate)"
    }
    guard facts.channelLayout == settings.channelLayout.rawValue else {
      return "the clip's has the channels \(facts.channelLayout), and the movie's \(settings.channelLayout.rawValue)"
    }
    return nil
  }
}
