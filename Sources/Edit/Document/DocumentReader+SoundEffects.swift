internal import JSON
internal import MediaTime
internal import Timeline

/// Reads the effects of a track, or of the whole sound.
extension DocumentReader {
  func effects(_ node: DocumentNode) -> [SoundEffect] {
    (node.elements(atMost: DocumentLimits.soundEffects) ?? []).compactMap(effect)
  }

  private func effect(_ node: DocumentNode) -> SoundEffect? {
    guard let object = DocumentObject(.soundEffect, node) else { return nil }
    let kinds = ["equalizer", "compressor", "gate", "deEsser", "reverb"].filter { object[$0] != nil }
    guard kinds.count < 2 else {
      return node.refuse(because: "is several effects: give each an object of its own, in their order")
    }
    if let bands = object["equalizer"] { return equalizer(bands) }
    if let compressor = object["compressor"] { return self.compressor(compressor).map(SoundEffect.compressor) }
    if let gate = object["gate"] { return self.gate(gate).map(SoundEffect.gate) }
    if let deEsser = object["deEsser"] { return self.deEsser(deEsser).map(SoundEffect.deEsser) }
    if let reverb = object["reverb"] { return self.reverb(reverb).map(SoundEffect.reverb) }
    return node.refuse(because: "is no effect: needs \"equalizer\", \"compressor\", \"gate\", \"deEsser\" or \"reverb\"")
  }

  private func equalizer(_ node: DocumentNode) -> SoundEffect? {
    guard let nodes = node.elements(atMost: DocumentLimits.equalizerBands) else { return nil }
    guard !nodes.isEmpty else { return node.refuse(because: "has no band") }
    let bands = nodes.compactMap(band)
    return bands.count == nodes.count ? .equalizer(bands) : nil
  }

  private func band(_ node: DocumentNode) -> EqualizerBand? {
    guard let object = DocumentObject(.equalizerBand, node) else { return nil }
    let kind = object["kind"]?.choice(EqualizerBand.Kind.self)
    let frequency = object["frequency"]?.number(in: DocumentLimits.frequency)
    let gain = object["gain"].map { decibels($0, DocumentLimits.effectGain) } ?? 0
    let quality = object["q"].map { $0.number(in: DocumentLimits.quality) } ?? EqualizerBand.usualQuality
    guard let kind, let frequency, let gain, let quality else { return nil }
    if !kind.hasGain { object["gain"]?.note("a \(kind.rawValue) has no gain: it lets the rest through as it is") }
    if kind.hasGain, object["gain"] == nil { return node.refuse(because: "needs a \"gain\", such as \"-3 dB\"") }
    return EqualizerBand(kind, frequency: frequency, gain: gain, quality: quality)
  }

  private func compressor(_ node: DocumentNode) -> Compressor? {
    guard let object = DocumentObject(.compression, node) else { return nil }
    let threshold = object["threshold"].flatMap { decibels($0, DocumentLimits.effectThreshold) }
    let ratio = object["ratio"].map { $0.number(in: DocumentLimits.ratio) } ?? Compressor.usualRatio
    let knee = object["knee"].map { decibels($0, DocumentLimits.knee) } ?? Compressor.usualKnee
    let attack = object["attack"].map { effectTime($0) } ?? Compressor.usualAttack
    let release = object["release"].map { effectTime($0) } ?? Compressor.usualRelease
    let gain = object["makeUpGain"].map { decibels($0, DocumentLimits.effectGain) } ?? 0
    guard let threshold, let ratio, let knee, let attack, let release, let gain else { return nil }
    return Compressor(
      threshold: threshold, ratio: ratio, knee: knee, attack: attack, release: release, makeUpGain: gain)
  }

  private func gate(_ node: DocumentNode) -> Gate? {
    guard let object = DocumentObject(.gate, node) else { return nil }
    let threshold = object["threshold"].flatMap { decibels($0, DocumentLimits.effectThreshold) }
    let range = object["range"].map { decibels($0, DocumentLimits.gateRange) } ?? Gate.usualRange
    let attack = object["attack"].map { effectTime($0) } ?? Gate.usualAttack
    let hold = object["hold"].map { effectTime($0) } ?? Gate.usualHold
    let release = object["release"].map { effectTime($0) } ?? Gate.usualRelease
    guard let threshold, let range, let attack, let hold, let release else { return nil }
    return Gate(threshold: threshold, range: range, attack: attack, hold: hold, release: release)
  }

  private func deEsser(_ node: DocumentNode) -> DeEsser? {
    guard let object = DocumentObject(.deEsser, node) else { return nil }
    let threshold = object["threshold"].flatMap { decibels($0, DocumentLimits.effectThreshold) }
    let frequency = object["frequency"].map { $0.number(in: DocumentLimits.frequency) } ?? DeEsser.usualFrequency
    let ratio = object["ratio"].map { $0.number(in: DocumentLimits.ratio) } ?? DeEsser.usualRatio
    guard let threshold, let frequency, let ratio else { return nil }
    return DeEsser(frequency: frequency, threshold: threshold, ratio: ratio)
  }

  private func reverb(_ node: DocumentNode) -> Reverberation? {
    guard let object = DocumentObject(.reverb, node) else { return nil }
    let decay = object["decay"].map { self.decay($0) } ?? Reverberation.usualDecay
    let level = object["level"].map { decibels($0, DocumentLimits.reverbLevel) } ?? Reverberation.usualLevel
    let preDelay =
      object["preDelay"].map { effectTime($0, atMost: DocumentLimits.preDelaySeconds) } ?? Reverberation.usualPreDelay
    let brightness = object["brightness"].map { $0.number(in: DocumentLimits.reverbBrightness) } ?? Reverberation.usualBrightness
    guard let decay, let level, let preDelay, let brightness else { return nil }
    return Reverberation(decay: decay, level: level, preDelay: preDelay, brightness: brightness)
  }

  private func decay(_ node: DocumentNode) -> MediaTime? {
    let bounds = DocumentLimits.decay
    guard let time = time(node) else { return nil }
    guard bounds.contains(time.seconds) else {
      return node.refuse(
        because: "is not within \(JSONValue.text(bounds.lowerBound))...\(JSONValue.text(bounds.upperBound)) seconds")
    }
    return time
  }

  private func effectTime(_ node: DocumentNode, atMost most: Int64 = DocumentLimits.effectSeconds) -> MediaTime? {
    guard let time = time(node) else { return nil }
    return time <= MediaTime(seconds: most) ? time : node.refuse(because: "longer than \(most) second\(most == 1 ? "" : "s")")
  }

  /// A level, as a text such as "-6 dB". A number alone could mean a factor.
  private func decibels(_ node: DocumentNode, _ range: ClosedRange<Double>) -> Double? {
    if case .number(let text) = node.value {
      node.note("\(text) could be a factor: write \"\(text) dB\"", suggestion: "\"\(text) dB\"")
      return nil
    }
    guard let text = node.string(atMost: DocumentLimits.nameLength) else { return nil }
    let number = text.hasSuffix("dB") ? Double(text.dropLast(2).filter { $0 != " " }) : nil
    guard let number, range.contains(number) else {
      let bounds = "\(JSONValue.text(range.lowerBound)) dB to \(JSONValue.text(range.upperBound)) dB"
      return node.refuse(because: "'\(text.prefix(100))' is not a level such as \"-6 dB\", from \(bounds)")
    }
    return number == 0 ? 0 : number
  }
}
