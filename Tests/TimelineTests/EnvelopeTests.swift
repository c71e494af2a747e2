import Formats
import MediaTime
import Testing
import Timeline

@Suite struct `A value over time` {
  private func time(_ value: Int64, _ timescale: Int32 = 1) throws -> MediaTime { try MediaTime(value, timescale) }

  @Test func `without keyframes the value is neutral`() throws {
    #expect(try Envelope<Double>().value(at: time(5), neutral: 1) == 1)
  }

  @Test func `before the first keyframe the value is neutral, after the last it holds`() throws {
    let envelope = try Envelope([.init(time(2), 0.25), .init(time(4), 0.75)])
    #expect(try envelope.value(at: time(1_999, 1_000), neutral: 1) == 1)
    #expect(try envelope.value(at: time(2), neutral: 1) == 0.25)
    #expect(try envelope.value(at: time(4), neutral: 1) == 0.75)
    #expect(try envelope.value(at: time(400), neutral: 1) == 0.75)
  }

  @Test func `a ramp is linear`() throws {
    let envelope = try Envelope([.init(time(0), 0.0), .init(time(10), 1.0)])
    for tenth in 0...10 { #expect(try envelope.value(at: time(Int64(tenth)), neutral: 1) == Double(tenth) / 10) }
  }

  @Test func `a held keyframe does not move`() throws {
    let envelope = try Envelope([.init(time(0), 0.5, holds: true), .init(time(10), 1.0)])
    #expect(try envelope.value(at: time(9_999, 1_000), neutral: 1) == 0.5)
    #expect(try envelope.value(at: time(10), neutral: 1) == 1)
  }

  @Test func `two keyframes at one time are a jump`() throws {
    let envelope = try Envelope([.init(time(0), 0.0), .init(time(2), 1.0), .init(time(2), 0.5), .init(time(4), 0.5)])
    #expect(try envelope.value(at: time(1), neutral: 1) == 0.5)
    #expect(try envelope.value(at: time(2), neutral: 1) == 0.5)
    #expect(try envelope.value(at: time(1_999, 1_000), neutral: 1) == 0.9995)
  }

  @Test func `holding where there is no span makes no difference`() throws {
    #expect(try Envelope([.init(time(1), 0.5, holds: true)]) == Envelope([.init(time(1), 0.5)]))
    #expect(
      try Envelope([.init(time(1), 0.5, holds: true), .init(time(1), 0.6)])
        == Envelope([.init(time(1), 0.5), .init(time(1), 0.6)]))
  }

  @Test func `each of many keyframes is found`() throws {
    let envelope = Envelope(try (0..<10_000).map { .init(try time(Int64($0), 30), Double($0)) })
    for index in stride(from: 0, to: 10_000, by: 7) {
      #expect(try envelope.value(at: time(Int64(index), 30), neutral: -1) == Double(index))
      #expect(try envelope.value(at: time(Int64(index) * 2 + 1, 60), neutral: -1) == min(Double(index) + 0.5, 9_999))
    }
  }

  @Test func `a transform moves term by term, a rectangle side by side`() throws {
    let move = try Envelope([.init(time(0), AffineTransform.identity), .init(time(2), AffineTransform(3, 1, 0, 1, 10, -20))])
    #expect(try move.value(at: time(1), neutral: .identity) == AffineTransform(2, 0.5, 0, 1, 5, -10))
    let crop = try Envelope([.init(time(0), Rect(0, 0, 10, 20)), .init(time(2), Rect(10, 0, 20, 20))])
    #expect(try crop.value(at: time(1), neutral: Rect(0, 0, 1, 1)) == Rect(5, 0, 15, 20))
  }
}
