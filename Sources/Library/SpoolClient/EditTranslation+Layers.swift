internal import AVFoundation

extension EditTranslation {
  /// Adds the layers over the video.
  ///
  /// - Parameter renderSize: that of the video composition; nil where there is none.
  mutating func add(_ layers: SpoolLayers, renderSize: CGSize?) throws(SpoolClientError) {
    let (root, video) = (layers.animationLayer, layers.videoLayer)
    guard let renderSize else {
      throw SpoolClientError(property: "layers", reason: "need a video composition, whose renderSize says how large the frame is")
    }
    let whole = CGRect(origin: .zero, size: renderSize)
    try requirePlain(root, whole, "animationLayer")
    guard root.opacity == 1, !root.isHidden else {
      throw SpoolClientError(property: "animationLayer.opacity", reason: "must be 1")
    }
    if root === video {
      members["layers"] = .list(try standing(on: root, isDown: root.isGeometryFlipped, "animationLayer"))
      return
    }
    guard !Self.changesOrder(root) else {
      throw SpoolClientError(
        property: "animationLayer.sublayers", reason: "change their zPosition beside the video's layer, which is not said")
    }
    let ordered = Self.ordered(root)
    guard let place = ordered.firstIndex(where: { $0 === video }) else {
      throw SpoolClientError(property: "videoLayer", reason: "must stand on the animation layer, or be that layer")
    }
    // A video that fills the frame needs no layer of its own, and covers those below it.
    try requirePlain(video, whole, "videoLayer")
    guard video.opacity == 1, !video.isHidden else {
      throw SpoolClientError(property: "videoLayer.opacity", reason: "must be 1, and the layer not hidden")
    }
    let isDown = root.isGeometryFlipped
    var list = try standing(on: video, isDown: isDown != video.isGeometryFlipped, "videoLayer")
    for (index, layer) in ordered.enumerated() where index > place {
      if let layer = try self.layer(layer, on: root, isDown: isDown, "animationLayer.sublayers[\(index)]") { list.append(layer) }
    }
    members["layers"] = .list(list)
  }

  /// Refuses a layer that shows something itself, or does not fill the frame.
  private func requirePlain(_ layer: CALayer, _ whole: CGRect, _ name: String) throws(SpoolClientError) {
    guard layer.frame == whole, layer.bounds.origin == .zero, CATransform3DIsIdentity(layer.transform) else {
      throw SpoolClientError(property: "\(name).frame", reason: "\(layer.frame) must be the whole frame, \(whole)")
    }
    let isBare =
      layer.mask == nil && layer.contents == nil && layer.shadowOpacity == 0 && layer.borderWidth == 0 && layer.cornerRadius == 0
      && (layer.animationKeys() ?? []).isEmpty
    guard isBare, !(layer is CATextLayer), !(layer is CAShapeLayer), !(layer is CAGradientLayer) else {
      throw SpoolClientError(
        property: name,
        reason: "must be a plain CALayer without animations, a mask, contents, a shadow, a border or round corners")
    }
  }

