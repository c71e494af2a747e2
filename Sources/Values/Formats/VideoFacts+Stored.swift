// Pictures are stored as a camera held them, and are turned to be seen.
extension VideoFacts {
  /// The size of the picture as it is stored, with square pixels.
  package var storedSides: PixelSize {
    orientation.swapsAxes ? PixelSize(displaySize.height, displaySize.width) : displaySize
  }

  /// The map from the upright picture to the stored one, whose corner is at zero.
  package var uprightToStored: AffineTransform {
    let (w, h) = (Double(storedSides.width), Double(storedSides.height))
    return switch orientation {
    case .up: .identity
    case .mirrored: AffineTransform(-1, 0, 0, 1, w, 0)
    case .rotated180: AffineTransform(-1, 0, 0, -1, w, h)
    case .flipped: AffineTransform(1, 0, 0, -1, 0, h)
    case .transposed: AffineTransform(0, 1, 1, 0, 0, 0)
    case .rotated90: AffineTransform(0, -1, 1, 0, 0, h)
    case .transversed: AffineTransform(0, -1, -1, 0, w, h)
    case .rotated270: AffineTransform(0, 1, -1, 0, w, 0)
    }
  }
}
