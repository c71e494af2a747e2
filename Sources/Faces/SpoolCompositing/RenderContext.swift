package import Formats
internal import Media
package import MediaTime

/// The properties of the frames that a compositor gets and makes (AVVideoCompositionRenderContext).
public struct RenderContext: Sendable {
  /// The size of every composed frame in pixels.
  public let renderSize: (width: Int, height: Int)
  public let frameDuration: CompositionTime
  /// The colour of source frames and of composed frames.
  public let color: FrameColor
  /// The format of source frames.
  public let sourceFormat: FrameFormat
  /// The format of the frames that `newFrame` makes.
  public let outputFormat: FrameFormat
  private let tags: ColorTags

  package init(
    renderSize: PixelSize, frameDuration: MediaTime, color: ColorTags, sourceFormat: FrameFormat, outputFormat: FrameFormat
  ) {
    (self.renderSize, self.frameDuration) = ((renderSize.width, renderSize.height), CompositionTime(frameDuration))
    (self.color, tags) = (FrameColor(color), color)
    (self.sourceFormat, self.outputFormat) = (sourceFormat, outputFormat)
  }

  /// Makes a frame to compose into. It has the render size and the output format, and its content is undefined.
  ///
  /// - Throws: an error when there is not enough memory.
  public func newFrame() throws -> MutableVideoFrame {
    let buffer = try PixelBuffer(
      format: outputFormat.pixelFormat, width: renderSize.width, height: renderSize.height, color: tags.of(outputFormat))
    return MutableVideoFrame(buffer, width: renderSize.width, height: renderSize.height)
  }
}

/// The meaning of samples as colours. The names are FFmpeg's, as in documents.
public struct FrameColor: Hashable, Sendable {
  /// The primaries, such as "bt709" or "bt2020".
  public let primaries: String
  /// The transfer function, such as "bt709", "smpte2084" (PQ) or "arib-std-b67" (HLG).
  public let transfer: String
  /// The matrix of frames with luma, such as "bt709".
  public let matrix: String
  /// Whether frames with luma have full range: black is 0 and white is the highest code. RGB frames always have full range.
  public let isFullRange: Bool

  init(_ tags: ColorTags) {
    (primaries, transfer) = (tags.primaries.rawValue, tags.transfer.rawValue)
    (matrix, isFullRange) = (tags.matrix.rawValue, tags.range == .full)
  }
}

extension ColorTags {
  /// The same colour for frames of the given format.
  package func of(_ format: FrameFormat) -> ColorTags {
    format.layout == .rgb ? ColorTags(primaries, transfer, .rgb, .full) : self
  }
}
