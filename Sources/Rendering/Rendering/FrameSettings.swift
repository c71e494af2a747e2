internal import Formats
internal import MediaTime
internal import Messages
internal import Scenes
internal import Timeline

/// The settings that decide the bytes of all frames of an edit's picture beside their scenes: how the encoder is set, the frames' duration and size, and
/// their colour.
struct FrameSettings: Hashable, Encodable {
  private let encoder: String
  private let parameterSetID: Int
  private let frameDuration: MediaTime
  private let outputSize: PixelSize
  /// The sizes and encoders of the renditions.
  private let renditions: [String]
  /// The sizes of the still pictures that lie beside the frames.
  private let stills: [PixelSize]
  private let color: ColorTags
  private let hdrMetadata: HDRMetadata?
  /// The frames from one keyframe that the movie must have to the next, counted from its first frame; nil where it need have none.
  private let keyInterval: Int?

  /// - Returns: nil for an edit without a picture.
  init?(of edit: ResolvedTimeline) throws {
    guard let composition = edit.videoComposition else { return nil }
    encoder = "\(edit.timeline.export.video)"
    parameterSetID = edit.timeline.export.copies?.parameterSetID ?? -1
    (frameDuration, outputSize) = (composition.frameDuration, composition.outputSize)
    renditions = edit.renditions.map { "\($0.size) \($0.video)" }
    stills = try edit.stills?.tracks.map(\.size) ?? []
    (color, hdrMetadata) = (edit.color, edit.hdrMetadata)
    keyInterval = edit.timeline.export.forcedKeyInterval(composition.frameDuration)
  }

  /// The place of a chunk's first frame between two such keyframes. Chunks at other places have other bytes.
  func keyframePhase(of frames: FrameRange) -> Int { keyInterval.map { frames.first % $0 } ?? 0 }
}

extension ResolvedTimeline {
  /// The frames of a chunk of which there are still pictures, counted from its first one, of each track of these. Chunks with others have
  /// other bytes.
  func stillOffsets(in chunk: FrameRange) throws -> [[Int]] {
    try stills?.tracks.map { track in track.frames[track.places(in: chunk.indices)].map { $0 - chunk.first } } ?? []
  }
}
