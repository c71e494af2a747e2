import Document
import FarmTesting
import Glibc
import Messages
import Scenes
import Subprocess
import Testing
import Timeline

@Suite struct `Attempts that are cancelled` {
  @Test func `one that is told to stop lets its compositor drain, and ends`() throws {
    let workshop = Workshop()
    try workshop.clip("a.mp4", frameCount: 5)
    let notes = workshop.file("notes")
    let edit = try workshop.edit(
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}},
       "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "0.2"}}]}]},
       "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "instructions": [
         {"timeRange": {"start": "0", "duration": "0.2"},
          "compositor": {"name": "Waiter", "requiredTracks": [], "parameters": {"file": "\(notes)"}}}]},
       "export": {"preset": "lossless"}}
      """)
    let facts = Dictionary(uniqueKeysWithValues: edit.facts.map { ($0.key.rawValue, $0.value) })
    let spec = JobSpec(
      document: String(decoding: edit.timeline.canonicalJSON(), as: UTF8.self), facts: facts, output: workshop.file("m.mkv"),
      overwrites: true, keepsSegments: true)
    let order = AttemptOrder(
      job: "cancelled", key: AttemptKey(task: 1, attempt: 1), work: .picture(FrameRange(first: 0, count: 5)), spec: spec)
    var command = SpoolProgram.command(
      ["attempt", "--store", workshop.file("store"), "--media-root", workshop.file(""), "--containment", "none"],
      executable: SpoolProgram.withCompositors)
    (command.input, command.output) = (.bytes(try order.line()), .file(workshop.file("reports")))
    let attempt = try ChildProcess(command)
    // The word, not the file: the compositor makes the file before it writes to it.
    while try text(of: notes) != "asked\n", try attempt.poll() == nil {
      usleep(5_000)  // nothing tells when a file changes
    }
    attempt.signal(SIGTERM)
    #expect(try attempt.wait() == .exited(0))
    #expect(try text(of: notes) == "asked\ndrained\n")
    let reports = try text(of: workshop.file("reports")).split(separator: "\n")
    #expect(
      try reports.map { try AttemptReport(line: String($0)) } == [
        .keyed(nil), .composing("Waiter"), .failed(Failure(.transient, at: "attempt", "it was cancelled")),
      ])
  }

  /// The text of a file, empty when there is none.
  private func text(of path: String) throws -> String {
    guard unsafe access(path, F_OK) == 0 else { return "" }
    return String(decoding: try [UInt8](contentsOf: path), as: UTF8.self)
  }
}
