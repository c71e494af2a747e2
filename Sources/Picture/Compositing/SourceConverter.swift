package import Formats
package import Media
package import Timeline

/// Converts source pictures to what a viewer sees: upright, with square pixels, in a given format and colour. Each keeps its own
/// size. One thread at a time.
package final class SourceConverter {
  private let target: PictureFormat
  private let fitter: PictureFitter

  /// - Parameter color: the colour of the results. No tag may be unknown.
  package init(format: PixelFormat, color: ColorTags, toneMap: ToneMap) {
    // The fitter does not need the target's size.
    target = PictureFormat(width: 0, height: 0, format: format, color: color, taggedHeight: 0)
    fitter = PictureFitter(target: target, toneMap: toneMap)
  }

  /// The picture in its display size, rounded up to whole chroma cells. Samples beyond its edges mirror it. The result must not
  /// be written to, since it may be the source's own buffer.
  ///
  /// - Parameter background: the colour over which a picture with alpha is laid.
  package func converted(_ source: SourcePicture, over background: RGBAColor) throws(CompositingError) -> PixelBuffer {
    let (facts, format) = (source.facts, source.format)
    let turned = fitter.turned(format, by: facts.orientation)
    let (width, height) = (facts.displaySize.width, facts.displaySize.height)
    let padded = (width: target.cell.width.multiple(covering: width), height: target.cell.height.multiple(covering: height))
    let region = Rect(
      0, 0, Double(turned.width * padded.width) / Double(width), Double(turned.height * padded.height) / Double(height))
    let whole = PixelArea(0..<turned.width, 0..<turned.height)
    let picture = try fitter.fit(
      source.buffer, format,
      .init(turn: facts.orientation, part: whole, region: region, width: padded.width, height: padded.height))
    guard picture.alpha != nil else { return picture }
    let size = target.sized(padded.width, padded.height)
    var canvas = Canvas(background, size, GraphicsColor(target), mixture: nil)
    try canvas.draw(picture, at: (0, 0), covered: Rect(PixelSize(padded.width, padded.height)), opacity: 1)
    return try canvas.finished()
  }

  /// Forgets the pictures that were not asked for since the last call.
  package func finishScene() { fitter.finishScene() }
}

extension Int {
  /// The least multiple of this number that is not below `length`.
  fileprivate func multiple(covering length: Int) -> Int { (length + self - 1) / self * self }
}
