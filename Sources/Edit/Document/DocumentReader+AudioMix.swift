internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads volumes, and what else is said of audio tracks.
extension DocumentReader {
  /// - Parameter isNested: whether the tracks are those of a nested composition, which have no effects.
  func audioMix(_ node: DocumentNode, isNested: Bool = false) -> AudioMix {
    var parameters: [TrackID: AudioMixInputParameters] = [:]
    for node in node.elements(atMost: DocumentLimits.tracks) ?? [] {
      guard let object = DocumentObject(.audioMixInput, node) else { continue }
      let constant = envelope(object["volume"], neutral: 1, volume)
      let shape = object["fadeShape"].map { $0.choice(FadeShape.self) } ?? .linear
      if object["fadeIn"] == nil, object["fadeOut"] == nil {
        object["fadeShape"]?.note("there is no fade: give \"fadeIn\" or \"fadeOut\", or an \"easing\" to each keyframe")
      }
      let balance = envelope(object["balance"], neutral: 0) { $0.number(in: -1...1) }
      let (isMuted, isSolo) = (object["mute"].map { $0.bool() } ?? false, object["solo"].map { $0.bool() } ?? false)
      let named = object["track"].flatMap { trackID($0, .audio) }
      let ducking = object["duck"].flatMap { self.ducking($0, of: named) }
      let loudness = object["loudness"].flatMap(trackLoudness)
      let preservesPitch = object["preservesPitch"].map { $0.bool() } ?? false
      if isNested {
        object["effects"]?.note("tracks of a nested composition have no effects: give them to a track of the edit that plays it")
      }
      let effects = object["effects"].map { self.effects($0) } ?? []
      let channels: ChannelMap?? = object["channels"].map { self.channels($0) } ?? .some(nil)
      guard let trackNode = object["track"], let track = named, let shape, let isMuted, let isSolo, let preservesPitch,
        let channels
      else { continue }
      let faded = faded(constant, name: "volume", over: extents[track], in: object, curve: shape)
      let own = AudioMixInputParameters(
        track: track, volume: faded, balance: balance, isMuted: isMuted, isSolo: isSolo, preservesPitch: preservesPitch,
        ducking: ducking, loudness: loudness, channels: channels, effects: effects)
      guard parameters.updateValue(own, forKey: track) == nil else {
        trackNode.note("track '\(track)' has volumes already")
        continue
      }
    }
    return AudioMix(Array(parameters.values))
  }

  /// The ducking of a track, which is nil if it is faulty.
  private func ducking(_ node: DocumentNode, of track: TrackID?) -> Ducking? {
    guard let object = DocumentObject(.ducking, node) else { return nil }
    let names = object["under"]?.elements(atMost: DocumentLimits.tracks)
    if names?.isEmpty == true { object["under"]?.note("names no track to yield to") }
    let under = (names ?? []).compactMap { trackID($0, .audio) }
    if let track, let own = under.firstIndex(of: track) { names?[own].note("a track cannot yield to itself") }
    let gain = object["by"].map { self.gain($0, "a track yields by getting softer") } ?? Ducking.usualGain
    let threshold = object["threshold"].map { self.gain($0, "no level is above full scale") }
    if threshold == 0 { object["threshold"]?.note("every level is above it: leave it out to yield while there are segments") }
    let attack = object["attack"].map { duckingTime($0) } ?? Ducking.usualAttack
    let lookAhead = object["lookAhead"].map { duckingTime($0) } ?? attack
    let hold = object["hold"].map { duckingTime($0) } ?? Ducking.usualHold
    let release = object["release"].map { duckingTime($0) } ?? Ducking.usualRelease
    guard let gain, let attack, let lookAhead, let hold, let release, !under.isEmpty else { return nil }
    if case .some(nil) = threshold { return nil }
    return Ducking(
      under: under, gain: gain, threshold: threshold ?? nil, attack: attack, lookAhead: lookAhead, hold: hold, release: release)
  }

  private func duckingTime(_ node: DocumentNode) -> MediaTime? {
    let most = DocumentLimits.duckingSeconds
    guard let time = time(node) else { return nil }
    return time <= MediaTime(seconds: most) ? time : node.refuse(because: "longer than \(most) seconds")
  }

  /// A gain of at most 1.
  private func gain(_ node: DocumentNode, _ reason: String) -> Double? {
    if case .number(let text) = node.value, let number = Double(text), number < 0 {
      node.note("\(text) is no gain such as 0.25 or \"-12 dB\"", suggestion: "\"\(text) dB\"")
      return nil
    }
    guard let gain = volume(node) else { return nil }
    return gain <= 1 ? gain : node.refuse(because: "is more than 1, which is 0 dB: \(reason)")
  }

  /// The volume: a linear gain, or a text such as "-6 dB".
  private func volume(_ node: DocumentNode) -> Double? {
    guard case .string(let text) = node.value else { return node.number(in: DocumentLimits.volume) }
    let most = DocumentLimits.decibels
    let number = text.hasSuffix("dB") ? Double(text.dropLast(2).filter { $0 != " " }) : nil
    guard let number, number.isFinite, number <= most else {
      return node.refuse(because: "'\(text.prefix(100))' is not a gain such as 0.5 or \"-6 dB\", at most \(most) dB")
    }
    return Exponential.gain(decibels: number)
  }
}

/// The way in which a fade goes from silence to the full volume.
enum FadeShape: String, CaseIterable {
  case linear
  /// A quarter of a sine, so that two sounds that fade into each other keep their power.
  case equalPower

  var rising: Easing { self == .linear ? .linear : .sineOut }
  var falling: Easing { self == .linear ? .linear : .sineIn }
}
