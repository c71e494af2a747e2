internal import CPango
import Formats
import Timeline

extension GradientContent {
  /// Fills a rectangle with rounded corners. The gradient stands in the unit square, which is stretched to `rect`.
  func fill(_ filled: Rect, cornerRadius: Corners, on canvas: OpaquePointer, across rect: Rect) {
    unsafe setSource(of: canvas, across: rect)
    unsafe addRectangle(filled, cornerRadius: cornerRadius, to: canvas)
    unsafe cairo_fill(canvas)
  }

  /// Makes the gradient what the canvas draws with. It stands in the unit square, which is stretched to `rect`.
  ///
  /// - Precondition: it is not conic.
  func setSource(of canvas: OpaquePointer, across rect: Rect) {
    let pattern: OpaquePointer?
    var toPattern = cairo_matrix_t(
      xx: 1 / rect.width, yx: 0, xy: 0, yy: 1 / rect.height, x0: -rect.x / rect.width, y0: -rect.y / rect.height)
    switch kind {
    case .conic: preconditionFailure("a conic gradient is drawn pixel by pixel")
    case .linear: unsafe pattern = unsafe cairo_pattern_create_linear(start.x, start.y, end.x, end.y)
    case .radial:
      // A circle of radius 1, which the matrix makes an ellipse around the start.
      unsafe pattern = unsafe cairo_pattern_create_radial(0, 0, 0, 0, 0, 1)
      let (x, y) = (abs(end.x - start.x), abs(end.y - start.y))
      var toCircle = cairo_matrix_t(xx: 1 / x, yx: 0, xy: 0, yy: 1 / y, x0: -start.x / x, y0: -start.y / y)
      var toSquare = toPattern
      unsafe cairo_matrix_multiply(&toPattern, &toSquare, &toCircle)
    }
    unsafe cairo_pattern_set_matrix(pattern, &toPattern)
    defer { unsafe cairo_pattern_destroy(pattern) }
    for stop in stops {
      let color = stop.color
      unsafe cairo_pattern_add_color_stop_rgba(pattern, stop.location, color.red, color.green, color.blue, color.alpha)
    }
    unsafe cairo_set_source(canvas, pattern)
  }
}
