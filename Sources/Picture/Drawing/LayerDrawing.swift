internal import CPango
internal import CTextTurn
package import Formats
package import Media
package import Scenes
package import Timeline

extension PlacedPicture {
  /// Gives the picture of an asset. It gives the same picture for an asset every time.
  package typealias Images = (AssetID) throws(MediaError) -> StillImage

  /// Draws a still.
  ///
  /// - Parameter size: the size of the render frame.
  /// - Returns: nil when nothing of it can be seen.
  /// - Throws: `DrawingError`; `MediaError` of an image.
  package init?(still: Scene.Still, in size: PixelSize, fonts: FontBook, images: Images) throws {
    spool_take_text_turn()
    defer { spool_give_text_turn() }
    if let projection = still.projection {
      try self.init(still, seenThrough: projection, in: size, fonts: fonts, images: images)
      return
    }
    let (drawing, map) = (still.drawing, still.map)
    // A text or an image that only stands somewhere is drawn there directly, which leaves an image's pixels as they are.
    if still.extent == .frame, map == .translation(map.tx, map.ty), let content = drawing.contentAlone {
      let frame = Rect(map.tx, map.ty, drawing.size.x, drawing.size.y)
      switch content {
      case .text(let text, let lowerThird):
        try self.init(text: text, in: frame, lowerThird: lowerThird, of: size, fonts: fonts)
        return
      case .image(let image) where image.contentsCenter == nil:
        let picture = try images(image.asset)
        guard picture.drawing == nil else { break }
        try self.init(image: picture, gravity: image.gravity, in: frame, of: size)
        return
      case .script(let script) where map == .identity:
        try self.init(script: script, in: size, fonts: fonts)
        return
      case .image, .shape, .gradient, .script: break
      }
    }
    let painting = try Painting(drawing, fonts, images)
    guard let ink = painting.ink else { return nil }
    let wanted = map.bounds(of: ink)
    // Cairo counts in parts of a pixel with 32 bits. What lies further away would be drawn somewhere else.
    let extent = map.bounds(of: painting.extent)
    guard [extent.x, extent.y, extent.maxX, extent.maxY].allSatisfy({ abs($0) <= Self.furthest }) else {
      throw DrawingError.tooFar
    }
    // A shadow is blurred together with what lies just outside of the frame.
    let reach = painting.reach * map.largestStretch
    let window = Rect(-reach, -reach, Double(size.width) + 2 * reach, Double(size.height) + 2 * reach)
    guard let area = still.extent == .whole ? wanted : wanted.intersection(window) else { return nil }
    let sheet = try Sheet(
      columns: Int(area.x.rounded(.down))..<Int(area.maxX.rounded(.up)),
      rows: Int(area.y.rounded(.down))..<Int(area.maxY.rounded(.up)))
    try painting.draw(on: sheet, map)
    self = try sheet.picture()
    try painting.requireUnchangedFonts()
  }
}

extension PlacedPicture {
  /// The distance in pixels from the frame's corner within which all of a layer lies. A rectangle that is cut off at its edge is
  /// drawn three times as large.
  static let furthest = 2_000_000.0
}

/// A drawing that was laid out: its texts have their lines, and everything has its extent. Not for use by two threads at the same
/// time.
struct Painting {
  private enum Content {
    case text(TextBlock)
    case image(ImageSurface, AffineTransform, shown: Rect)
    case vector(VectorDrawing, AffineTransform, shown: Rect)
    case shape(ShapeFigure)
    case gradient(GradientContent)
  }

  private struct Part {
    let painting: Painting
    let part: Scene.Drawing.Part
  }

  private let drawing: Scene.Drawing
  private let content: Content?
  private let parts: [Part]
  private let mask: [Part]
  /// The rectangle that is drawn on, in the drawing's coordinates; nil when nothing is.
  let ink: Rect?
  /// The rectangle around all that is drawn, also where it is cut off or masked.
  let extent: Rect
  /// How far shadows reach, in the drawing's coordinates.
  let reach: Double

