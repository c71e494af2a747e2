internal import Media
package import MediaTime
package import Timeline

/// What a compositor makes frames for (AVVideoCompositionRenderContext).
public struct RenderContext: Sendable {
  /// Of every composed frame, in pixels.
  public let renderSize: (width: Int, height: Int)
  public let frameDuration: CompositionTime
  /// Of source frames and of composed frames alike.
  public let color: FrameColor
  /// What source frames come in.
  public let sourceFormat: FrameFormat
  /// What `newFrame` makes.
  public let outputFormat: FrameFormat
  private let tags: ColorTags

  package init(
    renderSize: PixelSize, frameDuration: MediaTime, color: ColorTags, sourceFormat: FrameFormat, outputFormat: FrameFormat
  ) {
    (self.renderSize, self.frameDuration) = ((renderSize.width, renderSize.height), CompositionTime(frameDuration))
    (self.color, tags) = (FrameColor(color), color)
    (self.sourceFormat, self.outputFormat) = (sourceFormat, outputFormat)
  }

  /// A frame to be composed: of the render size, in the output format, of undefined content.
  ///
  /// - Throws: when there is no memory.
  public func newFrame() throws -> MutableVideoFrame {
    let buffer = try PixelBuffer(
      format: outputFormat.pixelFormat, width: renderSize.width, height: renderSize.height, color: tags.of(outputFormat))
    return MutableVideoFrame(buffer, width: renderSize.width, height: renderSize.height)
  }
}

/// How samples stand for colours, by FFmpeg's names, as in documents.
public struct FrameColor: Hashable, Sendable {
  /// Such as "bt709" or "bt2020".
  public let primaries: String
  /// Such as "bt709", "smpte2084" (PQ) or "arib-std-b67" (HLG).
  public let transfer: String
  /// Of frames with luma, such as "bt709".
  public let matrix: String
  /// Of frames with luma: whether black is 0 and white the highest code. RGB always is so.
  public let isFullRange: Bool

  init(_ tags: ColorTags) {
    (primaries, transfer) = (tags.primaries.rawValue, tags.transfer.rawValue)
    (matrix, isFullRange) = (tags.matrix.rawValue, tags.range == .full)
  }
}

extension ColorTags {
  /// The same colour in frames of a format.
  package func of(_ format: FrameFormat) -> ColorTags {
    format.layout == .rgb ? ColorTags(primaries, transfer, .rgb, .full) : self
  }
}
