internal import CRsvg
package import Formats

/// A picture in SVG, which is drawn as large as it is shown (librsvg).
///
/// It depends on its bytes alone. So it may not refer to anything outside, and has no text, which would be drawn with whatever
/// fonts the machine has (decision 0145).
package struct VectorDrawing: Hashable, Sendable {
  /// The size in its own pixels, of which there are 96 to the inch.
  package let size: PixelSize
  private let bytes: [UInt8]

  /// The largest file that is read, in bytes.
  private static let maxBytes = 16 << 20

  /// Whether a file that begins so may be SVG: it is text of XML, and has the name of SVG's element near its start.
  static func isBegun(by head: ArraySlice<UInt8>) -> Bool {
    let text = head.starts(with: [0xEF, 0xBB, 0xBF]) ? head.dropFirst(3) : head
    guard let first = text.first(where: { ![9, 10, 13, 32].contains($0) }), first == UInt8(ascii: "<") else { return false }
    let name = Array("<svg".utf8)
    return text.indices.dropLast(name.count - 1).contains { text[$0..<$0 + name.count].elementsEqual(name) }
  }

  /// - Throws: `MediaError`: `unsupported` for what is not drawn, and for a size that is refused; `corrupt`.
  init(_ bytes: [UInt8], at path: String) throws(MediaError) {
    guard bytes.count <= Self.maxBytes else {
      throw MediaError(.unsupported, at: path, "is too large for an SVG picture: \(bytes.count) bytes")
    }
    if let fault = SVGCheck.fault(in: bytes) { throw MediaError(.unsupported, at: path, fault) }
    let handle = try Handle(bytes, at: path)
    guard let size = handle.size else {
      throw MediaError(.unsupported, at: path, "states no size: give it a width and a height, or a viewBox")
    }
    func whole(_ length: Double) -> Int { length < Double(PixelBuffer.maxSide) ? max(Int(length.rounded()), 1) : .max >> 32 }
    (self.size, self.bytes) = (PixelSize(whole(size.x), whole(size.y)), bytes)
    try ForeignPicture.check(self.size.width, self.size.height, at: path)
  }

  /// Draws all of it on a Cairo canvas, stretched to a rectangle in the canvas's coordinates.
  ///
  /// - Parameter cairo: a `cairo_t`, whose state stays as it is.
  /// - Throws: `MediaError` `corrupt`.
  @unsafe package func draw(onCairo cairo: OpaquePointer, in rect: Rect) throws(MediaError) {
    let handle = try Handle(bytes, at: "an SVG picture")
    unsafe cairo_save(cairo)
    defer { unsafe cairo_restore(cairo) }
    unsafe cairo_translate(cairo, rect.x, rect.y)
    unsafe cairo_scale(cairo, rect.width / Double(size.width), rect.height / Double(size.height))
    var matrix = cairo_matrix_t()
    unsafe cairo_get_matrix(cairo, &matrix)
    if matrix.xy == 0, matrix.yx == 0 { return try unsafe handle.draw(onCairo: cairo, size) }
    // On a canvas that is turned, librsvg takes the boxes of shapes too large. So the drawing is recorded on one that stands
    // upright, as fine as it is seen, and played on the canvas.
    let (across, down) = (
      (matrix.xx * matrix.xx + matrix.yx * matrix.yx).squareRoot(), (matrix.xy * matrix.xy + matrix.yy * matrix.yy).squareRoot()
    )
    guard across > 0, down > 0 else { return }
    let record = unsafe cairo_recording_surface_create(CAIRO_CONTENT_COLOR_ALPHA, nil)
    let recorder = unsafe cairo_create(record)
    defer {
      unsafe cairo_destroy(recorder)
      unsafe cairo_surface_destroy(record)
    }
    guard let recorder = unsafe recorder, unsafe cairo_status(recorder) == CAIRO_STATUS_SUCCESS else {
      throw MediaError(.outOfMemory, at: handle.path, "there is not enough memory for its picture")
    }
    unsafe cairo_scale(recorder, across, down)
    try unsafe handle.draw(onCairo: recorder, size)
    unsafe cairo_scale(cairo, 1 / across, 1 / down)
    unsafe cairo_set_source_surface(cairo, record, 0, 0)
    unsafe cairo_paint(cairo)
  }

  /// The picture in its own size: red, green, blue and straight alpha.
  ///
  /// - Throws: `MediaError`.
  func pixels(at path: String) throws(MediaError) -> [UInt8] {
    let surface = unsafe cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height))
    let canvas = unsafe cairo_create(surface)
    defer {
      unsafe cairo_destroy(canvas)
      unsafe cairo_surface_destroy(surface)
    }
    guard let canvas = unsafe canvas, unsafe cairo_status(canvas) == CAIRO_STATUS_SUCCESS else {
      throw MediaError(.outOfMemory, at: path, "there is not enough memory for its picture")
    }
    try unsafe draw(onCairo: canvas, in: Rect(size))
    unsafe cairo_surface_flush(surface)
    guard let data = unsafe cairo_image_surface_get_data(surface) else {
      throw MediaError(.outOfMemory, at: path, "there is not enough memory for its picture")
    }
    let stride = unsafe Int(cairo_image_surface_get_stride(surface))
    var rgba: [UInt8] = []
    rgba.reserveCapacity(size.width * size.height * 4)
    for y in 0..<size.height {
      for x in 0..<size.width {
        let pixel = unsafe UnsafeRawPointer(data).loadUnaligned(fromByteOffset: y * stride + x * 4, as: UInt32.self)
        let alpha = pixel >> 24
        for shift in [16, 8, 0] as [UInt32] {
          rgba.append(alpha == 0 ? 0 : UInt8(min(((pixel >> shift & 255) * 255 + alpha / 2) / alpha, 255)))
        }
        rgba.append(UInt8(alpha))
      }
    }
    return rgba
  }

  /// A picture that librsvg has read. One thread at a time.
  // @safe: the pointer is owned, set once and released once.
  @safe private final class Handle {
    let pointer: UnsafeMutablePointer<RsvgHandle>
    let path: String

    /// Reads the bytes. They have no place, so librsvg takes no other file for a part of them.
    init(_ bytes: [UInt8], at path: String) throws(MediaError) {
      guard let handle = unsafe rsvg_handle_new_from_data(bytes, gsize(bytes.count), nil) else {
        throw MediaError(.corrupt, at: path, "is an SVG picture that is cut off or damaged")
      }
      unsafe (pointer, self.path) = (handle, path)
      unsafe rsvg_handle_set_dpi(handle, 96)
    }

    /// Draws the picture in its own size, in the canvas's coordinates.
    @unsafe func draw(onCairo cairo: OpaquePointer, _ size: PixelSize) throws(MediaError) {
      var viewport = RsvgRectangle(x: 0, y: 0, width: Double(size.width), height: Double(size.height))
      guard unsafe rsvg_handle_render_document(pointer, cairo, &viewport, nil) != 0 else {
        throw MediaError(.corrupt, at: path, "is an SVG picture that cannot be drawn")
      }
    }

    deinit { unsafe g_object_unref(UnsafeMutableRawPointer(pointer)) }

    /// The size in pixels: that of `width` and `height`, or of the viewBox; nil where it states neither.
    var size: Point? {
      var (width, height) = (0.0, 0.0)
      if unsafe rsvg_handle_get_intrinsic_size_in_pixels(pointer, &width, &height) != 0, width > 0, height > 0 {
        return Point(width, height)
      }
      var (hasBox, box) = (gboolean(0), RsvgRectangle())
      unsafe rsvg_handle_get_intrinsic_dimensions(pointer, nil, nil, nil, nil, &hasBox, &box)
      return hasBox != 0 && box.width > 0 && box.height > 0 ? Point(box.width, box.height) : nil
    }
  }
}
