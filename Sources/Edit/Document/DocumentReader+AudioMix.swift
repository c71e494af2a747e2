internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads volumes, and what else is said of audio tracks.
extension DocumentReader {
  func audioMix(_ node: DocumentNode) -> AudioMix {
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
      let preservesPitch = object["preservesPitch"].map { $0.bool() } ?? false
      guard let trackNode = object["track"], let track = trackID(trackNode, .audio), let shape, let isMuted, let isSolo,
        let preservesPitch
      else { continue }
      let faded = faded(constant, "volume", over: extents[track], object, shape)
      let own = AudioMixInputParameters(
        track: track, volume: faded, balance: balance, isMuted: isMuted, isSolo: isSolo, preservesPitch: preservesPitch)
      guard parameters.updateValue(own, forKey: track) == nil else {
        trackNode.note("track '\(track)' has volumes already")
        continue
      }
    }
    return AudioMix(Array(parameters.values))
  }

  /// The volume: a linear gain, or a text such as "-6 dB".
  private func volume(_ node: DocumentNode) -> Double? {
    guard case .string(let text) = node.value else { return node.number(in: DocumentLimits.volume) }
    let most = DocumentLimits.decibels
    let number = text.hasSuffix("dB") ? Double(text.dropLast(2).filter { $0 != " " }) : nil
    guard let number, number.isFinite, number <= most else {
      return node.refuse(because: "'\(text.prefix(100))' is not a gain such as 0.5 or \"-6 dB\", at most \(most) dB")
    }
    // 10 to the power of dB / 20. Below -2000 dB nothing of any sample is left.
    return Exponential.power(max(number, -2_000) * (Self.ln10 / 20))
  }

  private static let ln10 = 0x1.26bb1bbb55516p1
}

/// The way in which a fade goes from silence to the full volume.
enum FadeShape: String, CaseIterable {
  case linear
  /// A quarter of a sine, so that two sounds that fade into each other keep their power.
  case equalPower

  var rising: Easing { self == .linear ? .linear : .sineOut }
  var falling: Easing { self == .linear ? .linear : .sineIn }
}
