/// What a display may be told of a picture of high dynamic range as a whole. It changes no sample.
package struct HDRMetadata: Hashable, Sendable, Codable {
  package var masteringDisplay: MasteringDisplay?
  package var contentLight: ContentLight?

  /// Nil where nothing is told.
  package init?(masteringDisplay: MasteringDisplay?, contentLight: ContentLight?) {
    guard masteringDisplay != nil || contentLight != nil else { return nil }
    (self.masteringDisplay, self.contentLight) = (masteringDisplay, contentLight)
  }
}

/// The display that a picture was graded on (SMPTE ST 2086, `mdcv`).
package struct MasteringDisplay: Hashable, Sendable, Codable {
  /// CIE 1931 chromaticities, x and y.
  package let red: SIMD2<Double>
  package let green: SIMD2<Double>
  package let blue: SIMD2<Double>
  package let white: SIMD2<Double>
  /// From its black to its white, in cd/m².
  package let luminance: ClosedRange<Double>

  /// PQ's peak, in cd/m².
  package static let brightest = 10_000.0

  /// Units a chromaticity of 1, and units a cd/m²: what streams and files count in.
  package static let (chromaticityUnits, luminanceUnits) = (50_000.0, 10_000.0)

  /// Rounds to what streams and files can tell.
  package init(
    red: SIMD2<Double>, green: SIMD2<Double>, blue: SIMD2<Double>, white: SIMD2<Double>, luminance: ClosedRange<Double>
  ) {
    func rounded(_ point: SIMD2<Double>) -> SIMD2<Double> {
      (point * Self.chromaticityUnits).rounded(.toNearestOrAwayFromZero) / Self.chromaticityUnits
    }
    func rounded(_ luminance: Double) -> Double { (luminance * Self.luminanceUnits).rounded() / Self.luminanceUnits }
    (self.red, self.green, self.blue, self.white) = (rounded(red), rounded(green), rounded(blue), rounded(white))
    self.luminance = rounded(luminance.lowerBound)...rounded(luminance.upperBound)
  }
}

/// How bright the brightest of a movie is (CTA-861.3, `clli`), in cd/m²; 0 is unknown.
package struct ContentLight: Hashable, Sendable, Codable {
  /// Of the brightest sample (MaxCLL).
  package let maximum: Int
  /// On average over the brightest frame (MaxFALL).
  package let frameAverage: Int

  package init(maximum: Int, frameAverage: Int) {
    (self.maximum, self.frameAverage) = (maximum, frameAverage)
  }
}
