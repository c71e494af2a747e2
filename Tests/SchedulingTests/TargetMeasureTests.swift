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

  @Test func `of a size counts the file`() {
    let measure = TargetMeasure(.fileSize(50_000_000), pictureBytes: 7, seconds: 10, fileBytes: 48_250_000)
    #expect(measure.words == "48.3 MB of the 50 MB that fileSize asks for: 3.5 % less")
    #expect(measure.isMissed)
  }
}
