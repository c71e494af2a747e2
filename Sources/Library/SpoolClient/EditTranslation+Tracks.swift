internal import AVFoundation

/// A track of the edit, as far as the layer instructions on it need it.
struct SourceTrack {
  let mediaType: AVMediaType
  let isScaled: Bool
  let volume: Float
  /// The maps from the stored pictures of the track's media to upright ones, each once.
  let turns: [CGAffineTransform]
}

/// A track of a medium.
private struct MediaTrack {
  /// Its place among the tracks of its kind.
  let position: Int
  /// The map from its stored picture to the upright one, whose corner is at the origin.
  let turn: CGAffineTransform
}

extension EditTranslation {
  /// Adds the tracks that play something. Loads what is needed of their media.
  ///
  /// - Parameter holdsLastPicture: whether the last picture of the first video track is held where only sound goes on after it, as Apple's
  ///   systems do without a video composition.
  mutating func addTracks(holdingLastPicture holdsLastPicture: Bool) async throws {
    var list: [DocumentValue] = []
    var known: [URL: [CMPersistentTrackID: MediaTrack]] = [:]
    for track in composition.tracks where track.isEnabled {
      guard track.mediaType == .video || track.mediaType == .audio else { continue }
      var segments: [DocumentValue] = []
      var turns: [CGAffineTransform] = []
      var isScaled = false
      let place = "track \(track.trackID)"
      for segment in track.segments where !segment.isEmpty {
        guard let url = segment.sourceURL else {
          throw SpoolClientError(property: place, reason: "a segment plays no file: nested compositions cannot be said")
        }
        #if os(Linux)
          // Apple's modules do not tell it, and a URL is all that they have of the file.
          if let fault = segment.spoolFault { throw SpoolClientError(property: place, reason: fault.localizedDescription) }
        #endif
        if known[url] == nil { known[url] = try await Self.load(url) }
        guard let source = known[url]?[segment.sourceTrackID] else {
          throw SpoolClientError(property: place, reason: "\(url.lastPathComponent) has no track \(segment.sourceTrackID)")
        }
        let mapping = segment.timeMapping
        var members: [String: DocumentValue] = [
          "asset": .text(name(of: url)), "source": try Self.range(mapping.source, "\(place).source"),
          "at": try Self.time(mapping.target.start, "\(place).target"),
        ]
        if source.position > 0 { members["sourceTrack"] = .number(Double(source.position)) }
        if mapping.target.duration != mapping.source.duration {
          members["duration"] = try Self.time(mapping.target.duration, "\(place).target")
          isScaled = true
        }
        segments.append(.object(members))
        if track.mediaType == .video, !turns.contains(source.turn) { turns.append(source.turn) }
      }
      if holdsLastPicture, let end = endOfSound(after: track), case .object(let last)? = segments.last {
        segments.append(try Self.held(track, until: end, as: last, "\(place).target"))
      }
      guard !segments.isEmpty else { continue }
      tracks[track.trackID] = SourceTrack(
        mediaType: track.mediaType, isScaled: isScaled, volume: track.preferredVolume, turns: turns)
      list.append(
        .object([
          "id": .text("\(track.trackID)"), "media": .text(track.mediaType == .video ? "video" : "audio"),
          "segments": .list(segments),
        ]))
    }
    guard !list.isEmpty else { throw SpoolClientError(property: "composition", reason: "is empty: no track plays anything") }
    members["composition"] = .object(["tracks": .list(list)])
  }

  private static func load(_ url: URL) async throws -> [CMPersistentTrackID: MediaTrack] {
    var found: [CMPersistentTrackID: MediaTrack] = [:]
    var counts: [AVMediaType: Int] = [:]
    for track in try await AVURLAsset(url: url).load(.tracks) {
      let position = counts[track.mediaType, default: 0]
      counts[track.mediaType] = position + 1
      var turn = CGAffineTransform.identity
      if track.mediaType == .video {
        let (size, preferred) = try await track.load(.naturalSize, .preferredTransform)
        let seen = CGRect(origin: .zero, size: size).applying(preferred)
        turn = preferred.concatenating(CGAffineTransform(translationX: -seen.minX, y: -seen.minY))
      }
      found[track.trackID] = MediaTrack(position: position, turn: turn)
    }
    return found
  }

