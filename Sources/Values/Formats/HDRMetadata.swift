/// The facts about a picture of high dynamic range that a display may be told. They change no sample.
package struct HDRMetadata: Hashable, Sendable, Codable {
  package var masteringDisplay: MasteringDisplay?
  package var contentLight: ContentLight?

  /// Nil where there is nothing to tell.
  package init?(masteringDisplay: MasteringDisplay?, contentLight: ContentLight?) {
    guard masteringDisplay != nil || contentLight != nil else { return nil }
    (self.masteringDisplay, self.contentLight) = (masteringDisplay, contentLight)
  }
}

/// The display that a picture was graded on (SMPTE ST 2086, `mdcv`).
package struct MasteringDisplay: Hashable, Sendable, Codable {
  /// The CIE 1931 chromaticities of the primaries and of white, x and y.
  package let red: SIMD2<Double>
  package let green: SIMD2<Double>
  package let blue: SIMD2<Double>
  package let white: SIMD2<Double>
  /// The luminance of its black and of its white, in cd/m².
  package let luminance: ClosedRange<Double>

  /// The peak luminance of PQ, in cd/m².
  package static let brightest = 10_000.0

  /// The number of units that stand for a chromaticity of 1, and for 1 cd/m². Streams and files count in these units.
  package static let (chromaticityUnits, luminanceUnits) = (50_000.0, 10_000.0)

  /// Makes the value, rounded to the units that streams and files count in.
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

/// The brightness of a movie's brightest parts (CTA-861.3, `clli`), in cd/m²; 0 is unknown.
package struct ContentLight: Hashable, Sendable, Codable {
  /// The light of the brightest sample (MaxCLL).
  package let maximum: Int
  /// The mean light of the brightest frame (MaxFALL).
  package let frameAverage: Int

  package init(maximum: Int, frameAverage: Int) {
    (self.maximum, self.frameAverage) = (maximum, frameAverage)
  }
}
