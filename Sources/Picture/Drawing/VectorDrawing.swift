internal import CPango
import Formats
import Media

extension VectorDrawing {
  /// Draws the part of the drawing that lies in `shown`, as sharp as the canvas is.
  ///
  /// - Parameters:
  ///   - map: the map from the drawing's own pixels to the canvas's coordinates. It only scales and moves.
  ///   - shown: a rectangle in the canvas's coordinates.
  func draw(on canvas: OpaquePointer, _ map: AffineTransform, shown: Rect) throws(DrawingError) {
    unsafe cairo_save(canvas)
    defer { unsafe cairo_restore(canvas) }
    unsafe cairo_rectangle(canvas, shown.x, shown.y, shown.width, shown.height)
    unsafe cairo_clip(canvas)
    do throws(MediaError) {
      unsafe try draw(
        onCairo: canvas,
        in: Rect(map.tx, map.ty, Double(size.width) * map.a, Double(size.height) * map.d))
    } catch { throw .vector(error.reason) }
  }
}
