internal import AVFoundation

extension EditTranslation {
  /// Adds what the layer shows itself: its picture, text, outline or colours. Returns whether there is any.
  mutating func addContent(
    of layer: CALayer, isDown: Bool, _ name: String, to members: inout [String: DocumentValue]
  ) throws(SpoolClientError) -> Bool {
    let isShown =
      switch layer {
      case let text as CATextLayer: try addText(text, name, to: &members)
      case let shape as CAShapeLayer: try addShape(shape, name, to: &members)
      case let gradient as CAGradientLayer: try addGradient(gradient, name, to: &members)
      default: try addPicture(of: layer, isDown: isDown, name, to: &members)
      }
    // What a layer shows lies in its own coordinates, which its sublayers share.
    guard !isShown || !layer.isGeometryFlipped || layer is CATextLayer else {
      throw SpoolClientError(property: "\(name).isGeometryFlipped", reason: "is not said of a layer that shows something itself")
    }
    return isShown
  }

  private func addText(
    _ layer: CATextLayer, _ name: String, to members: inout [String: DocumentValue]
  ) throws(SpoolClientError) -> Bool {
    guard let given = layer.string else { return false }
    guard let string = given as? String else {
      throw SpoolClientError(property: "\(name).string", reason: "has attributes; a String can be said")
    }
    guard !string.isEmpty else { return false }
    // Core Animation's own font stands where none is named.
    guard let fontName = (layer.font ?? "Helvetica") as? String else {
      throw SpoolClientError(property: "\(name).font", reason: "must be the name of a font, a String")
    }
    let font = SaidFont(fontName, fontSubstitutes)
    guard layer.truncationMode == .none else {
      throw SpoolClientError(property: "\(name).truncationMode", reason: "is not said")
    }
    members["text"] = .text(string)
    members["font"] = .text(font.family)
    if font.weight != 400 { members["weight"] = .number(font.weight) }
    if font.isItalic { members["slant"] = .text("italic") }
    members["size"] = .number(Double(try layer.fontSize.checked("\(name).fontSize")))
    members["color"] = try Self.color(layer.foregroundColor ?? CGColor(gray: 0, alpha: 0), "\(name).foregroundColor")
    switch layer.alignmentMode {
    case .left: members["align"] = .text("left")
    case .natural: members["align"] = .text(try readingSide(of: string, name))
    case .center: members["align"] = .text("center")
    case .right: members["align"] = .text("right")
    default: throw SpoolClientError(property: "\(name).alignmentMode", reason: "\(layer.alignmentMode.rawValue) is not said")
    }
    return true
  }

  private func addShape(
    _ layer: CAShapeLayer, _ name: String, to members: inout [String: DocumentValue]
  ) throws(SpoolClientError) -> Bool {
    guard let path = layer.path, !path.isEmpty, layer.fillColor != nil || layer.strokeColor != nil else { return false }
    guard layer.miterLimit == 10 else { throw SpoolClientError(property: "\(name).miterLimit", reason: "must be 10") }
    members["shape"] = .object(["path": .text(Self.outline(path, layer.bounds.origin))])
    members["fillColor"] = try layer.fillColor.map { (color) throws(SpoolClientError) in
      try Self.color(color, "\(name).fillColor")
    }
    if layer.fillRule == .evenOdd { members["fillRule"] = .text("evenOdd") }
    guard let stroke = layer.strokeColor else { return true }
    members["strokeColor"] = try Self.color(stroke, "\(name).strokeColor")
    members["lineWidth"] = .number(Double(try layer.lineWidth.checked("\(name).lineWidth")))
    members["lineCap"] = .text(layer.lineCap == .round ? "round" : layer.lineCap == .square ? "square" : "butt")
    members["lineJoin"] = .text(layer.lineJoin == .round ? "round" : layer.lineJoin == .bevel ? "bevel" : "miter")
    if let dash = layer.lineDashPattern, !dash.isEmpty {
      members["dash"] = .list(dash.map { .number($0.doubleValue) })
      members["dashPhase"] = .number(Double(try layer.lineDashPhase.checked("\(name).lineDashPhase")))
    }
    members["strokeStart"] = .number(min(max(Double(try layer.strokeStart.checked("\(name).strokeStart")), 0), 1))
    members["strokeEnd"] = .number(min(max(Double(try layer.strokeEnd.checked("\(name).strokeEnd")), 0), 1))
    return true
  }

  /// The path as SVG has it, counted from the corner of the layer's bounds.
  private static func outline(_ path: CGPath, _ origin: CGPoint) -> String {
    var words: [String] = []
    func add(_ letter: String, _ points: [CGPoint]) {
      words.append(letter)
      for point in points {
        words.append(DocumentValue.number(Double(point.x - origin.x)).json)
        words.append(DocumentValue.number(Double(point.y - origin.y)).json)
      }
    }
    unsafe path.applyWithBlock { pointer in
      let element = unsafe pointer.pointee
      let points = unsafe element.points
      switch unsafe element.type {
      case .moveToPoint: add("M", [unsafe points[0]])
      case .addLineToPoint: add("L", [unsafe points[0]])
      case .addQuadCurveToPoint: add("Q", [unsafe points[0], unsafe points[1]])
      case .addCurveToPoint: add("C", [unsafe points[0], unsafe points[1], unsafe points[2]])
      case .closeSubpath: add("Z", [])
      @unknown default: break
      }
    }
    return words.joined(separator: " ")
  }

