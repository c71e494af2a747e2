internal import CPango
import Formats
import Scenes
import Timeline

/// A shape of a drawing, ready to be drawn. Not for use by two threads at the same time.
struct ShapeFigure {
  private let shape: ShapeContent
  private let stroked: Scene.Drawing.Span
  /// The rectangle of the layer.
  private let frame: Rect
  private let cornerRadius: Corners

  init(_ shape: ShapeContent, stroked: Scene.Drawing.Span, in frame: Rect, cornerRadius: Corners) {
    (self.shape, self.stroked) = (shape, stroked)
    (self.frame, self.cornerRadius) = (frame, cornerRadius)
  }

  /// Makes the figure that casts a shadow: the inside of an outline.
  init(casting path: VectorPath, in frame: Rect) {
    self.init(ShapeContent(outline: .path(path), fillColor: .black), stroked: .whole, in: frame, cornerRadius: 0)
  }

  /// The rectangle that is drawn on; nil when nothing is.
  var ink: Rect? {
    get throws(DrawingError) {
      let scratch = try Sheet(columns: 0..<1, rows: 0..<1)
      defer { withExtendedLifetime(scratch) {} }
      return unsafe ink(scratch.context)
    }
  }

  /// - Parameter scratch: any canvas in the drawing's coordinates. Its path is lost.
  private func ink(_ scratch: OpaquePointer) -> Rect? {
    var (left, top, right, bottom) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
    func include(_ extents: (OpaquePointer?, inout Double, inout Double, inout Double, inout Double) -> Void) {
      var (x0, y0, x1, y1) = (0.0, 0.0, 0.0, 0.0)
      unsafe extents(scratch, &x0, &y0, &x1, &y1)
      guard x0 < x1, y0 < y1 else { return }
      (left, top, right, bottom) = (min(left, x0), min(top, y0), max(right, x1), max(bottom, y1))
    }
    if shape.fillColor != nil {
      unsafe addOutline(to: scratch)
      unsafe include { unsafe cairo_fill_extents($0, &$1, &$2, &$3, &$4) }
    }
    if shape.strokeColor != nil, unsafe addStroke(to: scratch) {
      unsafe include { unsafe cairo_stroke_extents($0, &$1, &$2, &$3, &$4) }
    }
    unsafe cairo_new_path(scratch)
    // One more pixel for the soft edge.
    return left < right ? Rect(left - 1, top - 1, right - left + 2, bottom - top + 2) : nil
  }

  func draw(on canvas: OpaquePointer) {
    unsafe cairo_set_antialias(canvas, CAIRO_ANTIALIAS_BEST)
    if let color = shape.fillColor {
      unsafe addOutline(to: canvas)
      unsafe cairo_set_source_rgba(canvas, color.red, color.green, color.blue, color.alpha)
      unsafe cairo_fill(canvas)
    }
    if let color = shape.strokeColor, unsafe addStroke(to: canvas) {
      unsafe cairo_set_source_rgba(canvas, color.red, color.green, color.blue, color.alpha)
      unsafe cairo_stroke(canvas)
    }
    unsafe cairo_new_path(canvas)
  }

  private func addOutline(to canvas: OpaquePointer) {
    unsafe cairo_new_path(canvas)
    unsafe cairo_set_fill_rule(canvas, shape.fillRule == .evenOdd ? CAIRO_FILL_RULE_EVEN_ODD : CAIRO_FILL_RULE_WINDING)
    switch shape.outline {
    case .rectangle: unsafe addRectangle(frame, cornerRadius: cornerRadius, to: canvas)
    case .ellipse: unsafe addEllipse(in: frame, to: canvas)
    case .path(let path): unsafe path.add(to: canvas)
    }
  }

  /// Makes the stroked part of the outline the canvas's path, and sets the pen.
  ///
  /// - Returns: false when there is nothing to stroke.
  private func addStroke(to canvas: OpaquePointer) -> Bool {
    guard shape.lineWidth > 0, stroked.start < stroked.end else { return false }
    unsafe addOutline(to: canvas)
    if stroked != .whole { unsafe trimPath(of: canvas, to: stroked) }
    unsafe cairo_set_line_width(canvas, shape.lineWidth)
    unsafe cairo_set_line_cap(canvas, shape.lineCap.cairo)
    unsafe cairo_set_line_join(canvas, shape.lineJoin.cairo)
    unsafe cairo_set_miter_limit(canvas, shape.miterLimit)
    unsafe cairo_set_dash(canvas, shape.dash, Int32(shape.dash.count), shape.dashPhase)
    return true
  }

