package import Media

/// A picture to read (CVPixelBuffer). Holding it or passing it on copies nothing.
// @unchecked Sendable: everything is constant but the samples. Only the maker of a MutableVideoFrame writes them, before it
// passes the frame on.
public class VideoFrame: @unchecked Sendable {
  public let format: FrameFormat
  /// The width in pixels.
  public let width: Int
  public let height: Int
  package let buffer: PixelBuffer

  /// - Parameter width, height: at most the buffer's size, which is rounded up to whole chroma samples.
  package init(_ buffer: PixelBuffer, width: Int, height: Int) {
    (self.buffer, self.width, self.height) = (buffer, width, height)
    format = FrameFormat(buffer.format)
  }

  /// The samples of a component.
  ///
  /// - Precondition: the format has the component. `Sample` is `UInt8` for 8 bits and `UInt16` for more.
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

/// A picture that its maker may write until it passes it on; see `RenderContext.newFrame`.
// @unchecked Sendable: the reason is the same as for VideoFrame.
public final class MutableVideoFrame: VideoFrame, @unchecked Sendable {
  /// The samples of a component, to be written. Their values are undefined at first.
  ///
  /// - Precondition: the same as for `plane`.
  public func mutablePlane<Sample: FixedWidthInteger & BitwiseCopyable>(
    _ component: FrameFormat.Component, as _: Sample.Type = Sample.self
  ) -> MutableVideoPlane<Sample> {
    MutableVideoPlane(samples(component))
  }
}
