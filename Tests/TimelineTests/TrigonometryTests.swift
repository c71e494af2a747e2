import FarmTesting
import Formats
import Glibc
import Testing

@Suite struct `Sines and angles` {
  @Test(arguments: [(0, 0, 1), (90, 1, 0), (180, 0, -1), (270, -1, 0), (-90, -1, 0), (360_000_090, 1, 0), (-450, -1, 0)])
  func `are exact at quarter turns`(_ degrees: Double, _ sine: Double, _ cosine: Double) {
    let found = Trigonometry.sineAndCosine(degrees: degrees)
    #expect(found.sine == sine && found.cosine == cosine)
  }

  @Test func `agree with the C library`() {
    var random = SeededRandom(seed: 1)
    for _ in 0..<10_000 {
      let degrees = Double.random(in: -720...720, using: &random)
      let found = Trigonometry.sineAndCosine(degrees: degrees)
      #expect(abs(found.sine - sin(degrees * .pi / 180)) < 4e-15)
      #expect(abs(found.cosine - cos(degrees * .pi / 180)) < 4e-15)
      let (x, y) = (Double.random(in: -9...9, using: &random), Double.random(in: -9...9, using: &random))
      #expect(abs(Trigonometry.degrees(y: y, x: x) - atan2(y, x) * 180 / .pi) < 1e-12)
    }
  }

  @Test(arguments: [
    (0, 0, 0), (0, 1, 0), (1, 1, 45), (1, 0, 90), (1, -1, 135), (0, -1, 180), (-1, 0, -90), (-1, -1, -135), (-1, 1, -45),
  ])
  func `have angles from -180 to 180`(_ y: Double, _ x: Double, _ degrees: Double) {
    #expect(abs(Trigonometry.degrees(y: y, x: x) - degrees) < 1e-13)
  }
}
