import Ledger
import Operations
import Testing

@Suite struct `A job's speed` {
  /// A job that has so many frames left.
  private func status(_ left: Int) -> JobStatus {
    JobStatus(
      id: "job", state: .running, output: "/out.mp4", submitter: "me", frameCount: 200, framesDone: 200 - left, chunkCount: 2,
      chunksDone: left == 0 ? 2 : 1, retries: 0, failure: nil, submittedAt: "", elapsedSeconds: 0)
  }

  @Test func `something is left until the movie is there, the mux at least`() {
    #expect(RenderingSpeed().secondsLeft(of: status(100)) == nil)
    #expect(RenderingSpeed().secondsLeft(of: status(0)).map { $0 > 0 } == true)
  }

  @Test func `it looks back no further than its window`() {
    var speed = RenderingSpeed()
    for second in 0...100 { speed.note(frames: second < 50 ? 0 : (second - 50) * 10, at: Double(second)) }
    #expect(speed.framesPerSecond == 10)
    #expect(speed.secondsLeft(of: status(100)).map { (10...10.5).contains($0) } == true)
  }

  @Test func `it starts anew when a lost attempt takes frames back`() {
    var speed = RenderingSpeed()
    speed.note(frames: 0, at: 0)
    speed.note(frames: 100, at: 1)
    speed.note(frames: 20, at: 2)
    #expect(speed.framesPerSecond == nil)
    speed.note(frames: 40, at: 3)
    #expect(speed.framesPerSecond == 20)
  }
}
