@_exported public import CoreText

/// The contexts that are drawn on by code that names none. Each thread has its own.
package struct DrawingStack {
  package struct Entry {
    package let context: CGContext
    /// Whether y grows downwards in user space.
    package let isFlipped: Bool
    /// The pixels of a unit.
    package let scale: CGFloat
    /// Whether the picture has no alpha.
    package let isOpaque: Bool

    package init(_ context: CGContext, isFlipped: Bool, scale: CGFloat = 1, isOpaque: Bool = false) {
      (self.context, self.isFlipped, self.scale, self.isOpaque) = (context, isFlipped, scale, isOpaque)
    }
  }

  private static let key = "spool.drawing-stack"

  private static var entries: [Entry] {
    get { Thread.current.threadDictionary[key] as? [Entry] ?? [] }
    set { Thread.current.threadDictionary[key] = newValue }
  }

  package static var current: Entry? { entries.last }
  package static func push(_ entry: Entry) { entries.append(entry) }
  package static func pop() { if !entries.isEmpty { entries.removeLast() } }
  /// Replaces the context that is drawn on now.
  package static func replace(_ entry: Entry?) {
    pop()
    if let entry { push(entry) }
  }

  /// Makes a context of a size in units, and begins to draw on it; nil for a size that is empty or too large.
  package static func begin(size: CGSize, scale: CGFloat, isOpaque: Bool, isFlipped: Bool) -> Entry? {
    let (width, height) = (Int((size.width * scale).rounded(.up)), Int((size.height * scale).rounded(.up)))
    let alpha = isOpaque ? CGImageAlphaInfo.noneSkipFirst : .premultipliedFirst
    guard width > 0, height > 0,
      let context = unsafe CGContext(
        data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: 0,
        space: CGColorSpace(name: CGColorSpace.sRGB), bitmapInfo: CGBitmapInfo(alpha: alpha, byteOrder: .order32Little))
    else { return nil }
    let base =
      isFlipped
      ? CGAffineTransform(scale, 0, 0, -scale, 0, CGFloat(height)) : CGAffineTransform(scaleX: scale, y: scale)
    context.baseTransform = base
    context.concatenate(base)
    let entry = Entry(context, isFlipped: isFlipped, scale: scale, isOpaque: isOpaque)
    push(entry)
    return entry
  }
}
