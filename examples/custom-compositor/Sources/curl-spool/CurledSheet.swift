/// A sheet that lies flat up to a line, and from there on is rolled half around a cylinder and led back over itself.
///
/// Seen from above. Only sums, products, quotients and square roots are used, whose results IEEE 754 fixes to the last bit, so
/// that every machine draws the same frame.
struct CurledSheet {
  /// What is seen at a pixel, and how much light falls there.
  enum Sight {
    case ground(light: Double)
    case front(Double, Double, light: Double)
    case back(Double, Double, light: Double)
  }

  private let width: Double
  private let height: Double
  private let radius: Double
  /// Across the roll, of length 1.
  private let direction: (x: Double, y: Double)
  /// The place where the flat part ends, along the direction.
  private let edge: Double

  /// - Parameters:
  ///   - radius: in heights.
  ///   - progress: 0 is flat; at 1 the whole sheet has left the frame.
  init(width: Int, height: Int, radius: Double, slant: Double, progress: Double) {
    (self.width, self.height, self.radius) = (Double(width), Double(height), radius * Double(height))
    let length = (1 + slant * slant).squareRoot()
    direction = (1 / length, slant / length)
    // Along the direction, the frame's first corner and its last.
    let (across, down) = (Double(width) / length, Double(height) * slant / length)
    let (first, last) = (min(0, down), across + max(0, down))
    // Eased: a page is lifted slowly and let go slowly.
    let eased = progress * progress * (3 - 2 * progress)
    edge = last + (first - self.radius - last) * eased
  }

  /// The values of every pixel, row by row.
  func sights() -> [Sight] {
    (0..<Int(height)).flatMap { y in (0..<Int(width)).map { x in sight(Double(x), Double(y)) } }
  }

  private func sight(_ x: Double, _ y: Double) -> Sight {
    /// How far the pixel lies beyond the edge of the flat part.
    let beyond = x * direction.x + y * direction.y - edge
    if beyond > radius { return .ground(light: shade(beyond: beyond - radius)) }
    let angle = beyond > 0 ? arcsine(beyond / radius) : 0
    // The upper half of the roll and what is led back over the sheet hide the rest.
    let upper = beyond > 0 ? radius * (.pi - angle) : radius * .pi - beyond
    if let place = place(x, y, moved: upper - beyond) {
      let height = beyond > 0 ? (1 - (beyond / radius) * (beyond / radius)).squareRoot() : 1
      return .back(place.x, place.y, light: 0.75 + 0.25 * height)
    }
    guard beyond > 0 else { return .front(x, y, light: shade(beside: x, y, beyond)) }
    guard let place = place(x, y, moved: radius * angle - beyond) else { return .ground(light: shade(beyond: 0)) }
    return .front(place.x, place.y, light: 1 - 0.35 * beyond / radius)
  }

  /// The point of the sheet so far along the direction; nil beyond its edges.
  private func place(_ x: Double, _ y: Double, moved distance: Double) -> (x: Double, y: Double)? {
    let place = (x: x + direction.x * distance, y: y + direction.y * distance)
    let isOnSheet = place.x >= 0 && place.x <= width - 1 && place.y >= 0 && place.y <= height - 1
    return isOnSheet ? place : nil
  }

  /// The roll's shadow on what lies beyond it.
  private func shade(beyond distance: Double) -> Double {
    let reach = 2.5 * radius
    guard distance < reach else { return 1 }
    let nearness = 1 - distance / reach
    return 1 - 0.45 * nearness * nearness
  }

  /// The shadow on the flat sheet of what is led back over it, from just beside it.
  private func shade(beside x: Double, _ y: Double, _ beyond: Double) -> Double {
    let (reach, steps) = (0.6 * radius, 4)
    for step in 1...steps {
      let distance = reach * Double(step) / Double(steps)
      // So much nearer to the roll, is there a back?
      let isBeside = beyond + distance <= 0 && place(x, y, moved: radius * .pi - 2 * beyond - distance) != nil
      if isBeside { return 0.7 + 0.3 * Double(step) / Double(steps + 1) }
    }
    return 1
  }

  /// For 0...1, within 0.0001 (Abramowitz and Stegun 4.4.45).
  private func arcsine(_ value: Double) -> Double {
    let polynomial = 1.5707288 + value * (-0.2121144 + value * (0.0742610 - value * 0.0187293))
    return .pi / 2 - (1 - value).squareRoot() * polynomial
  }
}