  init(_ drawing: Scene.Drawing, _ fonts: FontBook, _ images: PlacedPicture.Images) throws {
    self.drawing = drawing
    let frame = Rect(0, 0, drawing.size.x, drawing.size.y)
    var (ink, reach): (Rect?, Double) = (nil, 0)
    switch drawing.content {
    case nil: content = nil
    case .text(let text, let lowerThird):
      let block = try TextBlock(text, in: frame, lowerThird: lowerThird, fonts)
      content = .text(block)
      (ink, reach) = (block.ink, block.reach)
    case .image(let image):
      (content, ink) = try Self.content(of: image, in: frame, images)
    case .shape(let shape, let stroked):
      let figure = ShapeFigure(shape, stroked: stroked, in: frame, cornerRadius: drawing.look.cornerRadius)
      content = .shape(figure)
      ink = try figure.ink
    case .gradient(let gradient):
      content = .gradient(gradient)
      ink = frame
    case .script(let script):
      (content, ink) = try Self.content(of: script, in: frame, fonts)
    }
    parts = try drawing.parts.map { Part(painting: try Painting($0.drawing, fonts, images), part: $0) }
    mask = try drawing.mask.map { [Part(painting: try Painting($0.drawing, fonts, images), part: $0)] } ?? []
    extent = (parts + mask).reduce(Self.union(ink, frame) ?? frame) { extent, part in
      Self.union(extent, part.part.map.bounds(of: part.painting.extent)) ?? extent
    }
    for part in parts { ink = Self.union(ink, part.painting.ink.map(part.part.map.bounds)) }
    let look = drawing.look
    if look.clips { ink = ink?.intersection(frame) }
    if look.background != nil || look.borderWidth > 0 { ink = Self.union(ink, frame) }
    for part in parts + mask { reach = max(reach, part.painting.reach * part.part.map.largestStretch) }
    for case .blur(let radius) in look.filters {
      ink = ink?.widened(by: radius * ShadowBlur.reach)
      reach += radius * ShadowBlur.reach
    }
    if let mask = mask.first {
      ink = mask.painting.ink.map(mask.part.map.bounds).flatMap { covered in ink?.intersection(covered) }
    }
    if let shadow = look.shadow {
      let caster = try look.shadowPath.map { try ShapeFigure(casting: $0, in: frame).ink } ?? ink
      let soft = shadow.radius * ShadowBlur.reach
      ink = Self.union(ink, caster.map { $0.moved(by: shadow.offset).widened(by: soft) })
      reach += soft + max(abs(shadow.offset.x), abs(shadow.offset.y))
    }
    (self.ink, self.reach) = (ink, reach)
  }

  /// An image as it lies in the layer's rectangle, and the part of it that is seen.
  private static func content(
    of image: ImageContent, in frame: Rect, _ images: PlacedPicture.Images
  ) throws -> (Content?, ink: Rect?) {
    var picture = try images(image.asset)
    if let center = image.contentsCenter { picture = try picture.stretched(around: center, to: Point(frame.width, frame.height)) }
    let map = image.gravity.placement(of: PixelSize(picture.width, picture.height), in: frame)
    let placed = Rect(map.tx, map.ty, Double(picture.width) * map.a, Double(picture.height) * map.d)
    guard let shown = placed.intersection(frame) else { return (nil, nil) }
    if let drawing = picture.drawing { return (.vector(drawing, map, shown: shown), shown) }
    return (.image(try ImageSurface(picture), map, shown: shown), shown)
  }

  /// A script as a picture in its place.
  private static func content(
    of script: Scene.Script, in frame: Rect, _ fonts: FontBook
  ) throws(DrawingError) -> (Content?, ink: Rect?) {
    let size = PixelSize(Int(frame.width.rounded(.up)), Int(frame.height.rounded(.up)))
    guard let drawn = try ScriptPicture(script, in: size, fonts) else { return (nil, nil) }
    let place = Rect(Double(drawn.x), Double(drawn.y), Double(drawn.width), Double(drawn.height))
    let image = StillImage(width: drawn.width, height: drawn.height, rgba: drawn.rgba)
    return (.image(try ImageSurface(image), .translation(place.x, place.y), shown: place), place)
  }