  /// Adds the volumes of the tracks.
  mutating func add(_ audioMix: AVAudioMix?) throws {
    let given = audioMix?.inputParameters ?? []
    for (index, parameters) in given.enumerated() {
      guard composition.tracks.contains(where: { $0.trackID == parameters.trackID && $0.mediaType == .audio }) else {
        throw SpoolClientError(
          property: "audioMix.inputParameters[\(index)]", reason: "no audio track has the ID \(parameters.trackID)")
      }
    }
    guard Set(given.map(\.trackID)).count == given.count else {
      throw SpoolClientError(property: "audioMix.inputParameters", reason: "two parameters of one track are not said")
    }
    var list: [DocumentValue] = []
    for (id, track) in tracks.sorted(by: { $0.key < $1.key }) where track.mediaType == .audio {
      let parameters = given.first { $0.trackID == id }
      #if canImport(MediaToolbox)
        guard parameters?.audioTapProcessor == nil else {
          throw SpoolClientError(property: "audioMix of track \(id)", reason: "a tap's code cannot be said in a document")
        }
      #endif
      var members: [String: DocumentValue] = ["track": .text("\(id)")]
      let share = decimal(track.volume)
      let ramps = try parameters.map { (parameters) throws(SpoolClientError) in
        try unsafe Ramp<Float>.all("volume of track \(id)", from: 1) {
          unsafe parameters.getVolumeRamp(for: $0, startVolume: $1, endVolume: $2, timeRange: $3)
        }
      }
      if let keyframes = try ramps.flatMap({ (ramps) throws(SpoolClientError) in
        try Ramp.keyframes(ramps, "volume of track \(id)") { (value) throws(SpoolClientError) in
          .number(Double(try CGFloat(decimal(value)).checked("volume of track \(id)")) * share)
        }
      }) {
        members["volume"] = keyframes
      } else if share != 1 {
        members["volume"] = .number(share)
      }
      if track.isScaled { members["preservesPitch"] = .flag(parameters?.audioTimePitchAlgorithm != .varispeed) }
      if members.count > 1 { list.append(.object(members)) }
    }
    if !list.isEmpty { members["audioMix"] = .list(list) }
  }
}

/// A value that changes over a range of time.
struct Ramp<Value> {
  let range: CMTimeRange
  let start: Value
  let end: Value

  typealias Getter = (
    CMTime, UnsafeMutablePointer<Value>, UnsafeMutablePointer<Value>, UnsafeMutablePointer<CMTimeRange>
  ) -> Bool

  /// All ramps that a getter such as `getOpacityRamp(for:startOpacity:endOpacity:timeRange:)` tells of.
  ///
  /// Such a getter gives the ramp in which a time lies, else the first one after it. A value that is set from a time on may come as
  /// a ramp without duration.
  static func all(_ property: String, from neutral: Value, _ get: Getter) throws(SpoolClientError) -> [Ramp] {
    var found: [Ramp] = []
    var time = CMTime.zero
    // An edit has far fewer ramps. The bound ends a getter that never does.
    for _ in 0..<100_000 {
      var (start, end, range) = (neutral, neutral, CMTimeRange.invalid)
      guard unsafe get(time, &start, &end, &range), range.start.isValid else { return found }
      found.append(Ramp(range: range, start: start, end: end))
      guard range.start.isNumeric, range.duration.isNumeric else { return found }
      time = range.duration > .zero ? range.end : range.start + CMTime(value: 1, timescale: 1_000_000_000)
    }
    throw SpoolClientError(property: property, reason: "has too many ramps")
  }

  /// The ramps as keyframes of a document; nil where there are none.
  static func keyframes(
    _ ramps: [Ramp], _ property: String, _ convert: (Value) throws(SpoolClientError) -> DocumentValue
  ) throws(SpoolClientError) -> DocumentValue? {
    var keyframes: [DocumentValue] = []
    func add(_ time: CMTime, _ value: Value, holds: Bool) throws(SpoolClientError) {
      var members: [String: DocumentValue] = ["at": try EditTranslation.time(time, property), "value": try convert(value)]
      if holds { members["hold"] = .flag(true) }
      keyframes.append(.object(members))
    }
    for ramp in ramps {
      let (first, last) = (try convert(ramp.start), try convert(ramp.end))
      let begin = max(ramp.range.start.isNumeric ? ramp.range.start : .zero, .zero)
      if first == last || !ramp.range.duration.isNumeric || ramp.range.duration == .zero {
        try add(begin, ramp.end, holds: true)
      } else {
        try add(begin, ramp.start, holds: false)
        try add(ramp.range.end, ramp.end, holds: true)
      }
    }
    return keyframes.isEmpty ? nil : .list(keyframes)
  }
}
