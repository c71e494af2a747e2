import AVFoundation
import FarmTesting
import Foundation
import Spool
import SpoolCalls
import Subprocess
import Testing

// The program's environment is one for all tests of exports, so that these run one after the other, too.
extension `An export` {
  @Suite(.serialized) struct `A farm that code asks` {
    private let directory = TemporaryDirectory()

    private func start(_ arguments: [String]) throws -> ChildProcess {
      let environment = ["PATH": "/usr/bin:/bin", "HOME": directory.path, "LC_ALL": "C.UTF-8"]
      return try ChildProcess(
        Command(SpoolProgram.executable, arguments, environment: environment, output: .null, errorOutput: .null))
    }

    @Test(.timeLimit(.minutes(10))) func `takes edits, tells of them, and compares their movies`() async throws {
      let clip = try TestMedia.clip.get()
      #expect(unsafe chmod(directory.path, 0o755) == 0)
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable])
      let (database, endpoint) = (try TestCluster.shared.get().makeDatabase(), "ipc://\(directory.file("farm"))")
      let coordinator = try start(["coordinator", "--database", database, "--endpoint", endpoint])
      defer { coordinator.signal(SIGKILL) }
      let composition = AVMutableComposition()
      try composition.insertTimeRange(TestMedia.range(0, 10), of: AVURLAsset(url: clip), at: .zero)
      let document = URL(fileURLWithPath: directory.file("edit.json"))
      try Data(composition.spoolDocument().utf8).write(to: document)
      let farm = SpoolFarm(database: database)

      // Without a worker the jobs wait, and say so.
      let (movie, other) = (URL(fileURLWithPath: directory.file("a.mp4")), URL(fileURLWithPath: directory.file("b.mp4")))
      var wishes = SpoolFarm.Wishes()
      (wishes.submitter, wishes.priority) = ("ana@edit-1", -1)
      let job = try await submitted(document, to: movie, wishes, on: farm)
      let never = try await farm.submit(document, to: other)
      #expect(job.submission?.frameCount == 10 && job.submission?.output == movie.path)
      let waiting = try await job.status().job
      #expect(waiting.state == .queued && waiting.submitter == "ana@edit-1" && waiting.progress == 0)
      let reasons = try await job.why()
      #expect(reasons.kind == .job && reasons.reasons.count > 1 && reasons.time != nil)
      #expect(try await farm.status().farm.workersAlive == 0)
      try await never.cancel()
      let again = await #expect(throws: SpoolError.self) { try await farm.job("nonesuch").why() }
      #expect(again?.exitCode == 66)

      let media = clip.deletingLastPathComponent().path
      try FileManager.default.createDirectory(atPath: directory.file("store"), withIntermediateDirectories: false)
      let worker = try start([
        "worker", "--connect", endpoint, "--store", directory.file("store"), "--media-root", media, "--media-root",
        directory.path,
      ])
      defer { worker.signal(SIGKILL) }
      var states: [SpoolJobStatus.State] = []
      var last: SpoolJobStatus?
      for try await status in job.states() {
        (last, states) = (status, states + [status.state])
      }
      #expect(last?.state == .done && last?.progress == 1 && states.filter(\.isFinal).count == 1)
      var ends: [SpoolJobStatus.State] = []
      for try await status in never.states() { ends.append(status.state) }
      #expect(ends == [.cancelled])

      let found = try await job.verify()
      #expect(found.ok && found.frameCount == 10 && found.faults.isEmpty)
      // Another edit is not this movie, which is an answer, too.
      composition.removeTimeRange(TestMedia.range(0, 5))
      try Data(composition.spoolDocument().utf8).write(to: document)
      let differs = try await farm.verify(movie, against: document)
      #expect(!differs.ok && !differs.faults.isEmpty)
    }

    /// A job, once the farm's coordinator has made the database.
    private func submitted(
      _ document: URL, to movie: URL, _ wishes: SpoolFarm.Wishes, on farm: SpoolFarm
    ) async throws -> SpoolJob {
      let deadline = ContinuousClock.now + .seconds(60)
      while true {
        do { return try await farm.submit(document, to: movie, wishes) } catch {
          guard ContinuousClock.now < deadline else { throw error }
          try await Task.sleep(for: .milliseconds(200))
        }
      }
    }

    @Test func `that cannot be reached says so, with its exit code`() async throws {
      SpoolCall.surround(with: ["SPOOL_PROGRAM": SpoolProgram.executable])
      let farm = SpoolFarm(database: "postgresql:///nonesuch?host=\(directory.path)")
      let error = await #expect(throws: SpoolError.self) { try await farm.status() }
      #expect(error?.exitCode == 69 && error?.description.isEmpty == false)
    }
  }
}
