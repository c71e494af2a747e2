package import Formats
package import MediaTime
internal import Timeline

/// The division of an edit's sound into parts that are mixed and encoded by themselves (decision 0200). It is a pure function of the edit: how
/// many workers there are does not matter.
package enum SoundDivision: Hashable, Sendable {
  /// The parts, in order. They touch each other, and hold all samples of the sound.
  case parts([Range<Int64>])
  /// The sound is made in one piece.
  case whole(Reason)

  /// The reason for which a sound is not divided.
  package enum Reason: Hashable, Sendable {
    /// It is too short for two parts.
    case short
    case codec(AudioCodec)
    case effects
    case loudness
    case studies
    case pitch
    case size
    case copied

    /// The reason in words; nil where there is nothing to explain.
    package var words: String? {
      switch self {
      case .short: nil
      case .codec(let codec): "\(codec.rawValue) cannot be joined from parts"
      case .effects: "its effects remember all that came before"
      case .loudness: "its loudness is a matter of the whole"
      case .studies: "ducking by level, and the loudness of tracks, are measured over the whole"
      case .pitch: "sound that keeps its pitch at another speed depends on where it begins"
      case .size: "the file's size is a target, of which the whole sound takes its share"
      case .copied: "it is copied from its source"
      }
    }
  }

  /// The seconds of a part, but for the last one, which has half as many more at most, or half as many fewer. Of lossy sound the first part is
  /// divided once more, after `firstSeconds`.
  ///
  /// Lossless sound is made some times as fast as lossy sound, of which nearly all time goes into encoding, and the start of a process costs as
  /// much as ten seconds of it. Its bytes do not depend on the parts.
  package static func partSeconds(of codec: AudioCodec) -> Int { codec.isLossless ? 300 : 80 }

  /// The seconds of the first part of lossy sound. Players that are given a movie while it is rendered begin once that part is there.
  package static let firstSeconds: Int64 = 20

  /// - Parameter seconds: the seconds of each part, positive; nil for those of the sound's codec.
  /// - Precondition: the edit has sound.
  package init(of edit: ResolvedTimeline, every seconds: Int? = nil) throws(TimeError) {
    guard edit.timeline.export.copies?.soundSampleCount == nil else {
      self = .whole(.copied)
      return
    }
    let sounds = edit.sounds
    let isPlayedEarly = seconds == nil && edit.audio?.codec.isLossless == false
    let seconds = seconds ?? edit.audio.map { Self.partSeconds(of: $0.codec) } ?? 0
    precondition(!sounds.isEmpty && seconds > 0, "the edit has sound")
    let (count, rate) = (try edit.sampleCount, edit.audio?.sampleRate ?? 0)
    let length = Int64(seconds) * Int64(rate)
    // A rest of less than half a part belongs to the part before it.
    let middles = (1...max(1, count / max(length, 1))).map { $0 * length }.filter { count - $0 >= length / 2 }
    guard !middles.isEmpty else {
      self = .whole(.short)
      return
    }
    if let reason = try Self.obstacle(in: edit, sounds) {
      self = .whole(reason)
      return
    }
    let places = (isPlayedEarly ? [Self.firstSeconds * Int64(rate)] : []) + middles
    var borders = places
    for settings in sounds.compactMap(\.audio) {
      guard let block = settings.coding.coder.dividedBlock(sampleRate: settings.sampleRate), settings.coding == edit.audio?.coding
      else {
        self = .whole(.codec(settings.codec))
        return
      }
      // The last block of a lossy codec is a whole one, so its blocks are counted from the end.
      borders = places.map { settings.codec.isLossless ? $0 - $0 % block : $0 + (count - $0) % block }
    }
    let all = [0] + borders.filter { 0 < $0 && $0 < count } + [count]
    self = .parts(zip(all, all.dropFirst()).map { $0..<$1 })
  }

  private static func obstacle(in edit: ResolvedTimeline, _ sounds: [ResolvedTimeline]) throws(TimeError) -> Reason? {
    if case .fileSize? = edit.timeline.export.video.coding.coder.rateTarget { return .size }
    for sound in sounds {
      if sound.timeline.export.loudness != nil { return .loudness }
      let mix = sound.timeline.audioMix
      let hasEffects = sound.timeline.composition.tracks.contains { !mix.effects(on: $0.id).isEmpty && mix.isHeard($0.id) }
      if hasEffects || !sound.timeline.export.effects.isEmpty { return .effects }
      if !sound.soundStudies.isEmpty { return .studies }
      let spans = try sound.soundSpans(SoundMeasures())
      if spans.contains(where: { $0.stretch != Rational(1) || $0.curve?.pitch != nil }) { return .pitch }
    }
    return nil
  }
}
