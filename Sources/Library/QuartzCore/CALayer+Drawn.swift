internal import CoreText

extension CALayer {
  /// The layer's own content as a picture of its bounds, where code draws it, or where it is a text that a document cannot say; nil for
  /// other layers, and where nothing is seen.
  ///
  /// - Parameter isDown: whether y grows downwards in the layer's coordinates.
  package func drawnContent(isDown: Bool) -> CGImage? {
    let text = (self as? CATextLayer).flatMap { $0.isDrawn ? $0 : nil }
    guard isDrawnByCode || text != nil, contentsScale > 0 else { return nil }
    let (scale, isFlipped) = (contentsScale, isDown || drawsDown)
    let (width, height) = ((bounds.width * scale).rounded(.up), (bounds.height * scale).rounded(.up))
    // Core Graphics refuses sides that are too long.
    guard width >= 1, height >= 1, width < 1e6, height < 1e6,
      let context = unsafe CGContext(
        data: nil, width: Int(width), height: Int(height), bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpace(name: CGColorSpace.sRGB),
        bitmapInfo: CGBitmapInfo(alpha: .premultipliedFirst, byteOrder: .order32Little))
    else { return nil }
    // The layer's top edge is the picture's.
    let base =
      isFlipped
      ? CGAffineTransform(scale, 0, 0, -scale, -bounds.minX * scale, height + bounds.minY * scale)
      : CGAffineTransform(scale, 0, 0, scale, -bounds.minX * scale, height - bounds.maxY * scale)
    context.baseTransform = base
    context.concatenate(base)
    text?.paintText(context, isFlipped: isFlipped)
    if isDrawnByCode { draw(in: context) }
    return context.isClear ? nil : context.makeImage()
  }
}

extension CATextLayer {
  var hasAttributes: Bool {
    (string as? NSAttributedString).map { !$0.isEqual(to: NSAttributedString(string: $0.string)) } ?? false
  }

  /// Whether a document cannot say the text: it has attributes, a font that is no name, lines that are justified or truncated, or paragraphs
  /// that stand on different sides.
  package var isDrawn: Bool {
    hasAttributes || font is CTFont || alignmentMode == .justified || (truncationMode != .none && !isWrapped)
      || (alignmentMode == .natural && isReadFromRight == nil)
  }
}
