internal import Formats
internal import MediaTime
internal import Timeline

/// A track of an edit.
open class AVCompositionTrack: AVAssetTrack, @unchecked Sendable {
  fileprivate let id: CMPersistentTrackID
  fileprivate let kind: AVMediaType
  /// The segments, with the paths of media for names of assets.
  fileprivate(set) var edit: CompositionTrack
  fileprivate(set) var sources: [SegmentSource: SourceTrack] = [:]
  /// The first failure of a change that cannot throw. An export tells it.
  fileprivate(set) var fault: AVError?
  fileprivate var transform = CGAffineTransform.identity
  fileprivate var volume: Float = 1
  fileprivate var timescale: CMTimeScale?
  fileprivate var isOn = true
  fileprivate var language: (code: String?, tag: String?)

  init(of composition: AVComposition, _ id: CMPersistentTrackID, _ kind: AVMediaType) {
    (self.id, self.kind) = (id, kind)
    edit = CompositionTrack(id: TrackID("\(id)"), media: kind == .video ? .video : .audio)
    super.init(of: composition, nil, position: nil)
  }

  open override var trackID: CMPersistentTrackID { id }
  open override var mediaType: AVMediaType { kind }
  open override var isPlayable: Bool { true }
  open override var isEnabled: Bool { isOn }
  open override var preferredTransform: CGAffineTransform { transform }
  open override var preferredVolume: Float { volume }
  open override var languageCode: String? { language.code }
  open override var extendedLanguageTag: String? { language.tag }

  /// A track of another edit that plays the same.
  func copied(to composition: AVComposition) -> AVMutableCompositionTrack {
    let copy = AVMutableCompositionTrack(of: composition, id, kind)
    (copy.edit, copy.sources, copy.fault) = (edit, sources, fault)
    (copy.transform, copy.volume, copy.timescale) = (transform, volume, timescale)
    (copy.isOn, copy.language) = (isOn, language)
    return copy
  }

  /// The first medium that the track plays.
  var first: SourceTrack? { edit.clips.first.flatMap { sources[$0.source] } }

  open override var naturalSize: CGSize { first?.facts.video?.storedSize ?? .zero }
  open override var naturalTimeScale: CMTimeScale { timescale ?? first?.facts.naturalTimeScale ?? 600 }
  open override var nominalFrameRate: Float { Float(first?.facts.video?.nominalFrameRate?.seconds ?? 0) }
  open override var minFrameDuration: CMTime {
    guard let rate = first?.facts.video?.nominalFrameRate, let ticks = Int32(exactly: rate.value) else { return .invalid }
    return CMTime(value: Int64(rate.timescale), timescale: ticks)
  }

  open override var formatDescriptions: [Any] { media.map { $0.facts.formatDescription } }

  /// The range from zero to the end of the last segment.
  open override var timeRange: CMTimeRange {
    CMTimeRange(start: .zero, duration: CMTime(edit.duration, preferredTimescale: naturalTimeScale))
  }

  override var parts: [AVAssetTrackSegment] { played }

  /// The segments, in order of the track's time.
  final var played: [AVCompositionTrackSegment] {
    edit.segments.map { segment in
      let target = CMTimeRange(segment.timeRange, preferredTimescale: naturalTimeScale)
      guard case .media(let medium, let mapping) = segment, let source = sources[medium] else {
        return AVCompositionTrackSegment(timeRange: target)
      }
      return AVCompositionTrackSegment(
        medium, source, from: CMTimeRange(mapping.source, preferredTimescale: source.facts.naturalTimeScale), to: target)
    }
  }

  /// The segment at a time of the track; nil from its end on.
  open func segment(forTrackTime trackTime: CMTime) -> AVCompositionTrackSegment? {
    played.first { $0.timeMapping.target.containsTime(trackTime) }
  }

  override func material(in range: MediaTimeRange) throws(AVError) -> Material {
    var part = edit
    do {
      if range.end < part.duration {
        try part.removeTimeRange(MediaTimeRange(start: range.end, end: part.duration))
      }
      if range.start > .zero {
        try part.removeTimeRange(MediaTimeRange(start: .zero, end: min(range.start, part.duration)))
      }
    } catch { throw AVError(.unknown, "the range \(range): \(error)", property: "timeRange") }
    return Material(segments: part.segments, sources: sources)
  }
}

/// A range of an edit's track: a range of a medium, or nothing.
open class AVCompositionTrackSegment: AVAssetTrackSegment {
  public let sourceURL: URL?
  public let sourceTrackID: CMPersistentTrackID
  /// The medium's track that the segment plays; nil where it was not read for the segment, and for an empty one.
  let played: (medium: SegmentSource, source: SourceTrack)?

