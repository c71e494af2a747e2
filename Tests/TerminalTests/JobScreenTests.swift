import Ledger
import Messages
import Operations
import Terminal
import Testing

@Suite struct `The screen of a job` {
  private func scene(_ states: [TaskState], most: Int, reasons: [String] = ["is running, 3 of 9 chunks done, 2 tasks run"])
    -> JobScene
  {
    let job = JobStatus(
      id: "b7kq2mzr9x4t", state: .running, output: "/srv/output/opening-of-the-evening-news.mp4", submitter: "ana@edit-1",
      frameCount: 900,
      framesDone: 300, chunkCount: 9, chunksDone: 3, retries: 1, failure: nil, submittedAt: "2026-11-29T10:00:00Z",
      waitedSeconds: 2,
      elapsedSeconds: 40)
    return JobScene(
      glance: JobGlance(
        job: job, trouble: "task 4 was tried in vain: store: no room", reasons: reasons,
        time: [JobTimeShare(.compositing, 30), JobTimeShare(.quota, 10)]),
      cells: ChunkCell.cells(of: states, most: most))
  }

  @Test func `has a mark for each chunk, and for many chunks a mark for what is most urgent among them`() {
    let states: [TaskState] = [.done, .done, .running, .ready, .waiting, .failed]
    #expect(JobScreen.lines(scene(states, most: 100), RenderingSpeed(), columns: 80).contains("##>..x"))
    let lines = JobScreen.lines(
      scene([.done, .done, .done, .ready, .ready, .running, .ready, .ready], most: 4), RenderingSpeed(), columns: 80)
    #expect(lines.contains("#+>."))
  }

  @Test func `has rows of cells that fit the screen, whatever the number of chunks`() {
    for (rows, columns) in [(24, 80), (10, 20), (60, 200), (1, 1)] {
      let cells = JobScreen.cells(rows: rows, columns: columns)
      let lines = JobScreen.lines(scene(Array(repeating: .done, count: 100_000), most: cells), RenderingSpeed(), columns: columns)
      let map = lines.filter { !$0.isEmpty && $0.allSatisfy { $0 == "#" } }
      #expect(
        map.count == max(1, min(12, rows / 3)) && map.allSatisfy { $0.count == max(1, columns - 1) }, "\(rows) x \(columns)")
    }
  }

  @Test func `says how fast it is, why it waits, what was tried, and where the time went`() {
    var speed = RenderingSpeed()
    speed.note(frames: 100, at: 0)
    speed.note(frames: 300, at: 4)
    let reasons = [
      "is running, 3 of 9 chunks done, 2 tasks run", "4 chunks wait: tester runs 2 of at most 2 attempts (spool quota)",
    ]
    let lines = JobScreen.lines(scene([.done], most: 9, reasons: reasons), speed, columns: 60)
    let text = lines.joined(separator: "\n")
    for words in [
      "b7kq2mzr9x4t of ana@edit-1, priority 0", "300/900 frames", "50 fps", "b7kq2mzr9x4t is running", "(spool quota)",
      "tried in vain",
      "of 40.0 s since its submission: 75 % compositing, 25 % held by quotas",
    ] {
      #expect(text.split(whereSeparator: \.isWhitespace).joined(separator: " ").contains(words), "\(words): \(text)")
    }
    #expect(lines.dropFirst().allSatisfy { $0.count <= 60 })
  }
}
