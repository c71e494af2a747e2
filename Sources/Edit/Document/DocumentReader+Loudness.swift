internal import JSON
internal import Timeline

/// Reads the loudness of an export.
extension DocumentReader {
  /// The target: a name, or an object with its numbers.
  func loudness(_ node: DocumentNode) -> LoudnessTarget? {
    switch node.value {
    case .string: return node.choice(LoudnessTarget.Name.self)?.target
    case .number(let text):
      return node.refuse(because: "expected a name or an object, such as {\"integrated\": \(text)}, in LUFS")
    default: break
    }
    guard let object = DocumentObject(.loudness, node) else { return nil }
    let integrated = object["integrated"]?.number(in: DocumentLimits.loudness)
    let truePeak = object["truePeak"].map { $0.number(in: DocumentLimits.truePeak) } ?? LoudnessTarget.usualTruePeak
    let range = object["range"].map { $0.number(in: DocumentLimits.loudnessRange) } ?? .some(nil)
    guard let integrated, let truePeak, let range else { return nil }
    return LoudnessTarget(integrated: integrated, truePeak: truePeak, range: range)
  }

  /// The loudness of a track: a number of LUFS, or an object with the range beside it.
  func trackLoudness(_ node: DocumentNode) -> TrackLoudness? {
    if case .number = node.value { return node.number(in: DocumentLimits.loudness).map { TrackLoudness(integrated: $0) } }
    guard case .object = node.value else { return node.refuse("a number of LUFS, or an object") }
    guard let object = DocumentObject(.trackLoudness, node) else { return nil }
    let integrated = object["integrated"]?.number(in: DocumentLimits.loudness)
    let range = object["range"].map { $0.number(in: DocumentLimits.loudnessRange) } ?? .some(nil)
    guard let integrated, let range else { return nil }
    return TrackLoudness(integrated: integrated, range: range)
  }
}
