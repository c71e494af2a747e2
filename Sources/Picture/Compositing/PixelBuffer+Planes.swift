import Formats
import Media

extension PixelBuffer {
  /// The buffer's planes. They borrow its memory: the buffer must stay alive while they are used.
  var planes: [Plane] { (0..<format.planeCount).map(samples(ofPlane:)) }

  /// A plane, which borrows the buffer's memory as `planes` do.
  func samples(ofPlane index: Int) -> Plane {
    let plane = unsafe plane(index)
    return unsafe Plane(
      base: UnsafeMutableRawPointer(plane.base), stride: plane.stride, width: plane.width, height: plane.height,
      bytesPerSample: format.bytesPerSample)
  }

  static func make(_ picture: PictureFormat) throws(CompositingError) -> PixelBuffer {
    try make(format: picture.format, picture.width, picture.height, picture.color)
  }

  /// A writable picture of undefined content, whose memory comes from `FramePool`.
  static func make(format: PixelFormat, _ width: Int, _ height: Int, _ color: ColorTags) throws(CompositingError) -> PixelBuffer {
    do throws(MediaError) {
      return try PixelBuffer(format: format, width: width, height: height, color: color)
    } catch {
      throw .media(error)
    }
  }

  /// A writable plane of alpha (`Alpha.plane`).
  static func makeAlpha(_ width: Int, _ height: Int) throws(CompositingError) -> PixelBuffer {
    do throws(MediaError) { return try Alpha.plane(width, height) } catch { throw .media(error) }
  }
}
