/// The mix of a source's channels into those of a layout. docs/export.md states it.
///
/// A channel whose place the layout has goes there as it is. Every other one is folded to places near its own, step by step: those
/// above to the places below them, the back and the sides to the front (ITU-R BS.775), the front into the middle. Nothing is scaled
/// down against overload: samples are float, and levels are decided when tracks are mixed.
package struct ChannelMatrix {
  /// A place, and the factor with which a channel is heard there.
  private typealias Share = (place: ChannelPlace, factor: Double)

  private let source: Set<ChannelPlace>
  private let target: Set<ChannelPlace>

  /// -3 dB: the factor by which one of two places has half of the power.
  private static let half = 0.5.squareRoot()

  /// The factors of the source's channels for each channel of a layout.
  ///
  /// - Parameter source: the places of the source's channels. A single one is mono, wherever it lies.
  package static func rows(
    from source: [ChannelPlace], to layout: AudioCodecSettings.ChannelLayout
  ) -> [[Double]] {
    let places = layout.places
    switch (source.count, layout) {
    case (1, .stereo): return [[1], [1]]
    case (1, _): return places.map { [$0 == .frontCenter ? 1 : 0] }
    // The mean of two does not overload where both are alike, as they mostly are.
    case (2, .mono): return [[0.5, 0.5]]
    default: break
    }
    let matrix = ChannelMatrix(source: Set(source), target: Set(places))
    let columns = source.map { matrix.shares(of: matrix.meant($0)) }
    return places.map { place in columns.map { shares in shares.reduce(0.0) { $1.place == place ? $0 + $1.factor : $0 } } }
  }

  /// The place that a source's channel is meant for. FFmpeg names the surround channels of 5.1 for the back. Where the layout has sides
  /// and a back, and the source no sides, they lie at the sides.
  private func meant(_ place: ChannelPlace) -> ChannelPlace {
    guard target.contains(.sideLeft), target.contains(.backLeft), !source.contains(.sideLeft) else { return place }
    return place == .backLeft ? .sideLeft : place == .backRight ? .sideRight : place
  }

  /// The places of the layout at which a channel is heard.
  private func shares(of place: ChannelPlace) -> [Share] {
    if target.contains(place) { return [(place, 1)] }
    return fold(place).flatMap { step in shares(of: step.place).map { (place: $0.place, factor: $0.factor * step.factor) } }
  }

  /// The places to which one that the layout lacks is folded. Each of them is nearer to the middle in front, which all layouts have
  /// or fold into two that they have.
  private func fold(_ place: ChannelPlace) -> [Share] {
    let half = Self.half
    return switch place {
    case .frontLeft, .frontRight: [(.frontCenter, half)]
    case .frontCenter: [(.frontLeft, half), (.frontRight, half)]
    case .frontLeftOfCenter, .wideLeft, .stereoLeft: [(.frontLeft, 1)]
    case .frontRightOfCenter, .wideRight, .stereoRight: [(.frontRight, 1)]
    case .bottomFrontLeft: [(.frontLeft, half)]
    case .bottomFrontCenter: [(.frontCenter, half)]
    case .bottomFrontRight: [(.frontRight, half)]
    case .surroundDirectLeft: [(.sideLeft, 1)]
    case .surroundDirectRight: [(.sideRight, 1)]
    case .backLeft: [target.contains(.sideLeft) ? (.sideLeft, besides(.sideLeft)) : (.frontLeft, half)]
    case .backRight: [target.contains(.sideRight) ? (.sideRight, besides(.sideRight)) : (.frontRight, half)]
    case .sideLeft: [target.contains(.backLeft) ? (.backLeft, besides(.backLeft)) : (.frontLeft, half)]
    case .sideRight: [target.contains(.backRight) ? (.backRight, besides(.backRight)) : (.frontRight, half)]
    case .backCenter: foldBackCenter
    case .lowFrequency: []
    case .secondLowFrequency: target.contains(.lowFrequency) ? [(.lowFrequency, 1)] : []
    default: target.contains(.topFrontLeft) ? foldAbove(place) : foldDown(place)
    }
  }

  /// The factor of a channel that is added to the place of another: -3 dB where the source has that one, too.
  private func besides(_ place: ChannelPlace) -> Double { source.contains(place) ? Self.half : 1 }

  private var foldBackCenter: [Share] {
    if target.contains(.backLeft) { return [(.backLeft, Self.half), (.backRight, Self.half)] }
    if target.contains(.sideLeft) { return [(.sideLeft, Self.half), (.sideRight, Self.half)] }
    return target.contains(.frontLeft) ? [(.frontLeft, 0.5), (.frontRight, 0.5)] : [(.frontCenter, 0.5)]
  }

  /// The places above among which one above is shared out.
  private func foldAbove(_ place: ChannelPlace) -> [Share] {
    let half = Self.half
    return switch place {
    case .topFrontCenter: [(.topFrontLeft, half), (.topFrontRight, half)]
    case .topBackCenter: [(.topBackLeft, half), (.topBackRight, half)]
    case .topSideLeft: [(.topFrontLeft, half), (.topBackLeft, half)]
    case .topSideRight: [(.topFrontRight, half), (.topBackRight, half)]
    default: [(.topFrontLeft, 0.5), (.topFrontRight, 0.5), (.topBackLeft, 0.5), (.topBackRight, 0.5)]
    }
  }

  /// The places below one above.
  private func foldDown(_ place: ChannelPlace) -> [Share] {
    let half = Self.half
    return switch place {
    case .topFrontLeft: [(.frontLeft, half)]
    case .topFrontCenter: [(.frontCenter, half)]
    case .topFrontRight: [(.frontRight, half)]
    case .topSideLeft: [(.sideLeft, half)]
    case .topSideRight: [(.sideRight, half)]
    case .topBackLeft: [(.backLeft, half)]
    case .topBackCenter: [(.backCenter, half)]
    case .topBackRight: [(.backRight, half)]
    default: [(.frontLeft, 0.5), (.frontRight, 0.5)]
    }
  }
}
