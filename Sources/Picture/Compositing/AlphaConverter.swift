package import Formats
package import Media
internal import Timeline

/// Converts frames with alpha from the format in which they are composited to the one in which they are encoded. One thread at a
/// time.
package final class AlphaConverter {
  private let format: PictureFormat
  private let alphaBits: Int
  private let fitter: PictureFitter
  /// The last frame and its result. Frames often repeat.
  private var last: (frame: PixelBuffer, result: PixelBuffer)?

  /// - Parameters:
  ///   - format: the format of the results.
  ///   - alphaBits: the bits of their alpha.
  ///   - color: the colour of the frames. No tag may be unknown.
  package init(format: PixelFormat, alphaBits: Int, color: ColorTags) {
    self.alphaBits = alphaBits
    // The fitter does not need the target's size.
    self.format = PictureFormat(width: 0, height: 0, format: format, color: color, taggedHeight: 0)
    fitter = PictureFitter(target: self.format, toneMap: .bt2390)
  }

  /// The frame in the other format. Its alpha has as many different values as its bits can hold, so that a movie of these bits
  /// has the same alpha. It is the same buffer for the same frame as long as one follows the other.
  ///
  /// - Precondition: width and height are whole numbers of chroma cells.
  package func converted(_ frame: PixelBuffer) throws(CompositingError) -> PixelBuffer {
    defer { fitter.finishScene() }
    if let last, last.frame === frame { return last.result }
    var source = format.sized(frame.width, frame.height)
    source.format = frame.format
    var result = try fitter.fit(frame, source, .whole(source))
    if let alpha = result.alpha {
      do throws(MediaError) {
        let full = try alpha.full.alpha(ofBits: alphaBits)
        result = result.with(try PixelBuffer.Alpha(full: full, for: result.format))
      } catch { throw .media(error) }
    }
    last = (frame, result)
    return result
  }
}