  public init(
    url: URL, trackID: CMPersistentTrackID, sourceTimeRange: CMTimeRange, targetTimeRange: CMTimeRange
  ) {
    (sourceURL, sourceTrackID, played) = (url, trackID, nil)
    super.init(CMTimeMapping(source: sourceTimeRange, target: targetTimeRange), isEmpty: false)
  }

  /// Makes a segment of an edit's track.
  init(_ medium: SegmentSource, _ source: SourceTrack, from sourceTimeRange: CMTimeRange, to target: CMTimeRange) {
    (sourceURL, sourceTrackID) = (source.url, CMPersistentTrackID(source.facts.index + 1))
    played = (medium, source)
    super.init(CMTimeMapping(source: sourceTimeRange, target: target), isEmpty: false)
  }

  /// The reason for which another file would be found at `sourceURL` than the one that the segment plays, or none; nil where it is the same.
  /// AVFoundation has no such property.
  public var spoolFault: (any Error)? {
    guard let file = played?.source.file else { return nil }
    return switch file.state {
    case .inPlace: nil
    case .removed: file.fault("was removed after it was inserted")
    case .replaced: file.fault("is another file than the one that was inserted")
    case .overwritten: file.fault("was written to after it was inserted")
    }
  }

  /// Makes an empty segment.
  public init(timeRange: CMTimeRange) {
    (sourceURL, sourceTrackID, played) = (nil, kCMPersistentTrackID_Invalid, nil)
    super.init(CMTimeMapping(source: .invalid, target: timeRange), isEmpty: true)
  }
}

/// A track of an edit that can be changed.
open class AVMutableCompositionTrack: AVCompositionTrack, @unchecked Sendable {
  open override var preferredTransform: CGAffineTransform {
    get { transform }
    set { transform = newValue }
  }
  open override var preferredVolume: Float {
    get { volume }
    set { volume = newValue }
  }
  /// The language of sound. A movie tells it where all tracks that are heard have the same one.
  open override var languageCode: String? {
    get { language.code }
    set { language.code = newValue }
  }
  open override var extendedLanguageTag: String? {
    get { language.tag }
    set { language.tag = newValue }
  }
  open override var naturalTimeScale: CMTimeScale {
    get { super.naturalTimeScale }
    set { timescale = newValue }
  }
  open override var isEnabled: Bool {
    get { isOn }
    set { isOn = newValue }
  }

  /// The segments, in order of the track's time. Segments that do not follow each other, or whose media cannot be read, leave the
  /// track as it was, and the export tells the failure.
  ///
  /// It may be unwrapped, as on Apple's systems. It is never nil, and nil stands for no segments.
  open var segments: [AVCompositionTrackSegment]! {
    get { played }
    set {
      let segments = newValue ?? []
      do throws(AVError) {
        try validateSegments(segments)
        (edit, sources) = try made(of: segments)
      } catch { fault = fault ?? error }
    }
  }

  /// Plays a range of a track from a time on. What is there moves back. A time past the end leaves a gap before it, and the
  /// invalid time is the end.
  open func insertTimeRange(_ timeRange: CMTimeRange, of track: AVAssetTrack, at startTime: CMTime) throws {
    guard track.mediaType == mediaType else {
      throw AVError(
        .invalidSourceMedia, "a track of \(track.mediaType.rawValue) cannot be put on one of \(mediaType.rawValue)",
        property: "track")
    }
    let code = AVError.Code.invalidCompositionTrackSegmentSourceDuration
    let range = try MediaTimeRange(timeRange, "timeRange", code)
    guard !range.isEmpty else { throw AVError(code, "timeRange: is empty", property: "timeRange", time: timeRange.start) }
    let start = startTime.isValid ? try MediaTime(startTime, "startTime") : edit.duration
    guard start >= .zero else { throw AVError(.unknown, "startTime: lies before zero", property: "startTime", time: startTime) }
    try insert(track.material(in: range), lasting: range.duration, at: start)
  }