  private func addGradient(
    _ layer: CAGradientLayer, _ name: String, to members: inout [String: DocumentValue]
  ) throws(SpoolClientError) -> Bool {
    guard let colors = layer.colors, !colors.isEmpty else { return false }
    guard colors.count > 1, layer.locations.map({ $0.count == colors.count }) ?? true else {
      throw SpoolClientError(property: "\(name).colors", reason: "must be two or more, and as many as the locations")
    }
    let kinds: [CAGradientLayerType: String] = [.axial: "linear", .radial: "radial", .conic: "conic"]
    guard let kind = kinds[layer.type] else {
      throw SpoolClientError(property: "\(name).type", reason: "\(layer.type.rawValue) is not known")
    }
    var list: [DocumentValue] = []
    for (index, value) in colors.enumerated() { list.append(try Self.anyColor(value, "\(name).colors[\(index)]")) }
    var gradient: [String: DocumentValue] = [
      "kind": .text(kind), "colors": .list(list), "start": .numbers([layer.startPoint.x, layer.startPoint.y]),
      "end": .numbers([layer.endPoint.x, layer.endPoint.y]),
    ]
    if let locations = layer.locations { gradient["locations"] = .list(locations.map { .number($0.doubleValue) }) }
    members["gradient"] = .object(gradient)
    return true
  }

  /// A colour that stands where Core Animation takes anything.
  static func anyColor(_ value: Any, _ property: String) throws(SpoolClientError) -> DocumentValue {
    guard let value = graphicsColor(value) else {
      throw SpoolClientError(property: property, reason: "\(type(of: value)) is not a CGColor")
    }
    return try color(value, property)
  }

  private mutating func addPicture(
    of layer: CALayer, isDown: Bool, _ name: String, to members: inout [String: DocumentValue]
  ) throws(SpoolClientError) -> Bool {
    guard let contents = layer.contents else { return false }
    guard let image = graphicsImage(contents) else {
      throw SpoolClientError(property: "\(name).contents", reason: "\(type(of: contents)) is not a CGImage")
    }
    members["gravity"] = .text(try gravity(of: layer, image, isDown: isDown, name))
    members["image"] = .text(self.name(of: image))
    let part = layer.contentsRect
    if part != CGRect(x: 0, y: 0, width: 1, height: 1) {
      members["contentsRect"] = .numbers([part.minX, part.minY, part.width, part.height])
    }
    return true
  }

  /// The gravity as documents have it, where places are named as they are seen.
  private func gravity(of layer: CALayer, _ image: CGImage, isDown: Bool, _ name: String) throws(SpoolClientError) -> String {
    let (width, height) = (CGFloat(image.width) * layer.contentsRect.width, CGFloat(image.height) * layer.contentsRect.height)
    let isLarger = width > layer.bounds.width || height > layer.bounds.height
    func placed(_ gravity: String) throws(SpoolClientError) -> String {
      guard layer.contentsScale == 1 else {
        throw SpoolClientError(
          property: "\(name).contentsScale", reason: "must be 1 with contentsGravity \(layer.contentsGravity.rawValue)")
      }
      // A document's picture is cut off at its frame.
      guard layer.masksToBounds || !isLarger else {
        throw SpoolClientError(property: "\(name).masksToBounds", reason: "must be true where the picture goes beyond the bounds")
      }
      return gravity
    }
    switch layer.contentsGravity {
    case .resize: return "resize"
    case .resizeAspect: return "resizeAspect"
    case .resizeAspectFill:
      guard layer.masksToBounds || abs(width * layer.bounds.height - height * layer.bounds.width) < 1e-6 else {
        throw SpoolClientError(property: "\(name).masksToBounds", reason: "must be true where the picture goes beyond the bounds")
      }
      return "resizeAspectFill"
    case .center: return try placed("center")
    case .left: return try placed("left")
    case .right: return try placed("right")
    case .top: return try placed(isDown ? "bottom" : "top")
    case .bottom: return try placed(isDown ? "top" : "bottom")
    case .topLeft: return try placed(isDown ? "bottomLeft" : "none")
    case .topRight: return try placed(isDown ? "bottomRight" : "topRight")
    case .bottomLeft: return try placed(isDown ? "none" : "bottomLeft")
    case .bottomRight: return try placed(isDown ? "topRight" : "bottomRight")
    default:
      throw SpoolClientError(property: "\(name).contentsGravity", reason: "\(layer.contentsGravity.rawValue) is not known")
    }
  }
}

/// The side from which a text is read: the right one of Arabic, Hebrew and other such scripts, by the first letter of each paragraph.
///
/// - Throws: an error that names the layer where paragraphs differ, which one alignment cannot say.
private func readingSide(of text: String, _ name: String) throws(SpoolClientError) -> String {
  func isFromRight(_ letter: Unicode.Scalar) -> Bool? {
    switch letter.value {
    case 0x200E: false
    case 0x200F: true
    case _ where !letter.properties.isAlphabetic: nil
    case 0x590...0x8FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x10800...0x10FFF, 0x1E800...0x1EFFF: true
    default: false
    }
  }
  let sides = Set(text.split(whereSeparator: \.isNewline).compactMap { $0.unicodeScalars.lazy.compactMap(isFromRight).first })
  guard sides.count < 2 else {
    throw SpoolClientError(
      property: "\(name).alignmentMode", reason: "is natural, of paragraphs that are read from different sides")
  }
  return sides.contains(true) ? "right" : "left"
}
