internal import Formats
internal import JSON
internal import MediaTime
internal import Timeline

/// Reads the contents of layers.
extension DocumentReader {
  func imageContent(_ object: DocumentObject) -> ImageContent? {
    let asset = object["image"].flatMap(stillPicture)
    let gravity = object["gravity"].map { self.gravity($0) } ?? .resizeAspect
    let contentsRect = envelope(object["contentsRect"], neutral: ImageContent.whole, shares)
    guard let asset, let gravity else { return nil }
    return ImageContent(asset: asset, gravity: gravity, contentsRect: contentsRect)
  }

  /// A part of a picture `[x, y, width, height]`, as shares of its width and height.
  private func shares(_ node: DocumentNode) -> Rect? {
    guard let terms = node.numbers(["x", "y", "width", "height"], in: 0...1) else { return nil }
    guard terms[2] > 0, terms[3] > 0 else { return node.refuse(because: "has no area: width and height must be positive") }
    guard terms[0] + terms[2] <= 1 + Self.rounding, terms[1] + terms[3] <= 1 + Self.rounding else {
      return node.refuse(because: "reaches beyond the picture, whose width and height count as 1")
    }
    return Rect(terms[0], terms[1], terms[2], terms[3])
  }

  /// The error that sums of decimals such as 0.7 + 0.3 may have.
  private static let rounding = 1e-9

  func movingContent(_ object: DocumentObject) -> MovingContent? {
    let gravity = object["gravity"].map { self.gravity($0) } ?? .resizeAspect
    let source: MovingContent.Source?
    if let node = object["video"] {
      guard node.bool() == true else { return node.refuse(because: "is true where it stands: leave it out otherwise") }
      source = .video
    } else {
      source = object["track"].flatMap { trackID($0, .video) }.map { .track($0) }
    }
    guard let source, let gravity else { return nil }
    return MovingContent(source, gravity: gravity)
  }

  // MARK: - Shapes and gradients

  func shapeContent(_ object: DocumentObject) -> ShapeContent? {
    guard let outline = object["shape"].flatMap({ shapeOutline($0, object) }) else { return nil }
    let (fill, stroke) = (object["fillColor"].flatMap(color), object["strokeColor"].flatMap(color))
    if object["fillColor"] == nil, object["strokeColor"] == nil {
      object.node.note("is seen by nothing: give it a \"fillColor\" or a \"strokeColor\"")
    }
    let usual = ShapeContent(outline: outline)
    let dash = (object["dash"]?.elements(atMost: DocumentLimits.dashes) ?? []).compactMap {
      $0.number(in: DocumentLimits.lineWidth)
    }
    if let node = object["dash"], !dash.contains(where: { $0 > 0 }) { node.note("needs a length above 0") }
    return ShapeContent(
      outline: outline, fillColor: fill,
      fillRule: object["fillRule"].flatMap { $0.choice(ShapeContent.FillRule.self) } ?? usual.fillRule, strokeColor: stroke,
      lineWidth: object["lineWidth"].flatMap { $0.number(in: DocumentLimits.lineWidth) } ?? usual.lineWidth,
      lineCap: object["lineCap"].flatMap { $0.choice(ShapeContent.LineCap.self) } ?? usual.lineCap,
      lineJoin: object["lineJoin"].flatMap { $0.choice(ShapeContent.LineJoin.self) } ?? usual.lineJoin, dash: dash,
      dashPhase: object["dashPhase"].flatMap { $0.number(in: DocumentLimits.coordinate) } ?? 0,
      strokeStart: envelope(object["strokeStart"], neutral: 0) { $0.number(in: 0...1) },
      strokeEnd: envelope(object["strokeEnd"], neutral: 1) { $0.number(in: 0...1) })
  }

  private func shapeOutline(_ node: DocumentNode, _ layer: DocumentObject) -> ShapeContent.Outline? {
    if case .string(let name) = node.value {
      switch name {
      case "rectangle": return .rectangle
      case "ellipse": return .ellipse
      default: return node.refuse(name, among: ["rectangle", "ellipse"])
      }
    }
    guard let object = DocumentObject(.shapeOutline, node) else { return nil }
    guard let path = object["path"], let text = path.string(atMost: DocumentLimits.pathLengthInText) else { return nil }
    do throws(VectorPath.Fault) {
      return .path(try VectorPath(svg: text, atMost: DocumentLimits.pathElements))
    } catch { return path.refuse(because: error.reason) }
  }

  func gradientContent(_ node: DocumentNode) -> GradientContent? {
    guard let object = DocumentObject(.gradient, node) else { return nil }
    let kind = object["kind"].map { $0.choice(GradientContent.Kind.self) } ?? .linear
    guard let nodes = object["colors"]?.elements(atMost: DocumentLimits.gradientStops) else { return nil }
    guard nodes.count >= 2 else { return object["colors"]?.refuse(because: "needs at least two colours") }
    let colors = nodes.compactMap(color)
    var locations = colors.indices.map { Double($0) / Double(nodes.count - 1) }
    if let node = object["locations"] {
      let names = nodes.indices.map { "place of colour \($0 + 1)" }
      guard let given = node.numbers(names, in: 0...1) else { return nil }
      guard zip(given, given.dropFirst()).allSatisfy({ $0 <= $1 }) else { return node.refuse(because: "must not fall") }
      locations = given
    }
    let middle = LayerGeometry.middle
    let start = object["start"].map { point($0, in: DocumentLimits.overshoot) } ?? (kind == .radial ? middle : Point(0.5, 0))
    let end = object["end"].map { point($0, in: DocumentLimits.overshoot) } ?? Point(kind == .radial ? 1 : 0.5, 1)
    guard let kind, let start, let end, colors.count == nodes.count else { return nil }
    guard kind == .linear ? start != end : start.x != end.x && start.y != end.y else {
      return (object["end"] ?? node).refuse(because: "leaves the gradient no length: start and end must differ")
    }
    return GradientContent(kind, stops: zip(locations, colors).map { GradientContent.Stop($0, $1) }, start: start, end: end)
  }
}
