package import Formats
package import Media

/// Scales a movie's frames to the size of a rendition, by the filter that scales all pictures (`ScalingGraph`). So a rendition has
/// the same pixels on every machine.
///
/// It remembers the last frame, which is often shown again. One thread at a time.
package final class FrameScaler {
  private let target: PictureFormat
  /// Nil where the rendition has the frames' own size.
  private let graph: ScalingGraph?
  private var last: (frame: PixelBuffer, scaled: PixelBuffer)?

  /// - Parameters:
  ///   - format: the layout of the frames, and of what is made of them.
  ///   - color: their colour, without unknown tags.
  ///   - size: the frames' size, in pixels.
  ///   - other: the size of the rendition, in pixels.
  /// - Precondition: both sizes are whole numbers of chroma cells.
  /// - Throws: `CompositingError` where zimg makes no graph.
  package init(
    _ format: PixelFormat, _ color: ColorTags, from size: PixelSize, to other: PixelSize
  ) throws(CompositingError) {
    let source = PictureFormat(
      width: size.width, height: size.height, format: format, color: color, taggedHeight: size.height)
    target = source.sized(other.width, other.height)
    let whole = Rect(0, 0, Double(size.width), Double(size.height))
    graph = other == size ? nil : try ScalingGraph(ScalingGraph.Route(source: source, region: whole, target: target))
  }

  /// The frame in the rendition's size; the frame itself where that is its own. Nobody may write to it.
  package func scaled(_ frame: PixelBuffer) throws(CompositingError) -> PixelBuffer {
    guard let graph else { return frame }
    if let last, last.frame === frame { return last.scaled }
    let scaled = try PixelBuffer.make(target)
    try graph.convert(frame.aligned(), into: scaled)
    scaled.color = frame.color
    last = (frame, scaled)
    return scaled
  }
}

extension PixelBuffer {
  /// The picture itself, or a copy of it where zimg cannot read its rows.
  fileprivate func aligned() throws(CompositingError) -> PixelBuffer {
    guard !planes.allSatisfy({ $0.isAligned(to: ScalingGraph.alignment) }) else { return self }
    let copy = try PixelBuffer.make(format: format, width, height, color)
    for (index, plane) in planes.enumerated() { copy.planes[index].turn(plane, .up) }
    return copy
  }
}
