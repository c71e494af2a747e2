internal import Formats
internal import Timeline

extension Layer {
  /// The layer as it is seen with a size that may have no area: then it shows nothing itself but an outline and what stands on
  /// it. It is nil where that is cut off, too.
  func ofArea(_ size: Point) -> Layer? {
    guard size.x <= 0 || size.y <= 0 else { return self }
    guard !style.masksToBounds else { return nil }
    var layer = self
    if case .shape(let shape)? = content, case .path = shape.outline {} else { layer.content = nil }
    (layer.style.backgroundColor, layer.style.borderWidth, layer.style.backdropFilters) = (Envelope(), Envelope(), [])
    return layer
  }

  /// Whether the layer is laid over the picture as one, with all that stands on it.
  var isOnePicture: Bool {
    mask != nil || style.masksToBounds || style.shadow != nil || !opacity.keyframes.isEmpty || !style.filters.isEmpty
      || !style.borderWidth.keyframes.isEmpty || sublayers.contains { $0.style.blendMode != .normal }
  }

  /// Whether something is drawn of the layer itself.
  var hasOwnPicture: Bool { content != nil || !style.backgroundColor.keyframes.isEmpty }
}
