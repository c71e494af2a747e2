internal import Formats
internal import JSON
internal import MediaTime
internal import Synchronization
internal import Timeline

/// A compositor of the user's own as a document names it: its name, and the words of each instruction.
struct FarmComposer {
  private let name: String
  /// The words of the instructions, by the objects.
  private let parameters: [ObjectIdentifier: JSONValue]

  /// - Throws: a `Stay` where the compositor must render in this process.
  init(_ parts: AVVideoComposition.Parts, _ kind: any AVVideoCompositing.Type) throws(Stay) {
    guard let classes = FarmClasses.ofProgram, let name = classes.name(of: kind) else {
      throw Stay("the program does not register it for farms")
    }
    self.name = name
    guard parts.renderScale == 1 else { throw Stay("its renderScale is \(parts.renderScale)") }
    guard parts.timingTrack == kCMPersistentTrackID_Invalid else { throw Stay("a track gives frames their times") }
    var found: [ObjectIdentifier: JSONValue] = [:]
    for instruction in parts.instructions {
      let words = try classes.parameters(of: instruction)
      let (size, limit) = (words.canonicalBytes().count, DocumentLimits.compositorParameters)
      guard size <= limit else {
        throw Stay("its instruction \(type(of: instruction)) has \(size) bytes, and \(limit) travel")
      }
      let tracks = instruction.requiredSourceTrackIDs?.count ?? 0
      guard tracks <= DocumentLimits.layerInstructions else { throw Stay("an instruction needs \(tracks) tracks") }
      found[ObjectIdentifier(instruction)] = words
    }
    parameters = found
  }

  /// The instruction for a range.
  ///
  /// - Parameter instruction: one of the video composition's.
  func lowered(
    _ instruction: any AVVideoCompositionInstructionProtocol, _ range: MediaTimeRange, _ tracks: [AVMutableCompositionTrack]
  ) -> Instruction {
    let wanted = ComposedFrames.wantedTracks(instruction, tracks)
    let required = tracks.filter { $0.mediaType == .video && wanted.contains($0.trackID) }.map(\.edit.id)
    var made = CompositorInstruction(
      name: name, requiredTracks: required, containsTweening: instruction.containsTweening,
      enablePostProcessing: instruction.enablePostProcessing)
    made.parameters = parameters[ObjectIdentifier(instruction)] ?? .object([])
    return Instruction(timeRange: range, content: .compositor(made))
  }
}

extension Lowering {
  /// The compositor of a video composition; nil where it has none.
  ///
  /// - Throws: an error for a compositor that renders in this process alone.
  func composer(_ parts: AVVideoComposition.Parts) throws(AVError) -> FarmComposer? {
    guard let kind = parts.compositor else { return nil }
    do { return try FarmComposer(parts, kind) } catch {
      throw AVError(
        .videoCompositorFailed, "customVideoCompositorClass: \(kind) is not in a document: \(error.reason)",
        property: "customVideoCompositorClass")
    }
  }

  /// The colour of a compositor's frames where the video composition sets none; nil where the movie cannot have it.
  func composedColor(of tracks: [AVMutableCompositionTrack]) -> ColorTags? {
    guard let color = sourceColor(tracks)?.composed, !color.isHighRange || request.settings.video.bitDepth > 8 else { return nil }
    return color
  }
}

extension AVVideoComposition {
  /// The reason for which the compositor renders in this process, and not on the farm; nil where it need not.
  ///
  /// - Parameter isGiven: whether the caller has the compositor, and may have changed it.
  func stay(isGiven: Bool) -> Stay? {
    guard let kind = parts.compositor else { return nil }
    do {
      _ = try FarmComposer(parts, kind)
      return isGiven ? Stay("the program has the object by customVideoCompositor, and may have changed it") : nil
    } catch { return error }
  }
}

extension Stay {
  private static let told = Mutex<Set<String>>([])

  /// Says on the standard error that a compositor renders in this process, once for each reason. The handlers of filters cannot travel, and
  /// nothing is said of them.
  func tell(of kind: any AVVideoCompositing.Type) {
    guard kind != FilteringCompositor.self else { return }
    let words = "AVFoundation: \(kind) renders in this process: \(reason)\n"
    guard Self.told.withLock({ $0.insert(words).inserted }) else { return }
    FileHandle.standardError.write(Data(words.utf8))
  }
}
