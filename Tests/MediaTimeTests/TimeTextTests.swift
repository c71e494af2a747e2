import FarmTesting
import FoundationEssentials
import MediaTime
import Testing

@Suite struct `The text of a time` {
  @Test(arguments: [6, 7, 8] as [UInt64])
  func `every time reads back from its text`(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    for _ in 0..<3_000 {
      let scale =
        random.chance(0.5)
        ? Int32.random(in: 1...Int32.max, using: &random) : [1, 10, 25, 512, 30_000, 90_000].randomElement(using: &random) ?? 1
      let time = try MediaTime(Int64.random(in: Int64.min...Int64.max, using: &random), scale)
      #expect(try MediaTime(parsing: time.description) == time)
    }
  }

  @Test(arguments: [
    ("12.50", "12.5"), ("-0.040", "-0.04"), ("0", "0"), ("-0", "0"), ("007", "7"), ("1001/30000", "1001/30000"),
    ("2002/60000", "1001/30000"),
    ("5/2", "2.5"), ("-1/8", "-0.125"), ("1/3", "1/3"), ("1/512", "0.001953125"), ("1/1024", "1/1024"),
    ("0.000000001", "0.000000001"),
    ("9223372036854775807", "9223372036854775807"), ("-9223372036854775808", "-9223372036854775808"),
  ])
  func `a time has one canonical text`(text: String, canonical: String) throws {
    #expect(try MediaTime(parsing: text).description == canonical)
  }

  @Test(arguments: [
    "", " 1", "1 ", "+1", "1.", ".5", "-.5", "-", "--1", "1e3", "NaN", "inf", "0x10", "1,5", "1/", "/2", "1/+2", "1.5/2", "1/2/3",
    "１", "1.2.3",
    "12345678901234567890123456789012",
  ])
  func `other texts are refused`(text: String) {
    #expect(throws: TimeError.malformed(text)) { try MediaTime(parsing: text) }
  }

  @Test(arguments: ["1/0", "1/-2"])
  func `a denominator must be positive`(text: String) {
    #expect(throws: TimeError.notPositive("denominator")) { try MediaTime(parsing: text) }
  }

  @Test(arguments: ["9223372036854775808", "0.00000000001", "1/2147483648", "0.3333333333"])
  func `a time that does not fit is an overflow`(text: String) {
    #expect { try MediaTime(parsing: text) } throws: { error in
      if case .overflow? = error as? TimeError { true } else { false }
    }
  }

  @Test func `a time is coded as its text`() throws {
    let range = try MediaTimeRange(start: MediaTime(5, 2), duration: MediaTime(1001, 30_000))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let json = try encoder.encode(range)
    #expect(String(decoding: json, as: UTF8.self) == #"{"duration":"1001/30000","start":"2.5"}"#)
    #expect(try JSONDecoder().decode(MediaTimeRange.self, from: json) == range)
  }

  @Test func `a coded range with a negative duration is refused`() {
    let json = Data(#"{"start":"1","duration":"-1"}"#.utf8)
    #expect(throws: TimeError.negativeDuration) { try JSONDecoder().decode(MediaTimeRange.self, from: json) }
  }
}
