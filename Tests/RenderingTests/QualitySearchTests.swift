import Formats
import Rendering
import Testing

/// The search for a setting that reaches a quality, on encoders that are formulas.
@Suite struct `A search for a quality` {
  private static let codecs: [VideoCoding] = [.h264(H264()), .hevc(HEVC()), .vp9(VP9()), .av1(AV1())]

  /// Searches with an encoder whose distortion is a function of `crf`.
  private func search(
    _ target: QualityTarget, _ coding: VideoCoding, keepsCap: (Double) -> Bool = { _ in true },
    distortion: (Double) -> Double
  ) throws -> (best: QualitySearch.Measured?, tries: [Double]) {
    var (search, tries) = (QualitySearch(target, for: coding.coder), [Double]())
    while true {
      let crf = search.crf
      #expect(!tries.contains(crf), "\(crf) is tried again: \(tries)")
      tries.append(crf)
      switch search.judge(distortion: distortion(crf), keepsCap: keepsCap(crf)) {
      case .again: try #require(tries.count < 20)
      case .done, .tooLarge: return (search.best, tries)
      }
    }
  }

  /// A distortion that grows as those of encoders do: by a factor with each step.
  private func steady(_ slope: Double, _ start: Double) -> (Double) -> Double { { start * Exponential.power(slope * $0) } }

  @Test(arguments: codecs, [0.04, 0.1, 0.2])
  func `finds the coarsest setting that is good enough, in a few tries`(coding: VideoCoding, slope: Double) throws {
    for wanted in [0.9, 0.95, 0.98, 0.995] {
      let encoder = steady(slope, 0.0008)
      let (best, tries) = try search(QualityTarget(.ssim, wanted), coding, distortion: encoder)
      let found = try #require(best)
      let steps = coding.coder.qualitySteps
      let expected = try #require(steps.last { encoder($0) <= 1 - wanted })
      #expect(found.crf == expected && found.isReached, "\(wanted): \(tries)")
      #expect(tries.count <= 9, "\(wanted): \(tries)")
    }
  }

  @Test(arguments: codecs) func `ends where no step is good enough, with the finest`(coding: VideoCoding) throws {
    let (best, tries) = try search(QualityTarget(.xpsnr, 60), coding) { 0.01 + 0.0001 * $0 }
    let found = try #require(best)
    #expect(found.crf == coding.coder.qualitySteps[0] && !found.isReached, "\(tries)")
    #expect(tries.count <= 14)
  }

  @Test(arguments: codecs) func `ends where all are good enough, with the coarsest`(coding: VideoCoding) throws {
    for distortion in [0, 1e-9] {
      let (best, tries) = try search(QualityTarget(.ssim, 0.98), coding) { _ in distortion }
      #expect(try #require(best).crf == coding.coder.qualitySteps.last)
      #expect(tries.count <= 6, "\(tries)")
    }
  }

  @Test func `ends after a few tries with an encoder that is not steady`() throws {
    // It jumps at 30, and waves below.
    let encoder = { (crf: Double) in crf > 30 ? 0.5 : 0.01 + (Int(crf * 4) % 2 == 0 ? 0.001 : 0) }
    let (best, tries) = try search(QualityTarget(.ssim, 0.98), .h264(H264()), distortion: encoder)
    #expect(try #require(best).crf == 30, "\(tries)")
    #expect(tries.count <= 14)
  }

  @Test func `keeps within the bound of the rate, even where the quality is then missed`() throws {
    let encoder = steady(0.1, 0.0008)
    let target = QualityTarget(.ssim, 0.98)
    let free = try #require(search(target, .h264(H264()), distortion: encoder).best)
    let bound = free.crf + 4
    let (best, _) = try search(target, .h264(H264()), keepsCap: { $0 >= bound }, distortion: encoder)
    let found = try #require(best)
    #expect(found.crf == bound && !found.isReached)
    // A bound that does not matter changes nothing.
    #expect(try search(target, .h264(H264()), keepsCap: { $0 >= free.crf }, distortion: encoder).best == free)
    // Nothing fits into no bits.
    #expect(try search(target, .h264(H264()), keepsCap: { _ in false }, distortion: encoder).best == nil)
  }

  @Test func `takes the quality of a measure for its distortion, and back`() {
    for measure in QualityTarget.Measure.allCases {
      let (least, most) = (measure.range.lowerBound, measure.range.upperBound)
      for value in [least, (least + most) / 2, most] {
        #expect(abs(measure.value(measure.distortion(value)) - value) < 1e-9)
      }
      #expect(measure.distortion(least) > measure.distortion(most))
    }
    #expect(QualityTarget.Measure.ssim.value(0) == 1 && QualityTarget.Measure.xpsnr.value(0) == 100)
    #expect(abs(QualityTarget.Measure.xpsnr.distortion(40) - 0.01) < 1e-12)
  }
}
