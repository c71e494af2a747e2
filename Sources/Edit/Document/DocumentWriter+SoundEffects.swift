internal import JSON
internal import Timeline

extension DocumentWriter {
  func effect(_ effect: SoundEffect) -> JSONValue {
    switch effect {
    case .equalizer(let bands): .object(["equalizer": .array(bands.map(band))])
    case .compressor(let compressor): .object(["compressor": self.compressor(compressor)])
    case .gate(let gate): .object(["gate": self.gate(gate)])
    case .deEsser(let deEsser): .object(["deEsser": self.deEsser(deEsser)])
    case .reverb(let reverb): .object(["reverb": self.reverb(reverb)])
    }
  }

  private func band(_ band: EqualizerBand) -> JSONValue {
    .object([
      "kind": .string(band.kind.rawValue), "frequency": .double(band.frequency),
      "gain": band.kind.hasGain ? decibels(band.gain) : nil,
      "q": unless(band.quality, EqualizerBand.usualQuality, JSONValue.double),
    ])
  }

  private func compressor(_ compressor: Compressor) -> JSONValue {
    .object([
      "threshold": decibels(compressor.threshold), "ratio": unless(compressor.ratio, Compressor.usualRatio, JSONValue.double),
      "knee": unless(compressor.knee, Compressor.usualKnee, decibels),
      "attack": unless(compressor.attack, Compressor.usualAttack, time),
      "release": unless(compressor.release, Compressor.usualRelease, time),
      "makeUpGain": unless(compressor.makeUpGain, 0, decibels),
    ])
  }

  private func gate(_ gate: Gate) -> JSONValue {
    .object([
      "threshold": decibels(gate.threshold), "range": unless(gate.range, Gate.usualRange, decibels),
      "attack": unless(gate.attack, Gate.usualAttack, time), "hold": unless(gate.hold, Gate.usualHold, time),
      "release": unless(gate.release, Gate.usualRelease, time),
    ])
  }

  private func deEsser(_ deEsser: DeEsser) -> JSONValue {
    .object([
      "frequency": unless(deEsser.frequency, DeEsser.usualFrequency, JSONValue.double), "threshold": decibels(deEsser.threshold),
      "ratio": unless(deEsser.ratio, DeEsser.usualRatio, JSONValue.double),
    ])
  }

  private func reverb(_ reverb: Reverberation) -> JSONValue {
    .object([
      "decay": unless(reverb.decay, Reverberation.usualDecay, time),
      "level": unless(reverb.level, Reverberation.usualLevel, decibels),
      "preDelay": unless(reverb.preDelay, Reverberation.usualPreDelay, time),
      "brightness": unless(reverb.brightness, Reverberation.usualBrightness, JSONValue.double),
    ])
  }

  private func decibels(_ level: Double) -> JSONValue { .string("\(JSONValue.text(level)) dB") }
}
