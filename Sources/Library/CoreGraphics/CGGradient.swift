internal import CCairo

public struct CGGradientDrawingOptions: OptionSet, Hashable, Sendable {
  public let rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }
  public static let drawsBeforeStartLocation = CGGradientDrawingOptions(rawValue: 1)
  public static let drawsAfterEndLocation = CGGradientDrawingOptions(rawValue: 2)
}

/// Colours at places between 0 and 1, which pass into each other.
/// - Partly: colours pass into each other in the space of what is drawn on
public final class CGGradient: Sendable {
  private let stops: [(location: CGFloat, color: CGColor)]

  /// Makes a gradient of colours.
  ///
  /// - Parameters:
  ///   - space: the space; colours pass into each other in the space of what is drawn on here.
  ///   - locations: the address of as many places as there are colours; nil for equal distances.
  /// - Returns: nil without colours, and where something is none.
  public init?(colorsSpace space: CGColorSpace?, colors: CFArray, locations: UnsafePointer<CGFloat>?) {
    let made = colors.compactMap(color(of:))
    guard !made.isEmpty, made.count == colors.count else { return nil }
    let places = unsafe locations.map { unsafe Array(UnsafeBufferPointer(start: $0, count: made.count)) }
    stops = made.enumerated().map { index, color in
      (places?[index] ?? (made.count == 1 ? 0 : CGFloat(index) / CGFloat(made.count - 1)), color)
    }
  }

  /// Makes a gradient of colours by their parts, one after the other.
  public init?(
    colorSpace space: CGColorSpace, colorComponents components: UnsafePointer<CGFloat>, locations: UnsafePointer<CGFloat>?,
    count: Int
  ) {
    guard count > 0 else { return nil }
    let size = space.numberOfComponents + 1
    var made: [(CGFloat, CGColor)] = []
    for index in 0..<count {
      guard let color = unsafe CGColor(colorSpace: space, components: components + index * size) else { return nil }
      made.append((unsafe locations?[index] ?? (count == 1 ? 0 : CGFloat(index) / CGFloat(count - 1)), color))
    }
    stops = made
  }

  @unsafe func addStops(to pattern: OpaquePointer, in space: CGColorSpace) {
    for stop in stops {
      let parts = stop.color.parts(in: space).map(Double.init)
      unsafe cairo_pattern_add_color_stop_rgba(pattern, Double(stop.location), parts[0], parts[1], parts[2], parts[3])
    }
  }
}
