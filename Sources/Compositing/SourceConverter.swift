package import Media
package import Timeline

/// Makes source pictures what a viewer sees of them, each in its own size: upright, with square pixels, in a given format and
/// colour. For one thread at a time.
package final class SourceConverter {
  private let target: PictureFormat
  private let fitter: PictureFitter

  /// - Parameter color: nothing unknown.
  package init(format: PixelFormat, color: ColorTags, toneMap: ToneMap) {
    // The fitter asks for no size of its own.
    target = PictureFormat(width: 0, height: 0, format: format, color: color, taggedHeight: 0)
    fitter = PictureFitter(target: target, toneMap: toneMap)
  }

  /// The picture in its display size, rounded up to whole chroma cells; what lies beyond mirrors the picture. For reading
  /// only: it may be the source's own buffer.
  package func converted(_ source: SourcePicture) throws(CompositingError) -> PixelBuffer {
    let (facts, format) = (source.facts, source.format)
    let turned = fitter.turned(format, by: facts.orientation)
    let (width, height) = (facts.displaySize.width, facts.displaySize.height)
    let padded = (width: target.cell.width.multiple(covering: width), height: target.cell.height.multiple(covering: height))
    let region = Rect(
      0, 0, Double(turned.width * padded.width) / Double(width), Double(turned.height * padded.height) / Double(height))
    let whole = PixelArea(0..<turned.width, 0..<turned.height)
    return try fitter.fit(
      source.buffer, format,
      .init(turn: facts.orientation, part: whole, region: region, width: padded.width, height: padded.height))
  }

  /// Forgets the pictures that were not asked for since the last time.
  package func finishScene() { fitter.finishScene() }
}

extension Int {
  /// The least multiple of this that is not less than `length`.
  fileprivate func multiple(covering length: Int) -> Int { (length + self - 1) / self * self }
}