  private static func union(_ one: Rect?, _ other: Rect?) -> Rect? {
    guard let one, let other else { return one ?? other }
    let (left, top) = (min(one.x, other.x), min(one.y, other.y))
    return Rect(left, top, max(one.maxX, other.maxX) - left, max(one.maxY, other.maxY) - top)
  }

  func requireUnchangedFonts() throws(DrawingError) {
    if case .text(let block)? = content { try block.requireUnchangedFonts() }
    for part in parts + mask { try part.painting.requireUnchangedFonts() }
  }

  // MARK: - Drawing

  /// Draws it on the sheet.
  ///
  /// - Parameter map: the map from the drawing's coordinates to the sheet's.
  func draw(on sheet: Sheet, _ map: AffineTransform) throws(DrawingError) {
    // A singular map leaves nothing to see, and Cairo refuses it.
    guard map.inverse != nil else { return }
    let canvas = unsafe sheet.context
    guard needsSheet else {
      unsafe cairo_save(canvas)
      defer { unsafe cairo_restore(canvas) }
      unsafe map.concatenate(to: canvas)
      return try drawBody(on: sheet, map)
    }
    let body = try sheet.another()
    unsafe cairo_save(body.context)
    unsafe map.concatenate(to: body.context)
    try drawBody(on: body, map)
    unsafe cairo_restore(body.context)
    if drawing.look.clips {
      // The whole is cut off once, so that nothing shines through at soft edges.
      let cover = try sheet.another()
      unsafe map.concatenate(to: cover.context)
      unsafe cairo_set_tolerance(cover.context, Self.tolerance)
      unsafe cairo_set_antialias(cover.context, CAIRO_ANTIALIAS_BEST)
      unsafe addRectangle(Rect(0, 0, drawing.size.x, drawing.size.y), cornerRadius: drawing.look.cornerRadius, to: cover.context)
      unsafe cairo_fill(cover.context)
      body.keep(only: cover, opacity: 1)
    }
    for filter in drawing.look.filters { try body.apply(filter, map) }
    for part in mask {
      let cover = try sheet.another()
      try part.painting.draw(on: cover, part.part.map.then(map))
      body.keep(only: cover, opacity: part.part.opacity)
    }
    if let shadow = drawing.look.shadow { try sheet.cast(shadow, of: caster(of: body, map), map) }
    if !drawing.look.isShadowAlone { sheet.lay(body, opacity: 1, CAIRO_OPERATOR_OVER) }
  }

  /// The sheet that casts the shadow: all that is seen, or the outline that stands for it.
  private func caster(of body: Sheet, _ map: AffineTransform) throws(DrawingError) -> Sheet {
    guard let path = drawing.look.shadowPath else { return body }
    let caster = try body.another()
    unsafe map.concatenate(to: caster.context)
    unsafe cairo_set_tolerance(caster.context, Self.tolerance)
    unsafe ShapeFigure(casting: path, in: Rect(0, 0, drawing.size.x, drawing.size.y)).draw(on: caster.context)
    return caster
  }

