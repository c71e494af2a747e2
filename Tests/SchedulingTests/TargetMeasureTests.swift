import Formats
import Messages
import Testing

@Suite struct `The measure of a target` {
  private func bitRate(_ asked: Double, bytes: Int64) -> TargetMeasure {
    TargetMeasure(.bitRate(asked), pictureBytes: bytes, seconds: 10, fileBytes: 1)
  }

  @Test(arguments: [
    (500_000, false, "400 kbit/s of the 400 kbit/s that bitRate asks for"),
    (495_001, false, "396 kbit/s of the 400 kbit/s that bitRate asks for: 1 % less"),
    (504_999, false, "404 kbit/s of the 400 kbit/s that bitRate asks for: 1 % more"),
    (494_900, true, "395.9 kbit/s of the 400 kbit/s that bitRate asks for: 1 % less"),
    (250_000, true, "200 kbit/s of the 400 kbit/s that bitRate asks for: 50 % less"),
  ])
  func `says how far off a bit rate is, and warns beyond the tolerance`(bytes: Int64, isMissed: Bool, words: String) {
    let measure = bitRate(400_000, bytes: bytes)
    #expect(measure.words == words)
    #expect(measure.isMissed == isMissed)
    #expect(measure.warning == (isMissed ? "\(words), and 1 % is what a movie should miss it by at most" : nil))
  }

  @Test func `of a quality is that of the chunk that has least`() throws {
    func chunk(_ reached: Double) -> ReachedQuality {
      ReachedQuality(QualityTarget(.ssim, 0.98), reached: reached, crf: 23.25, tries: 5)
    }
    let met = try #require(TargetMeasure([chunk(0.99), chunk(0.9804), chunk(0.985)]))
    #expect(met == TargetMeasure(.ssim, asked: 0.98, reached: 0.9804) && !met.isMissed && met.warning == nil)
    #expect(met.words == "ssim 0.9804 in the chunk that has least, of the 0.98 that quality asks for")
    let missed = try #require(TargetMeasure([chunk(0.99), chunk(0.9123)]))
    #expect(missed.isMissed)
    #expect(
      missed.warning
        == "ssim 0.9123 in the chunk that has least, of the 0.98 that quality asks for: the encoder has no setting that reaches it"
    )
    #expect(TargetMeasure([]) == nil)
    #expect(chunk(0.9804).words == "ssim 0.9804 of 0.98 with crf 23.25, found in 5 encodings")
    #expect(chunk(0.9123).words == "ssim 0.9123 of 0.98, which is not reached with crf 23.25, the best of 5 encodings")
    #expect(TargetMeasure(.xpsnr, asked: 42, reached: 42.034).words.hasPrefix("xpsnr 42.03 dB in the chunk"))
  }

  @Test func `of a size counts the file`() {
    let measure = TargetMeasure(.fileSize(50_000_000), pictureBytes: 7, seconds: 10, fileBytes: 48_250_000)
    #expect(measure.words == "48.3 MB of the 50 MB that fileSize asks for: 3.5 % less")
    #expect(measure.isMissed)
  }
}
