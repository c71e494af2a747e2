import Scheduling
import Testing

struct SilenceTests {
  private static func causes(_ notes: [Note]) -> [String] {
    notes.compactMap { $0.description.firstMatch(of: #/cause="(.*)"/#).map { String($0.1) } }
  }

  @Test func `it is told within five seconds, then at pauses that double up to ten minutes`() {
    var silence = Silence(hasKeys: false)
    silence.tries("tcp://a:1")
    let told = (0..<4000).filter { !silence.turn(now: .seconds($0)).isEmpty }
    #expect(told == [4, 12, 28, 60, 124, 252, 508, 1020, 1620, 2220, 2820, 3420])
  }

  @Test func `each endpoint that was tried has its cause, and one of which nothing is seen has one`() {
    var silence = Silence(hasKeys: true)
    silence.tries("tcp://a:1")
    silence.saw(.refused, at: "tcp://a:1")
    silence.tries("tcp://b:1")
    let notes = silence.turn(now: .seconds(4))
    #expect(
      notes.map {
        $0.description.hasPrefix("event=unanswered endpoint=tcp://\($0.description.contains("a:1") ? "a" : "b"):1 seconds=4 ")
      } == [true, true])
    #expect(Self.causes(notes).map { String($0.prefix(20)) } == ["the connection is re", "no answer to the con"])
  }

  /// The observations of an endpoint, in order, with the beginning of the cause that is told.
  @Test(
    arguments: [
      ([.connected], "something takes the"), ([.connected, .letIn], "connected, but not a"),
      ([.connected, .brokenOff(code: 32), .connected], "the other end hangs up"),
      ([.connected, .keyRefused(status: 400), .brokenOff(code: 32)], "the coordinator does not let it in"),
      ([.misunderstood(code: 0x1100_0001), .brokenOff(code: 32), .connected], "they do not understand each other"),
      ([.connected, .letIn, .refused, .refused], "the connection is re"), ([.refused, .connected], "something takes the"),
      ([.connected, .brokenOff(code: 32), .refused, .connected], "the other end hangs up"),
      ([.letIn, .notLeading], "it does not lead, an"),
    ] as [([Silence.Sight], String)])
  func `the last that was seen counts, but a new try or a hang-up does not hide why it failed`(
    sights: [Silence.Sight], cause: String
  ) {
    var silence = Silence(hasKeys: true)
    silence.tries("e")
    for sight in sights { silence.saw(sight, at: "e") }
    #expect(Self.causes(silence.turn(now: .seconds(4))).allSatisfy { $0.hasPrefix(cause) })
  }

  @Test func `an answer is told once, if silence was, and begins anew`() {
    var silence = Silence(hasKeys: false)
    silence.tries("e")
    #expect(silence.answered(by: "e", now: .seconds(3)) == nil)
    #expect(silence.turn(now: .seconds(6)).isEmpty)
    #expect(silence.turn(now: .seconds(7)).count == 1)
    #expect(silence.answered(by: "e", now: .seconds(9))?.description == "event=answered endpoint=e after_seconds=6")
    #expect(silence.answered(by: "e", now: .seconds(10)) == nil)
    #expect(silence.turn(now: .seconds(13)).isEmpty && silence.turn(now: .seconds(14)).count == 1)
  }
}