  /// Draws the body, without filters, mask and shadow. The canvas has the drawing's coordinates.
  private func drawBody(on sheet: Sheet, _ map: AffineTransform) throws(DrawingError) {
    let (canvas, look) = (unsafe sheet.context, drawing.look)
    let frame = Rect(0, 0, drawing.size.x, drawing.size.y)
    unsafe cairo_set_antialias(canvas, CAIRO_ANTIALIAS_BEST)
    unsafe cairo_set_tolerance(canvas, Self.tolerance)
    // A rectangle that is cut off at its edge reaches beyond it here, or the edge would count twice.
    let outer = look.clips ? Rect(-frame.width, -frame.height, 3 * frame.width, 3 * frame.height) : frame
    let outerRadius: Corners = look.clips ? 0 : look.cornerRadius
    if let color = look.background {
      unsafe addRectangle(outer, cornerRadius: outerRadius, to: canvas)
      unsafe cairo_set_source_rgba(canvas, color.red, color.green, color.blue, color.alpha)
      unsafe cairo_fill(canvas)
    }
    switch content {
    case nil: break
    case .text(let block): try block.draw(on: sheet, map)
    case .image(let image, let map, let shown): unsafe image.draw(on: canvas, map, shown: shown)
    case .vector(let vector, let map, let shown): try unsafe vector.draw(on: canvas, map, shown: shown)
    case .shape(let figure): unsafe figure.draw(on: canvas)
    case .gradient(let gradient) where gradient.kind == .conic:
      try gradient.fillAround(outer, cornerRadius: outerRadius, on: sheet, across: frame, map)
    case .gradient(let gradient): unsafe gradient.fill(outer, cornerRadius: outerRadius, on: canvas, across: frame)
    }
    for part in parts { try draw(part, on: sheet, map) }
    guard look.borderWidth > 0 else { return }
    // The border lies inside the rectangle. Its outer edge has the rectangle's corners.
    unsafe addRectangle(outer, cornerRadius: outerRadius, to: canvas)
    let width = min(look.borderWidth, frame.width / 2, frame.height / 2)
    let inner = Rect(width, width, frame.width - 2 * width, frame.height - 2 * width)
    if inner.width > 0, inner.height > 0 {
      unsafe addRectangle(inner, cornerRadius: look.cornerRadius.inset(by: width), to: canvas)
    }
    unsafe cairo_set_fill_rule(canvas, CAIRO_FILL_RULE_EVEN_ODD)
    let color = look.borderColor
    unsafe cairo_set_source_rgba(canvas, color.red, color.green, color.blue, color.alpha)
    unsafe cairo_fill(canvas)
    unsafe cairo_set_fill_rule(canvas, CAIRO_FILL_RULE_WINDING)
  }

  private func draw(_ part: Part, on sheet: Sheet, _ map: AffineTransform) throws(DrawingError) {
    let toSheet = part.part.map.then(map)
    if part.part.opacity >= 1, part.part.blendMode == .normal, !part.painting.needsSheet {
      unsafe cairo_save(sheet.context)
      defer { unsafe cairo_restore(sheet.context) }
      guard toSheet.inverse != nil else { return }
      unsafe part.part.map.concatenate(to: sheet.context)
      return try part.painting.drawBody(on: sheet, toSheet)
    }
    let own = try sheet.another()
    try part.painting.draw(on: own, toSheet)
    guard part.part.blendMode != .normal else { return sheet.lay(own, opacity: part.part.opacity, CAIRO_OPERATOR_OVER) }
    // Cairo 1.16 computes the modes of hue and saturation wrongly where it is given an opacity with them.
    if part.part.opacity < 1 { own.fade(to: part.part.opacity) }
    sheet.lay(own, opacity: 1, part.part.blendMode.cairo)
  }

  /// Whether the drawing must be put together on a sheet of its own before it is laid over what is below.
  private var needsSheet: Bool {
    drawing.look.shadow != nil || drawing.look.clips || !drawing.look.filters.isEmpty || !mask.isEmpty
      || parts.contains { $0.part.blendMode != .normal }
  }

  /// The distance in pixels that a curve's lines may have from it.
  private static let tolerance = 0.02
}

extension AffineTransform {
  func concatenate(to canvas: OpaquePointer) {
    var matrix = cairo_matrix_t(xx: a, yx: b, xy: c, yy: d, x0: tx, y0: ty)
    unsafe cairo_transform(canvas, &matrix)
  }

  /// The smallest rectangle around the image of `rect`.
  func bounds(of rect: Rect) -> Rect {
    let corners = [apply(rect.x, rect.y), apply(rect.maxX, rect.y), apply(rect.x, rect.maxY), apply(rect.maxX, rect.maxY)]
    let (left, right) = (corners.map(\.x).min() ?? 0, corners.map(\.x).max() ?? 0)
    let (top, bottom) = (corners.map(\.y).min() ?? 0, corners.map(\.y).max() ?? 0)
    return Rect(left, top, right - left, bottom - top)
  }
}

extension Rect {
  /// The rectangle that reaches further by a length on each side.
  func widened(by length: Double) -> Rect { Rect(x - length, y - length, width + 2 * length, height + 2 * length) }

  fileprivate func moved(by offset: Point) -> Rect { Rect(x + offset.x, y + offset.y, width, height) }
}
