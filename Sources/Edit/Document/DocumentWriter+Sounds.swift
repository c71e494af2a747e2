internal import Formats
internal import JSON
internal import Timeline

extension DocumentWriter {
  /// The settings of a sound.
  ///
  /// - Parameter others: the settings that are meant where none are stated.
  func audioSettings(_ audio: AudioCodecSettings, besides others: AudioCodecSettings) -> JSONValue {
    var usual = audio.codec == others.codec ? others : .usual(audio.codec)
    usual.sampleRate = others.sampleRate
    return .object([
      "codec": unless(audio.codec, others.codec) { .string($0.rawValue) },
      "sampleRate": unless(audio.sampleRate, usual.sampleRate) { .integer(Int($0)) },
      "channelLayout": unless(audio.channelLayout, usual.channelLayout) { .string($0.rawValue) },
      "bitRate": unless(audio.coding.bitRate, usual.coding.bitRate) { $0.map(JSONValue.integer) ?? .null },
      "sampleFormat": unless(audio.coding.samples, usual.coding.samples) { $0.map { .string($0.rawValue) } ?? .null },
      "copy": unless(audio.copy, others.copy) { .string($0.rawValue) },
    ])
  }

  func loudness(_ target: LoudnessTarget) -> JSONValue {
    .object([
      "integrated": .double(target.integrated),
      "truePeak": unless(target.truePeak, LoudnessTarget.usualTruePeak, JSONValue.double),
      "range": target.range.map(JSONValue.double),
    ])
  }

  func trackLoudness(_ loudness: TrackLoudness) -> JSONValue {
    guard let range = loudness.range else { return .double(loudness.integrated) }
    return .object(["integrated": .double(loudness.integrated), "range": .double(range)])
  }

  /// A sound of the movie. The first one is played where nobody chooses, unless another says that it is.
  func sound(_ sound: MovieSound, at index: Int, in settings: ExportSettings) -> JSONValue {
    .object([
      "tracks": .array(sound.tracks.map { .string($0.rawValue) }),
      "language": sound.language.map(JSONValue.string), "title": sound.title.map(JSONValue.string),
      "default": index > 0 && sound.isDefault ? .bool(true) : nil,
      "audio": unless(sound.audio, settings.audio) { audioSettings($0, besides: settings.audio) },
      "loudness": sound.loudness == settings.loudness ? nil : sound.loudness.map(loudness),
    ])
  }
}
