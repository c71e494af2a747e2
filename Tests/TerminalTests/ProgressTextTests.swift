import Ledger
import Operations
import Terminal
import Testing

@Suite struct `A progress line` {
  private func status(done: Int, of count: Int = 300, chunks: Int = 3, state: JobState = .running, retries: Int = 0) -> JobStatus
  {
    JobStatus(
      id: "job", state: state, output: "/out.mp4", submitter: "me", frameCount: count, framesDone: done, chunkCount: 7,
      chunksDone: chunks, retries: retries, failure: nil, submittedAt: "", elapsedSeconds: 0)
  }

  private func speed(_ samples: (Double, Int)...) -> RenderingSpeed {
    var speed = RenderingSpeed()
    for (seconds, frames) in samples { speed.note(frames: frames, at: seconds) }
    return speed
  }

  @Test func `it shows bar, share, counts, speed and time left`() {
    let text = ProgressText(RenderProgress(status(done: 150), speed((0, 0), (3, 150))))
    #expect(
      text.line(columns: 100) == "[===================>                    ]  50% 150/300 frames, 3/7 chunks, 50 fps, 0:04 left")
    #expect(text.plain == "50% 150/300 frames, 3/7 chunks, 50 fps, 0:04 left")
  }

  @Test(arguments: [1, 10, 40, 60, 80, 120, 500])
  func `it never fills the last column, where terminals wrap`(columns: Int) {
    for done in [0, 1, 150, 299, 300] {
      let text = ProgressText(RenderProgress(status(done: done), speed((0, 0), (3, 150))))
      #expect(text.line(columns: columns).count < columns)
    }
  }

  @Test func `it promises nothing before frames advance`() {
    #expect(ProgressText(RenderProgress(status(done: 0), speed((0, 0), (3, 0)))).plain == "0% 0/300 frames, 3/7 chunks")
  }

  @Test func `it says when only the mux is left`() {
    let text = ProgressText(RenderProgress(status(done: 300, chunks: 7), RenderingSpeed()))
    #expect(text.plain == "100% 300/300 frames, 7/7 chunks, muxing, 0:01 left")
  }

  @Test func `it says that tasks were retried`() {
    #expect(ProgressText(RenderProgress(status(done: 0, retries: 2), RenderingSpeed())).plain.hasSuffix(", 2 retried"))
  }

  @Test func `it survives an edit without frames`() {
    #expect(ProgressText(RenderProgress(status(done: 0, of: 0), RenderingSpeed())).plain.hasPrefix("0% 0/0 frames"))
  }

  @Test(arguments: [(0, "0:00"), (2.1, "0:03"), (59.5, "1:00"), (760, "12:40"), (3723, "1:02:03"), (Double.infinity, "99:59:59")])
  func `durations are written as on a clock`(seconds: Double, text: String) {
    #expect(ProgressText.clock(seconds) == text)
  }

  @Test(arguments: [
    (0, "0.0 s"), (0.26, "0.3 s"), (12.34, "12.3 s"), (119.9, "119.9 s"), (120.4, "2:00"), (3723, "1:02:03"),
    (4_838_400, "1344:00:00"), (-1, "0.0 s"),
  ])
  func `times that have passed are exact, and have no end`(seconds: Double, text: String) {
    #expect(ProgressText.lasted(seconds) == text)
  }

  @Test(arguments: [(0.04, "0.0"), (9.94, "9.9"), (9.96, "10"), (47.6, "48")])
  func `rates have a decimal only below ten`(rate: Double, text: String) {
    #expect(ProgressText.decimal(rate) == text)
  }
}