  /// Replaces the canvas's path by a part of its length.
  private func trimPath(of canvas: OpaquePointer, to span: Scene.Drawing.Span) {
    guard let copy = unsafe cairo_copy_path(canvas) else { return }
    defer { unsafe cairo_path_destroy(copy) }
    let pieces = unsafe PathPiece.pieces(of: copy)
    let length = pieces.reduce(0) { $0 + $1.length }
    let (first, last) = (length * span.start, length * span.end)
    unsafe cairo_new_path(canvas)
    var (passed, end) = (0.0, Point?.none)
    for piece in pieces {
      let (from, to) = (max(first - passed, 0), min(last - passed, piece.length))
      passed += piece.length
      guard piece.length > 0, from < to else { continue }
      let part = piece.part(from: from, to: to)
      // A piece that goes on where the one before ended is joined to it.
      if end != piece.points[0] || from > 0 { unsafe cairo_move_to(canvas, part[0].x, part[0].y) }
      if part.count == 2 {
        unsafe cairo_line_to(canvas, part[1].x, part[1].y)
      } else {
        unsafe cairo_curve_to(canvas, part[1].x, part[1].y, part[2].x, part[2].y, part[3].x, part[3].y)
      }
      end = piece.points.last
    }
  }
}

/// Adds a rectangle with rounded corners of one radius to the canvas's path.
func addRectangle(_ rect: Rect, cornerRadius: Double, to canvas: OpaquePointer) {
  unsafe addRectangle(rect, cornerRadius: Corners(cornerRadius), to: canvas)
}

/// Adds a rectangle with rounded corners to the canvas's path. The corners are arcs of circles, as far as they fit.
func addRectangle(_ rect: Rect, cornerRadius: Corners, to canvas: OpaquePointer) {
  let radii = cornerRadius.fitted(in: Point(rect.width, rect.height))
  guard radii != 0 else { return unsafe cairo_rectangle(canvas, rect.x, rect.y, rect.width, rect.height) }
  // The share of a radius by which a control point stands beside the corner, with which a curve is nearest to a quarter of a circle.
  let rest = 1 - quarterCircle
  let (left, top, right, bottom) = (rect.x, rect.y, rect.maxX, rect.maxY)
  unsafe cairo_move_to(canvas, left + radii.topLeft, top)
  var radius = radii.topRight
  unsafe cairo_line_to(canvas, right - radius, top)
  if radius > 0 {
    unsafe cairo_curve_to(canvas, right - radius * rest, top, right, top + radius * rest, right, top + radius)
  }
  radius = radii.bottomRight
  unsafe cairo_line_to(canvas, right, bottom - radius)
  if radius > 0 {
    unsafe cairo_curve_to(canvas, right, bottom - radius * rest, right - radius * rest, bottom, right - radius, bottom)
  }
  radius = radii.bottomLeft
  unsafe cairo_line_to(canvas, left + radius, bottom)
  if radius > 0 {
    unsafe cairo_curve_to(canvas, left + radius * rest, bottom, left, bottom - radius * rest, left, bottom - radius)
  }
  radius = radii.topLeft
  unsafe cairo_line_to(canvas, left, top + radius)
  if radius > 0 {
    unsafe cairo_curve_to(canvas, left, top + radius * rest, left + radius * rest, top, left + radius, top)
  }
  unsafe cairo_close_path(canvas)
}

/// The share of the radius at which the control points of a quarter circle stand: 4/3 (sqrt(2) - 1).
private let quarterCircle = 4.0 / 3 * (2.0.squareRoot() - 1)

/// Adds an ellipse to the canvas's path, clockwise as seen from its rightmost point on, as SVG and Core Graphics have it.
private func addEllipse(in rect: Rect, to canvas: OpaquePointer) {
  let (x, y) = (rect.x + rect.width / 2, rect.y + rect.height / 2)
  let (restX, restY) = (rect.width / 2 * (1 - quarterCircle), rect.height / 2 * (1 - quarterCircle))
  unsafe cairo_move_to(canvas, rect.maxX, y)
  unsafe cairo_curve_to(canvas, rect.maxX, rect.maxY - restY, rect.maxX - restX, rect.maxY, x, rect.maxY)
  unsafe cairo_curve_to(canvas, rect.x + restX, rect.maxY, rect.x, rect.maxY - restY, rect.x, y)
  unsafe cairo_curve_to(canvas, rect.x, rect.y + restY, rect.x + restX, rect.y, x, rect.y)
  unsafe cairo_curve_to(canvas, rect.maxX - restX, rect.y, rect.maxX, rect.y + restY, rect.maxX, y)
  unsafe cairo_close_path(canvas)
}

extension VectorPath {
  fileprivate func add(to canvas: OpaquePointer) {
    for element in elements {
      switch element {
      case .move(let point): unsafe cairo_move_to(canvas, point.x, point.y)
      case .line(let point): unsafe cairo_line_to(canvas, point.x, point.y)
      case .curve(let first, let second, let end):
        unsafe cairo_curve_to(canvas, first.x, first.y, second.x, second.y, end.x, end.y)
      case .close: unsafe cairo_close_path(canvas)
      }
    }
  }
}

extension ShapeContent.LineCap {
  fileprivate var cairo: cairo_line_cap_t {
    switch self {
    case .butt: CAIRO_LINE_CAP_BUTT
    case .round: CAIRO_LINE_CAP_ROUND
    case .square: CAIRO_LINE_CAP_SQUARE
    }
  }
}

extension ShapeContent.LineJoin {
  var cairo: cairo_line_join_t {
    switch self {
    case .miter: CAIRO_LINE_JOIN_MITER
    case .round: CAIRO_LINE_JOIN_ROUND
    case .bevel: CAIRO_LINE_JOIN_BEVEL
    }
  }
}
