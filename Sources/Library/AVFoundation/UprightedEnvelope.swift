internal import Formats
internal import MediaTime
internal import Timeline

// Documents lay pictures that stand upright. Layer instructions lay them as they are stored. So each value is joined with the map
// between the two, which is the medium's, and may change from segment to segment.

extension VideoFacts {
  fileprivate func upright(_ rect: Rect) -> Rect {
    let seen = CGRect(x: rect.x, y: rect.y, width: rect.width, height: rect.height).applying(preferredTransform)
    return Rect(Double(seen.minX), Double(seen.minY), Double(seen.width), Double(seen.height))
  }
}

extension AVCompositionTrack {
  /// The media that the track plays, each once.
  var media: [SourceTrack] { edit.clips.compactMap { sources[$0.source] } }

  private var ways: [VideoFacts] { media.compactMap(\.facts.video) }

  func uprightedCrop(_ crop: Envelope<Rect>) throws(AVError) -> Envelope<Rect> {
    guard !crop.keyframes.isEmpty, let first = crop.keyframes.first else { return crop }
    guard first.time == .zero || ways.allSatisfy({ $0.orientation == .up }) else {
      throw AVError(
        .invalidVideoComposition, "cropRectangle: of a turned picture it must be set from zero on", property: "cropRectangle",
        time: CMTime(first.time, preferredTimescale: 600))
    }
    return try uprighted(crop, neutral: first.value) { $0.upright($1) }
  }

  /// The envelope with `map` of the medium that is seen joined to each value.
  func uprighted<Value: Interpolable>(
    _ envelope: Envelope<Value>, neutral: Value, _ map: (VideoFacts, Value) -> Value
  ) throws(AVError) -> Envelope<Value> {
    guard let first = ways.first else { return envelope }
    let isOfOneWay = ways.allSatisfy {
      $0.orientation == first.orientation && ($0.orientation == .up || $0.displaySize == first.displaySize)
    }
    if isOfOneWay {
      if first.orientation == .up { return envelope }
      let frames = envelope.keyframes.map { keyframe in
        Envelope.Keyframe(keyframe.time, map(first, keyframe.value), holds: keyframe.holds, easing: keyframe.easing)
      }
      guard let start = frames.first, start.time > .zero else {
        return frames.isEmpty ? Envelope(constant: map(first, neutral)) : Envelope(frames)
      }
      return Envelope([Envelope.Keyframe(.zero, map(first, neutral), holds: true)] + frames)
    }
    do { return try uprightedBySegments(envelope, neutral, map) } catch {
      throw AVError(.invalidVideoComposition, "track \(trackID): \(error)")
    }
  }

  /// Each segment gets keyframes of its own, from its start to its end.
  private func uprightedBySegments<Value: Interpolable>(
    _ envelope: Envelope<Value>, _ neutral: Value, _ map: (VideoFacts, Value) -> Value
  ) throws(TimeError) -> Envelope<Value> {
    var frames: [Envelope<Value>.Keyframe] = []
    // The last value stays, and does not move on to the next segment's.
    let end = envelope.keyframes.last?.time
    for clip in edit.clips {
      guard let facts = sources[clip.source]?.facts.video else { continue }
      let range = clip.mapping.target
      let inside = envelope.keyframes.filter { range.start < $0.time && $0.time < range.end }
      let before = envelope.keyframes.last { $0.time <= range.start }
      let atStart = try envelope.value(at: range.start, neutral: neutral)
      frames.append(.init(range.start, map(facts, atStart), holds: before.map { $0.holds || $0.time == end } ?? true))
      frames += inside.map { .init($0.time, map(facts, $0.value), holds: $0.holds || $0.time == end) }
      // The value just before the end: that of the ramp, or the one that is held.
      let last = inside.last ?? before
      let next = envelope.keyframes.first { $0.time >= range.end }
      if let last, !last.holds, let next {
        let passed = try MediaTimeRange(start: last.time, end: next.time).progress(at: range.end)
        frames.append(.init(range.end, map(facts, last.value.interpolated(to: next.value, progress: passed)), holds: true))
      }
    }
    return Envelope(frames)
  }
}
