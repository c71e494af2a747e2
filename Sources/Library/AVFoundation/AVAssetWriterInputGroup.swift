internal import Formats

/// Tracks of sound of which one is played at a time, such as those of several languages.
/// - Partly: as `AVAssetWriter`
open class AVAssetWriterInputGroup: NSObject {
  public let inputs: [AVAssetWriterInput]
  /// The input that is played where nobody chooses; nil for the first one.
  public let defaultInput: AVAssetWriterInput?

  public init(inputs: [AVAssetWriterInput], defaultInput: AVAssetWriterInput?) {
    (self.inputs, self.defaultInput) = (inputs, defaultInput)
    super.init()
  }
}

extension AVAssetWriter {
  /// Whether the file type holds a track of this kind beside those that there are.
  func holdsAnother(_ mediaType: AVMediaType) -> Bool {
    guard inputs.contains(where: { $0.mediaType == mediaType }) else { return true }
    // A file type that is not written refuses the settings.
    return mediaType == .audio && (try? outputFileType.written())?.describesSounds == true
  }

  /// The reason why a group is not written; nil for one that is.
  func refusal(of group: AVAssetWriterInputGroup) -> AVError? {
    func refusal(_ words: String) -> AVError { AVError(.operationNotAllowed, "inputGroups: \(words)", property: "inputGroups") }
    guard group.inputs.allSatisfy({ input in inputs.contains { $0 === input } }), !group.inputs.isEmpty else {
      return refusal("the inputs of a group are added to the writer before it")
    }
    guard group.inputs.allSatisfy({ $0.mediaType == .audio }) else { return refusal("only tracks of sound are grouped here") }
    guard group.defaultInput.map({ input in group.inputs.contains { $0 === input } }) ?? true else {
      return refusal("defaultInput is not in the group")
    }
    return nil
  }

  /// Whether each input's track is played where nobody chooses.
  ///
  /// - Throws: an error for what the file cannot say.
  func enabled() throws(AVError) -> [Bool] {
    for group in inputGroups { if let refusal = refusal(of: group) { throw refusal } }
    let sounds = inputs.filter { $0.mediaType == .audio }
    guard let group = inputGroups.first else {
      let enabled = inputs.map(\.marksOutputTrackAsEnabled)
      // The muxer enables the first track of each kind where no other one is.
      for kind in [AVMediaType.video, .audio] {
        let marks = zip(inputs, enabled).filter { $0.0.mediaType == kind }.map(\.1)
        guard marks.isEmpty || marks.contains(true) else {
          throw AVError(
            .operationNotAllowed, "marksOutputTrackAsEnabled: a track of \(kind.rawValue) is enabled in every movie here",
            property: "marksOutputTrackAsEnabled")
        }
      }
      return enabled
    }
    guard inputGroups.count == 1, sounds.allSatisfy({ sound in group.inputs.contains { $0 === sound } }) else {
      throw AVError(.operationNotAllowed, "inputGroups: one group has all tracks of sound here", property: "inputGroups")
    }
    let usual = group.defaultInput ?? group.inputs[0]
    return inputs.map { $0.mediaType != .audio || $0 === usual }
  }
}