  /// The layers that stand on one, bottommost first; in the order of their list where that changes.
  private static func ordered(_ layer: CALayer) -> [CALayer] {
    if changesOrder(layer) { return layer.sublayers ?? [] }
    return (layer.sublayers ?? []).enumerated().sorted { ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset) }
      .map(\.element)
  }

  /// Whether the order of the layers that stand on one changes.
  private static func changesOrder(_ layer: CALayer) -> Bool {
    func isOf(_ animation: CAAnimation) -> Bool {
      switch animation {
      case let group as CAAnimationGroup: (group.animations ?? []).contains(where: isOf)
      case let property as CAPropertyAnimation: property.keyPath == "zPosition"
      default: false
      }
    }
    return (layer.sublayers ?? []).contains { child in
      (child.animationKeys() ?? []).contains { child.animation(forKey: $0).map(isOf) ?? false }
    }
  }

  private mutating func standing(on layer: CALayer, isDown: Bool, _ name: String) throws(SpoolClientError) -> [DocumentValue] {
    var list: [DocumentValue] = []
    for (index, child) in Self.ordered(layer).enumerated() {
      if let child = try self.layer(child, on: layer, isDown: isDown, "\(name).sublayers[\(index)]") { list.append(child) }
    }
    return list
  }

  /// The layer; nil where it is hidden or shows nothing.
  ///
  /// - Parameter isDown: whether y grows downwards in the coordinates of what it stands on.
  private mutating func layer(
    _ layer: CALayer, on parent: CALayer, isDown: Bool, _ name: String
  ) throws(SpoolClientError) -> DocumentValue? {
    let animations = try LayerAnimations(layer, name)
    guard !layer.isHidden || animations.changesHidden else { return nil }
    try requirePlainTime(layer, name)
    try requireKnown(layer, name)
    let origin = parent.bounds.origin
    var members: [String: DocumentValue] = ["origin": .text(isDown ? "topLeft" : "bottomLeft")]
    let isShown = try addContent(of: layer, isDown: isDown, name, to: &members)
    try addGeometry(of: layer, origin, name, to: &members)
    try addStyle(of: layer, name, to: &members)
    if Self.changesOrder(parent) { members["zPosition"] = .number(Double(try layer.zPosition.checked("\(name).zPosition"))) }
    try animations.add(to: &members, origin: origin)
    let children = try standing(on: layer, isDown: isDown != layer.isGeometryFlipped, name)
    if !children.isEmpty { members["layers"] = .list(children) }
    guard isShown || !children.isEmpty || members["backgroundColor"] != nil || members["borderWidth"] != nil else { return nil }
    if let mask = layer.mask {
      // A mask that shows nothing hides the layer.
      guard let mask = try self.layer(mask, on: layer, isDown: isDown != layer.isGeometryFlipped, "\(name).mask") else {
        return nil
      }
      members["mask"] = mask
    }
    return .object(members)
  }

  /// Refuses what changes a layer's look and is not said here.
  private func requireKnown(_ layer: CALayer, _ name: String) throws(SpoolClientError) {
    let corners: CACornerMask = [.layerMinXMinYCorner, .layerMaxXMinYCorner, .layerMinXMaxYCorner, .layerMaxXMaxYCorner]
    let unsaid: [(String, Bool)] = [
      ("sublayerTransform", !CATransform3DIsIdentity(layer.sublayerTransform)), ("shadowPath", layer.shadowPath != nil),
      ("filters", layer.filters?.isEmpty == false), ("backgroundFilters", layer.backgroundFilters?.isEmpty == false),
      ("compositingFilter", layer.compositingFilter != nil),
      ("maskedCorners", layer.cornerRadius > 0 && layer.maskedCorners != corners),
      ("isDoubleSided", !layer.isDoubleSided), ("anchorPointZ", layer.anchorPointZ != 0),
      ("minificationFilter", layer.minificationFilter == .nearest),
      ("magnificationFilter", layer.magnificationFilter == .nearest),
      ("contentsCenter", layer.contentsCenter != CGRect(x: 0, y: 0, width: 1, height: 1)),
      ("cornerCurve", layer.cornerCurve != .circular),
    ]
    for (property, isSet) in unsaid where isSet {
      throw SpoolClientError(property: "\(name).\(property)", reason: "is not said")
    }
    guard !(layer is CAReplicatorLayer), !(layer is CATransformLayer), !(layer is CAEmitterLayer) else {
      throw SpoolClientError(property: name, reason: "a \(type(of: layer)) is not said")
    }
  }

  private func requirePlainTime(_ layer: CALayer, _ name: String) throws(SpoolClientError) {
    let isPlain =
      (layer.beginTime == 0 || layer.beginTime == AVCoreAnimationBeginTimeAtZero) && layer.timeOffset == 0 && layer.speed == 1
      && !(layer.duration.isFinite && layer.duration > 0)
    guard isPlain else {
      throw SpoolClientError(
        property: "\(name).beginTime", reason: "a layer's own times are not said; give them to its animations")
    }
  }

  private func addGeometry(
    of layer: CALayer, _ origin: CGPoint, _ name: String, to members: inout [String: DocumentValue]
  ) throws(SpoolClientError) {
    let (size, anchor) = (layer.bounds.size, layer.anchorPoint)
    let corner = CGPoint(
      x: layer.position.x - origin.x - anchor.x * size.width, y: layer.position.y - origin.y - anchor.y * size.height)
    var frame: [CGFloat] = []
    for side in [corner.x, corner.y, size.width, size.height] { frame.append(try side.checked("\(name).frame")) }
    members["frame"] = .numbers(frame)
    if anchor != CGPoint(x: 0.5, y: 0.5) { members["anchorPoint"] = .numbers([anchor.x, anchor.y]) }
    let t = layer.transform
    if !CATransform3DIsIdentity(t) {
      if CATransform3DIsAffine(t) {
        let map = CATransform3DGetAffineTransform(t)
        members["transform"] = .numbers([map.a, map.b, map.c, map.d, map.tx, map.ty])
      } else {
        members["transform3D"] = .numbers([
          t.m11, t.m12, t.m13, t.m14, t.m21, t.m22, t.m23, t.m24, t.m31, t.m32, t.m33, t.m34, t.m41, t.m42, t.m43, t.m44,
        ])
      }
    }
  }

  private func addStyle(
    of layer: CALayer, _ name: String, to members: inout [String: DocumentValue]
  ) throws(SpoolClientError) {
    if layer.opacity != 1 { members["opacity"] = .number(min(max(decimal(layer.opacity), 0), 1)) }
    if let color = layer.backgroundColor, color.alpha > 0 {
      members["backgroundColor"] = try Self.color(color, "\(name).backgroundColor")
    }
    if layer.cornerRadius != 0 {
      members["cornerRadius"] = .number(Double(try layer.cornerRadius.checked("\(name).cornerRadius")))
    }
    if layer.borderWidth != 0 {
      members["borderWidth"] = .number(Double(try layer.borderWidth.checked("\(name).borderWidth")))
      members["borderColor"] = try Self.color(layer.borderColor ?? CGColor(gray: 0, alpha: 0), "\(name).borderColor")
    }
    if layer.masksToBounds { members["masksToBounds"] = .flag(true) }
    if layer.shadowOpacity > 0, let shade = layer.shadowColor {
      let seen = shade.copy(alpha: shade.alpha * CGFloat(decimal(layer.shadowOpacity))) ?? shade
      members["shadow"] = .object([
        "color": try Self.color(seen, "\(name).shadowColor"),
        "offset": .numbers([layer.shadowOffset.width, layer.shadowOffset.height]),
        "radius": .number(Double(try layer.shadowRadius.checked("\(name).shadowRadius"))),
      ])
    }
  }
}
