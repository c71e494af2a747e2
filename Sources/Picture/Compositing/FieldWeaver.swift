package import Formats
package import Media

/// Makes one frame of two pictures of different moments (decision 0230).
///
/// Rows of chroma go with rows of luma: row r of a plane is the top field's where r is even. In 4:2:0 the row r of chroma lies at 2r + 1/2, in
/// lines of the frame, whether a frame is progressive or made of fields, so nothing is moved.
package enum FieldWeaver {
  /// The frame whose field that comes first is made of `first`, and whose other one is made of `second`.
  ///
  /// - Precondition: the pictures have one size and format, and are opaque.
  package static func woven(
    _ first: PixelBuffer, _ second: PixelBuffer, _ weave: FieldWeave
  ) throws(CompositingError) -> PixelBuffer {
    precondition(first.format == second.format && (first.width, first.height) == (second.width, second.height))
    precondition(first.alpha == nil && second.alpha == nil, "fields are opaque")
    let frame = try PixelBuffer.make(format: first.format, first.width, first.height, first.color)
    let (top, bottom) = weave.order == .topFirst ? (first, second) : (second, first)
    for (index, plane) in frame.planes.enumerated() {
      plane.weave(top.planes[index], from: 0, weave.filter)
      plane.weave(bottom.planes[index], from: 1, weave.filter)
    }
    withExtendedLifetime((first, second)) {}
    return frame
  }
}
