package import Formats
package import Media
package import Timeline

/// Makes still pictures of a movie's frames: smaller ones, in the colours that a JPEG has everywhere. It scales by the filter that scales
/// all pictures (`ScalingGraph`), so a still has the same samples on every machine.
///
/// One thread at a time.
package final class StillScaler {
  /// The layout of all stills.
  package static let format = PixelFormat(.yuv420, bitDepth: 8)

  private let fitter: PictureFitter
  private let source: PictureFormat
  private let fitting: PictureFitter.Fitting

  /// - Parameters:
  ///   - format: the layout of the frames.
  ///   - color: their colour, without unknown tags.
  ///   - size: their size, in pixels.
  ///   - other: the size of the stills: whole numbers of chroma cells.
  ///   - toneMap: the tone map for frames of high dynamic range.
  package init(
    _ format: PixelFormat, _ color: ColorTags, from size: PixelSize, to other: PixelSize, toneMap: ToneMap = .bt2390
  ) {
    source = PictureFormat(width: size.width, height: size.height, format: format, color: color, taggedHeight: size.height)
    let target = PictureFormat(
      width: other.width, height: other.height, format: Self.format, color: Self.color(of: color), taggedHeight: other.height)
    fitter = PictureFitter(target: target, toneMap: toneMap)
    var fitting = PictureFitter.Fitting.whole(source)
    (fitting.width, fitting.height) = (other.width, other.height)
    self.fitting = fitting
  }

  /// The still of a frame, which has no alpha. Nobody may write to it.
  package func still(_ frame: PixelBuffer) throws(CompositingError) -> PixelBuffer {
    defer { fitter.finishScene() }
    return try fitter.fit(frame, source, fitting)
  }

  /// The colour of the stills of a movie. Viewers of JPEG take BT.601's matrix with full range (JFIF 1.02), and BT.709's primaries, which are
  /// sRGB's. Codes of standard range stay as they are, as in a sequence of JPEG pictures.
  package static func color(of movie: ColorTags) -> ColorTags {
    let isShown = [.bt709, .smpte170m, .bt470bg, .srgb, .bt2020_10, .bt2020_12].contains(movie.transfer)
    return ColorTags(.bt709, isShown ? movie.transfer : .bt709, .bt470bg, .full)
  }
}
