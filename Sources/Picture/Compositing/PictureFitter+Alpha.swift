import Formats
import Media

/// Fits pictures with alpha (decision 0114).
///
/// Colours are straight in every buffer. Where samples are mixed with their neighbours, each must count as much as it covers.
/// So colours are multiplied by alpha, mixed, and divided again. No colour of a clear pixel comes into one that is seen.
extension PictureFitter {
  /// Scales and converts a picture with alpha, as `scaled` does one without.
  ///
  /// Only samples of one plane are mixed with each other, by one filter, which alpha then goes through as well. So a picture that
  /// needs more goes by several steps: to its new size in full chroma, to its new colours, to its new chroma.
  func scale(
    _ picture: PixelBuffer, _ alpha: PixelBuffer.Alpha, _ source: PictureFormat, region: Rect, into target: PictureFormat
  ) throws(CompositingError) -> PixelBuffer {
    let sizes = (PixelSize(source.width, source.height), PixelSize(target.width, target.height))
    let isWhole = sizes.0 == sizes.1 && region == Rect(sizes.0)
    if isWhole, source.cell == (1, 1), target.cell == (1, 1) {
      // Each sample stays by itself.
      return try scaled(picture, source, region: region, into: target).with(alpha)
    }
    if source.hasSameKindOfPlanes(as: target) { return try resample(picture, alpha, source, region: region, into: target) }
    let whole = Rect(sizes.1)
    var (fitted, format) = (picture, source)
    if !isWhole || source.cell != (1, 1) {
      format = source.inFullDepth.sized(target.width, target.height)
      fitted = try resample(picture, alpha, source, region: region, into: format)
    }
    guard let scaledAlpha = fitted.alpha else { preconditionFailure("alpha stays") }
    let colored = target.cell == (1, 1) ? target : target.inFullDepth
    fitted = try scaled(fitted, format, region: whole, into: colored).with(scaledAlpha)
    return colored == target ? fitted : try resample(fitted, scaledAlpha, colored, region: whole, into: target)
  }

  /// Scales a picture, or changes its chroma's size. Its colours stay.
  private func resample(
    _ picture: PixelBuffer, _ alpha: PixelBuffer.Alpha, _ source: PictureFormat, region: Rect, into target: PictureFormat
  ) throws(CompositingError) -> PixelBuffer {
    let multiplied = try PixelBuffer.make(source.inWords)
    let rises = CodeRise.ofPlanes(source)
    for (index, plane) in multiplied.planes.enumerated() {
      plane.multiply(picture.planes[index], by: alpha.samples(ofPlane: index).planes[0], rises[index])
    }
    let mixed = try scaled(multiplied, source.inWords, region: region, into: target.inWords)
    let full = try FittedAlpha(alpha.full, cell: (1, 1), region: region, into: (1, 1), of: target, by: self)
    let chroma =
      target.cell == (1, 1)
      ? nil
      : try FittedAlpha(
        alpha.chroma ?? alpha.full, cell: alpha.chroma == nil ? (1, 1) : source.cell, region: region, into: target.cell,
        of: target, by: self)
    let result = try PixelBuffer.make(target).with(PixelBuffer.Alpha(full: full.alpha, chroma: chroma?.alpha))
    let falls = CodeRise.ofPlanes(target)
    for (index, plane) in result.planes.enumerated() {
      let words = index == 0 ? full.words : chroma?.words ?? full.words
      plane.divide(mixed.planes[index], by: words.planes[0], falls[index], bitDepth: target.format.bitDepth)
    }
    withExtendedLifetime((picture, multiplied, mixed, full, chroma)) {}
    return result
  }
}

/// A plane of alpha that was scaled with the filter that scales the picture's planes.
private struct FittedAlpha {
  /// The alpha as words (`Plane.raise`), with what overshoots.
  let words: PixelBuffer
  let alpha: PixelBuffer

  /// Scales a plane whose samples stand for cells of one size, to one whose samples stand for cells of another size.
  ///
  /// - Parameters:
  ///   - region: the part that becomes the whole target, in pixels of the picture.
  ///   - target: the size of the target picture.
  init(
    _ plane: PixelBuffer, cell: (width: Int, height: Int), region: Rect, into targetCell: (width: Int, height: Int),
    of target: PictureFormat, by fitter: PictureFitter
  ) throws(CompositingError) {
    let raised = try PixelBuffer.makeAlpha(plane.width, plane.height)
    raised.planes[0].raise(alpha: plane.planes[0])
    let width = (target.width + targetCell.width - 1) / targetCell.width
    let height = (target.height + targetCell.height - 1) / targetCell.height
    // A sample is at the left of its cell: in pixels, the middle of sample u is at cell * (u + 1/2) - (cell - 1) / 2.
    let (across, down) = (region.width / Double(target.width), region.height / Double(target.height))
    let shift = (Double(cell.width - 1) - across * Double(targetCell.width - 1)) / 2
    let part = Rect(
      (region.x + shift) / Double(cell.width), region.y / Double(cell.height),
      across * Double(targetCell.width * width) / Double(cell.width),
      down * Double(targetCell.height * height) / Double(cell.height))
    guard part != Rect(PixelSize(width, height)) || (width, height) != (plane.width, plane.height) else {
      (words, alpha) = (raised, plane)
      return
    }
    words = try fitter.scaled(
      raised, .alpha(plane.width, plane.height), region: part, into: .alpha(width, height))
    alpha = try PixelBuffer.makeAlpha(width, height)
    alpha.planes[0].lower(alpha: words.planes[0])
  }
}

extension PictureFormat {
  /// Whether a plane of this format stands for the same component as the other's plane of the same number.
  fileprivate func hasSameKindOfPlanes(as other: PictureFormat) -> Bool {
    color == other.color && (format.layout == .gray) == (other.format.layout == .gray)
  }

  /// The same colour in 16 bits and full chroma.
  fileprivate var inFullDepth: PictureFormat {
    var full = self
    full.format = PixelFormat([.gray, .gbr].contains(format.layout) ? format.layout : .yuv444, bitDepth: 16)
    return full
  }

  /// The format of a plane of alpha. Its colour means nothing.
  fileprivate static func alpha(_ width: Int, _ height: Int) -> PictureFormat {
    PictureFormat(
      width: width, height: height, format: PixelBuffer.Alpha.format, color: ColorTags(.bt709, .bt709, .bt709, .full),
      taggedHeight: height)
  }
}
