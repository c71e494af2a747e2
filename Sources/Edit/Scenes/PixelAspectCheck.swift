internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

extension TimelineResolver {
  /// Notes pixels of a shape that the movie's codec cannot say, and those that make too long lines.
  func checkPixelAspect(of resolved: ResolvedTimeline) {
    let video = timeline.export.video
    guard video.pixelAspect != PixelSize(1, 1), let composition = resolved.videoComposition else { return }
    let (path, size) = (root["export"]["video"]["pixelAspectRatio"], composition.outputSize)
    if size.width > DocumentLimits.renderSide.upperBound {
      log.note("makes lines of \(size.width) pixels, more than \(DocumentLimits.renderSide.upperBound)", at: path)
    }
    guard video.codec == .mpeg2 else { return }
    let shape = (size.width * video.pixelAspect.width, size.height * video.pixelAspect.height)
    if !Self.shapesOfMPEG2.contains(where: { shape.0 * $0.height == shape.1 * $0.width }) {
      let words = "mpeg2 says of a frame that it is shown as 4:3, 16:9 or 2.21:1"
      log.note("\(words), which \(size.width)x\(size.height) of such pixels is not", at: path)
    }
  }

  /// The shapes of whole frames that MPEG-2 has numbers for, beside that of square pixels (ISO/IEC 13818-2, table 6-3).
  private static let shapesOfMPEG2 = [PixelSize(4, 3), PixelSize(16, 9), PixelSize(221, 100)]
}

extension ResolvedTimeline {
  /// The edit as a movie whose pixels are square, for those who look at single frames.
  package var inSquarePixels: ResolvedTimeline {
    var edit = self
    edit.timeline.export.video.pixelAspect = PixelSize(1, 1)
    edit.videoComposition?.pixelAspect = PixelSize(1, 1)
    return edit
  }
}
