import FarmTesting
import Glibc
import Subprocess
import Testing

/// Tests that kill each kind of process with `kill -9` in the middle of a job. The job must end with the same movie as without.
@Suite(.serialized) struct `Killed processes` {
  private struct Outcome {
    let status: Subprocess.ExitStatus?
    let kills: Int
    let complaint: String
  }

  @Test(arguments: ["attempt", "worker", "coordinator", "postgres"])
  func `the job ends with the same movie`(role: String) throws {
    let studio = try Studio()
    let document = try studio.document(EditDocument.everything(export: EditDocument.lossless))
    let undisturbed = try Decoded(studio.render(document, to: "undisturbed.mkv"))

    let outcome = try render(document, studio, to: "disturbed.mkv", killing: role, times: 2)
    #expect(outcome.kills > 0, "nothing was killed")
    try #require(outcome.status == .exited(0), "\(outcome.complaint)")
    #expect(try Decoded(studio.file("disturbed.mkv")) == undisturbed)
    #expect(try ProcessTree().processes.allSatisfy { !$0.arguments.contains(studio.dataDirectory) }, "a process was left behind")
  }

  @Test func `a killed render leaves no process and no movie, and the next one goes on`() throws {
    let studio = try Studio()
    let document = try studio.document(EditDocument.everything(export: EditDocument.lossless))
    let outcome = try render(document, studio, to: "movie.mkv", killing: nil, times: 1)
    #expect(outcome.status == .signalled(SIGKILL))
    #expect(unsafe access(studio.file("movie.mkv"), F_OK) != 0)
    #expect(try eventually { try ProcessTree().processes.allSatisfy { !$0.arguments.contains(studio.dataDirectory) } })
    let movie = try studio.render(document, to: "movie.mkv")
    #expect(try Decoded(movie).pictures.count == 90)
  }

  /// Renders in many small chunks. Whenever an attempt is at work, it kills a process of `role`, or the command itself where that
  /// is nil.
  private func render(
    _ document: String, _ studio: Studio, to name: String, killing role: String?, times: Int
  ) throws -> Outcome {
    var command = SpoolProgram.command([
      "render", document, "-o", studio.file(name), "--data", studio.dataDirectory, "--chunk-frames", "4", "--workers", "2",
    ])
    (command.output, command.errorOutput) = (.null, .file(studio.file("errors.txt")))
    let child = try ChildProcess(command)
    var (kills, seen) = (0, Set<Int32>())
    var status: Subprocess.ExitStatus?
    let deadline = monotonicSeconds() + 90
    while status == nil, monotonicSeconds() < deadline {
      let tree = try ProcessTree()
      let atWork = tree.descendants(of: child.processID, role: "attempt")
      let victims = role.map { tree.descendants(of: child.processID, role: $0) } ?? [child.processID]
      if kills < times, !atWork.isEmpty, let victim = victims.first(where: { !seen.contains($0) }) {
        kill(victim, SIGKILL)
        seen.insert(victim)
        kills += 1
      }
      usleep(2000)
      status = try child.poll()
    }
    return Outcome(
      status: status, kills: kills, complaint: String(decoding: try [UInt8](contentsOf: studio.file("errors.txt")), as: UTF8.self)
    )
  }

  private func eventually(_ condition: () throws -> Bool) throws -> Bool {
    let deadline = monotonicSeconds() + 10
    while monotonicSeconds() < deadline {
      if try condition() { return true }
      usleep(10_000)
    }
    return false
  }

  private func monotonicSeconds() -> Int {
    var now = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &now)
    return now.tv_sec
  }
}
