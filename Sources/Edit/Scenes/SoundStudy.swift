internal import Formats
internal import MediaTime
package import Timeline

/// A part of an edit's sound that must be measured before the sound can be mixed. Studies are a pure function of the edit.
package struct SoundStudy: Hashable, Sendable {
  /// The question of a study.
  package enum Question: Hashable, Sendable {
    /// The windows of `Ducking.windowLength` samples, counted from the composition's start, whose level reaches a threshold. The tracks are
    /// heard with their own volumes, but they yield to no other track.
    case activity(threshold: Double)
    /// The integrated loudness of the track as it is, without a volume; with a range, that which it has once it does not exceed the range.
    case loudness(range: Double?)
  }

  /// The nested composition that has the tracks; nil for the edit itself. They are heard on its clock, from its start to its end.
  package let composition: CompositionID?
  /// The tracks, in the order of their names.
  package let tracks: [TrackID]
  package let question: Question

  package init(_ question: Question, of tracks: [TrackID], in composition: CompositionID?) {
    (self.question, self.tracks, self.composition) = (question, tracks, composition)
  }
}

/// The results of studies.
package struct SoundMeasures: Hashable, Sendable {
  /// For each study of activity, the samples in which its tracks are active, in order.
  package var activity: [SoundStudy: [Range<Int64>]] = [:]
  /// For each study of loudness, the loudness in LUFS. Silence and sound that is too short to be measured have none.
  package var loudness: [SoundStudy: Double] = [:]
  /// For each study of loudness with a range that the track exceeds, the gains in dB at whole seconds that narrow it.
  package var narrowing: [SoundStudy: [Double]] = [:]

  package init() {}
}

extension ResolvedTimeline {
  /// The studies that mixing needs, each once. Each comes after those on which its result depends.
  package var soundStudies: [SoundStudy] {
    guard audio != nil else { return [] }
    var (studies, known, seen): ([SoundStudy], Set<SoundStudy>, Set<CompositionID>) = ([], [], [])
    func visit(_ edit: ResolvedTimeline, _ id: CompositionID?) {
      for inner in edit.timeline.composition.nested.sorted() where seen.insert(inner).inserted {
        visit(edit.edit(of: inner), inner)
      }
      let mix = edit.timeline.audioMix
      let heard = edit.timeline.composition.tracks.filter { $0.media == .audio && mix.isHeard($0.id) }.map(\.id)
      // Levels are those of tracks that have their loudness already.
      let loudness = heard.compactMap { track in
        mix.loudness(of: track).map { SoundStudy(.loudness(range: $0.range), of: [track], in: id) }
      }
      let activity = heard.compactMap { track in mix.ducking(of: track).flatMap { SoundStudy($0, in: id) } }
      for study in loudness + activity where known.insert(study).inserted { studies.append(study) }
    }
    visit(self, nil)
    return studies
  }

  /// The reason why the edit's ducking, that of nested compositions with it, takes too much time or memory; nil where it does not.
  var duckingFault: String? {
    let segments = ([self] + nested.values).reduce(0) { sum, edit in
      let counts = Dictionary(uniqueKeysWithValues: edit.timeline.composition.tracks.map { ($0.id, $0.segments.count) })
      return edit.timeline.audioMix.inputParameters.reduce(sum) { sum, track in
        (track.ducking?.under ?? []).reduce(sum) { $0 + (counts[$1] ?? 0) }
      }
    }
    if segments > DocumentLimits.duckedSegments {
      return "tracks yield to \(segments) segments in all; at most \(DocumentLimits.duckedSegments) are accepted"
    }
    let levels = soundStudies.count { !$0.isOfLoudness }
    guard levels > DocumentLimits.measuredLevels else { return nil }
    return "the levels of \(levels) groups of tracks are to be measured; at most \(DocumentLimits.measuredLevels) are accepted"
  }

  /// The volumes and balances of a track, without those that change nothing.
  ///
  /// - Parameter study: the study of this composition that the track is heard for; nil for the movie.
  func envelopes(
    of track: TrackID, in composition: CompositionID?, _ measures: SoundMeasures, _ sampleRate: Int32, _ study: SoundStudy?
  ) throws(TimeError) -> [(SoundSpan.Volume.Kind, Envelope<Double>)] {
    guard study?.isOfLoudness != true else { return [] }
    let mix = timeline.audioMix
    var envelopes = [(SoundSpan.Volume.Kind.gain, mix.volume(of: track)), (.balance, mix.balance(of: track))]
    if let target = mix.loudness(of: track) {
      let study = SoundStudy(.loudness(range: target.range), of: [track], in: composition)
      if let gains = measures.narrowing[study] { envelopes.append((.gain, LoudnessCourse.envelope(of: gains))) }
      if let measured = measures.loudness[study] {
        envelopes.append((.gain, Envelope(constant: Exponential.gain(decibels: target.integrated - measured))))
      }
    }
    if study == nil, let ducking = mix.ducking(of: track) {
      let active = SoundStudy(ducking, in: composition).map { measures.activity[$0] ?? [] }
      let spans = if let active { active } else { try segments(of: ducking.under, sampleRate) }
      envelopes.append((.gain, try ducking.envelope(yieldingTo: spans, sampleRate: sampleRate)))
    }
    return envelopes.filter { $0.1 != Envelope() }
  }

  /// The samples in which some of the tracks have segments. Those that are not heard have none.
  private func segments(of tracks: [TrackID], _ sampleRate: Int32) throws(TimeError) -> [Range<Int64>] {
    var ranges: [Range<Int64>] = []
    for track in timeline.composition.tracks where tracks.contains(track.id) && timeline.audioMix.isHeard(track.id) {
      for (_, mapping) in track.clips {
        let (start, end) = (try mapping.target.start.samples(at: sampleRate), try mapping.target.end.samples(at: sampleRate))
        if start < end { ranges.append(start..<end) }
      }
    }
    return ranges
  }
}

extension SoundStudy {
  fileprivate var isOfLoudness: Bool { if case .loudness = question { true } else { false } }

  /// The study that a ducking needs; nil where it follows the edit's timing.
  fileprivate init?(_ ducking: Ducking, in composition: CompositionID?) {
    guard let threshold = ducking.threshold else { return nil }
    self.init(.activity(threshold: threshold), of: ducking.under, in: composition)
  }
}