  /// Plays ranges of tracks, one after the other.
  open func insertTimeRanges(_ timeRanges: [NSValue], of tracks: [AVAssetTrack], at startTime: CMTime) throws {
    guard timeRanges.count == tracks.count else {
      throw AVError(.unknown, "insertTimeRanges: \(timeRanges.count) ranges of \(tracks.count) tracks", property: "timeRanges")
    }
    let before = (edit, sources)
    do {
      var place = startTime.isValid ? startTime : CMTime(edit.duration, preferredTimescale: naturalTimeScale)
      for (value, track) in zip(timeRanges, tracks) {
        try insertTimeRange(value.timeRangeValue, of: track, at: place)
        place = place + value.timeRangeValue.duration
      }
    } catch {
      // A failure changes nothing.
      (edit, sources) = before
      throw error
    }
  }

  /// Puts a gap into the track. What is there moves back. A gap after the track's end is nothing.
  open func insertEmptyTimeRange(_ timeRange: CMTimeRange) {
    change(timeRange) { edit, range in
      if range.start < edit.duration { try edit.insertEmptyTimeRange(range) }
    }
  }

  /// Takes a range out of the track. What comes after it moves forward.
  open func removeTimeRange(_ timeRange: CMTimeRange) {
    change(timeRange) { edit, range in
      guard let part = try range.clipped(to: edit.duration) else { return }
      try edit.removeTimeRange(part)
    }
  }

  /// Plays a range faster or slower.
  open func scaleTimeRange(_ timeRange: CMTimeRange, toDuration duration: CMTime) {
    change(timeRange) { edit, range in
      let target = try MediaTime(duration, "duration")
      guard range.start < edit.duration else { return }
      guard range.end > edit.duration else { return try edit.scaleTimeRange(range, toDuration: target) }
      // The track ends within the range, so its part of the range is scaled as the whole of it is.
      let part = try MediaTimeRange(start: range.start, end: edit.duration)
      let length = try MediaTime(Rational(part.duration) * Rational(target) / Rational(range.duration))
      try edit.scaleTimeRange(part, toDuration: length)
    }
  }

  /// Changes the track. A failure leaves it as it was, and is told when the edit is exported.
  private func change(_ timeRange: CMTimeRange, _ change: (inout CompositionTrack, MediaTimeRange) throws -> Void) {
    do {
      var changed = edit
      let range = try MediaTimeRange(timeRange, "timeRange")
      guard !range.isEmpty else { return }
      try change(&changed, range)
      edit = changed
    } catch {
      fault = fault ?? (error as? AVError) ?? AVError(.unknown, "track \(id): \(error)", time: timeRange.start)
    }
  }

  /// Plays segments alone, which last so long, from a time on.
  func play(_ material: Material, lasting duration: MediaTime, at start: MediaTime) throws(AVError) {
    do { edit = try CompositionTrack(id: edit.id, media: edit.media, segments: []) } catch {
      throw AVError(.unknown, "track \(id): \(error)")
    }
    sources = [:]
    try insert(material, lasting: duration, at: start)
  }

  /// Puts segments into the track, which last so long with the gap after them.
  func insert(_ material: Material, lasting duration: MediaTime, at start: MediaTime) throws(AVError) {
    do {
      var (before, after) = (edit, edit)
      let total = edit.duration
      if start < total {
        if start > .zero { try after.removeTimeRange(MediaTimeRange(start: .zero, end: start)) }
        try before.removeTimeRange(MediaTimeRange(start: start, end: total))
      }
      let (end, isLast) = (try start + duration, start >= total)
      var segments = before.segments
      func fill(to time: MediaTime) throws {
        let end = segments.last?.timeRange.end ?? .zero
        if end < time { segments.append(.empty(try MediaTimeRange(start: end, end: time))) }
      }
      try fill(to: start)
      segments += try material.segments.map { try $0.moved(by: start) }
      if !isLast {
        try fill(to: end)
        segments += try after.segments.map { try $0.moved(by: end) }
      }
      edit = try CompositionTrack(id: edit.id, media: edit.media, segments: segments)
      sources.merge(material.sources) { $1 }
    } catch { throw AVError(.unknown, "track \(id): \(error)", time: CMTime(start, preferredTimescale: 600)) }
  }
}

extension TrackSegment {
  func moved(by shift: MediaTime) throws(TimeError) -> TrackSegment {
    let target = try MediaTimeRange(start: timeRange.start + shift, duration: timeRange.duration)
    switch self {
    case .empty: return .empty(target)
    case .media(let source, let mapping):
      return .media(source, try TimeMapping(source: mapping.source, target: target, isReversed: mapping.isReversed))
    }
  }
}

extension MediaTimeRange {
  /// The part of the range before `end`; nil where there is none.
  func clipped(to end: MediaTime) throws(TimeError) -> MediaTimeRange? {
    start < end ? try MediaTimeRange(start: start, end: min(self.end, end)) : nil
  }
}
