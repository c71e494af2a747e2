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
    guard let integrated, let truePeak else { return nil }
    return LoudnessTarget(integrated: integrated, truePeak: truePeak)
  }
}
