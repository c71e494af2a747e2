internal import Formats
internal import JSON
internal import Timeline

/// The way in which the outlines before it in a list are one area.
struct LottieMerge {
  enum Mode: Int {
    case add = 2
    /// The outlines below are cut out of the topmost outline.
    case subtract, intersect
    /// The area that an odd number of outlines covers.
    case exclude
  }

  let path: JSONPath
  let mode: Mode

  /// The area as a mask.
  ///
  /// - Parameter shapes: the outlines, filled with white, bottommost first; at least one.
  func mask(_ shapes: [ShapeContent], _ field: LottieMask) -> (mask: Layer, mode: MaskMode) {
    let parts = shapes.map { Layer(content: .shape($0)) }
    switch mode {
    case .add: return (field.plane(parts), .alpha)
    case .subtract:
      let cut = shapes.dropLast().map { shape in
        var shape = shape
        shape.fillColor = .black
        return Layer(content: .shape(shape))
      }
      return (field.plane(parts.suffix(1) + cut), .luminance)
    case .intersect:
      let others = parts.dropFirst().map { part in
        var other = field.plane([field.sheet(.black), part])
        other.style.blendMode = .multiply
        return other
      }
      return (field.plane([field.sheet(.black)] + parts.prefix(1) + others), .luminance)
    case .exclude:
      let differing = parts.map { part in
        var part = part
        part.style.blendMode = .difference
        return part
      }
      return (field.plane([field.sheet(.black)] + differing), .luminance)
    }
  }
}
