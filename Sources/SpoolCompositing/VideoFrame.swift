package import Media

/// A picture, for reading (CVPixelBuffer). Holding or passing one on costs nothing.
// @unchecked Sendable: all is constant but the samples, which the one maker of a MutableVideoFrame writes before it hands the
// frame on.
public class VideoFrame: @unchecked Sendable {
  public let format: FrameFormat
  /// Pixels.
  public let width: Int
  public let height: Int
  package let buffer: PixelBuffer

  /// - Parameter width, height: no more than the buffer's, which has whole chroma cells.
  package init(_ buffer: PixelBuffer, width: Int, height: Int) {
    (self.buffer, self.width, self.height) = (buffer, width, height)
    format = FrameFormat(buffer.format)
  }

  /// The samples of a component.
  ///
  /// - Precondition: the format has the component, and `Sample` is `UInt8` for 8 bits, `UInt16` for more.
  public func plane<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ component: FrameFormat.Component, as _: Sample.Type = Sample.self
  ) -> VideoPlane<Sample> {
    VideoPlane(samples(component))
  }

  fileprivate func samples<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ component: FrameFormat.Component
  ) -> PlaneSamples<Sample> {
    precondition(
      MemoryLayout<Sample>.size == buffer.format.bytesPerSample, "a sample of \(format) has \(buffer.format.bytesPerSample) bytes"
    )
    let index = format.plane(of: component)
    let (shift, plane) = unsafe (buffer.format.shift(ofPlane: index), buffer.plane(index))
    return unsafe PlaneSamples(
      base: UnsafeMutableRawPointer(plane.base).assumingMemoryBound(to: Sample.self),
      stride: plane.stride / MemoryLayout<Sample>.size, width: (width + (1 << shift.x) - 1) >> shift.x,
      height: (height + (1 << shift.y) - 1) >> shift.y, owner: self)
  }
}

/// A picture that its maker may write until it is handed on; see `RenderContext.newFrame`.
// @unchecked Sendable: as VideoFrame.
public final class MutableVideoFrame: VideoFrame, @unchecked Sendable {
  /// The samples of a component, to be written; of undefined value at first.
  ///
  /// - Precondition: as for `plane`.
  public func mutablePlane<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ component: FrameFormat.Component, as _: Sample.Type = Sample.self
  ) -> MutableVideoPlane<Sample> {
    MutableVideoPlane(samples(component))
  }
}
