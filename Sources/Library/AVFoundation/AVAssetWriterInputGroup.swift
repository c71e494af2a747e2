internal import Formats

/// Tracks of sound, or of texts, of which one is played at a time, such as those of several languages.
/// - Partly: as `AVAssetWriter`
open class AVAssetWriterInputGroup: NSObject {
  public let inputs: [AVAssetWriterInput]
  /// The input that is played where nobody chooses; nil for the first sound, and for no text.
  public let defaultInput: AVAssetWriterInput?

  public init(inputs: [AVAssetWriterInput], defaultInput: AVAssetWriterInput?) {
    (self.inputs, self.defaultInput) = (inputs, defaultInput)
    super.init()
  }

  var isOfSound: Bool { inputs.allSatisfy { $0.mediaType == .audio } }

  fileprivate func contains(_ input: AVAssetWriterInput) -> Bool { inputs.contains { $0 === input } }
}

extension AVAssetWriter {
  /// Whether the file type holds a track of this kind beside those that there are.
  func holdsAnother(_ mediaType: AVMediaType) -> Bool {
    guard inputs.contains(where: { $0.mediaType == mediaType }) else { return true }
    if [.text, .subtitle, .metadata].contains(mediaType) { return true }
    // A file type that is not written refuses the settings.
    return mediaType == .audio && (try? outputFileType.written())?.describesSounds == true
  }

  /// The reason why a group is not written; nil for one that is.
  func refusal(of group: AVAssetWriterInputGroup) -> AVError? {
    func refusal(_ words: String) -> AVError { AVError(.operationNotAllowed, "inputGroups: \(words)", property: "inputGroups") }
    guard group.inputs.allSatisfy({ input in inputs.contains { $0 === input } }), !group.inputs.isEmpty else {
      return refusal("the inputs of a group are added to the writer before it")
    }
    guard group.isOfSound || group.inputs.allSatisfy({ $0.mediaType == .text || $0.mediaType == .subtitle }) else {
      return refusal("tracks of sound are grouped, and tracks of texts")
    }
    guard group.defaultInput.map(group.contains) ?? true else { return refusal("defaultInput is not in the group") }
    return nil
  }

  /// Whether each input's track is played where nobody chooses.
  ///
  /// - Throws: an error for groups that the file cannot have.
  func enabled() throws(AVError) -> [Bool] {
    var enabled = inputs.map(\.marksOutputTrackAsEnabled)
    for group in inputGroups {
      if let refusal = refusal(of: group) { throw refusal }
      let others = inputs.filter {
        !group.contains($0) && ![.video, .metadata].contains($0.mediaType) && ($0.mediaType == .audio) == group.isOfSound
      }
      guard others.isEmpty, inputGroups.count(where: { $0.isOfSound == group.isOfSound }) == 1 else {
        let kind = group.isOfSound ? "sound" : "texts"
        throw AVError(.operationNotAllowed, "inputGroups: one group has all tracks of \(kind) here", property: "inputGroups")
      }
      let usual = group.defaultInput ?? (group.isOfSound ? group.inputs[0] : nil)
      for (index, input) in inputs.enumerated() where group.contains(input) { enabled[index] = input === usual }
    }
    return enabled
  }
}
