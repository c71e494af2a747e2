import FarmTesting
import FoundationEssentials
import Subprocess
import Testing

/// A short run of `scripts/chaos`. The script itself checks the invariants.
@Suite(.serialized) struct `Chaos` {
  private struct Report: Decodable {
    let jobs: Int
    let events: [String: Int]
    let faults: [String]
  }

  @Test func `jobs of a farm whose processes, database and segments are disturbed end with the undisturbed movies`() throws {
    for seed in SeededRandom.seeds(count: 1, longForm: "SPOOL_CHAOS") {
      // Kinds that only root can do are left out, and so are kinds that leave an attempt for the store's sweep, which runs every
      // minute.
      let kinds =
        "kill-attempt,kill-worker,kill-coordinator,crash-database,stop-database,cut-sessions,damage-segment,lose-segment,"
        + "slow-store,stall-store,skew-clock,stall-database,double-worker"
      let (done, report) = try chaos("--seed", "\(seed)", "--jobs", "2", "--events", "5", "--gap", "0.3", "--kinds", kinds)
      #expect(done.code == 0, "seed \(seed): \(done.errorOutput)")
      #expect(report.jobs == 2 && report.faults.isEmpty)
      #expect(report.events.values.reduce(0, +) > 0, "seed \(seed): nothing was disturbed")
    }
  }

  @Test
  func `another frame, other samples, a half movie, a lease that stays open and a process that stays are each told`() throws {
    let directory = TemporaryDirectory()
    // The database's own user must be able to pass through this folder.
    _ = try Command("/bin/chmod", ["755", directory.path]).run(timeoutMilliseconds: 10_000)
    let (done, report) = try chaos(
      "--seed", "0", "--jobs", "1", "--events", "0", "--kinds", "kill-attempt", "--plant", in: directory.path)
    #expect(done.code == 1)
    let expected = [
      "50 frames, 1 of them others than undisturbed", "other samples than undisturbed", "left beside the movies: .0.mkv.part",
      "a leaked lease", "attempts that are not 1, 2, 3", "left behind: process",
    ]
    for fault in expected {
      #expect(report.faults.contains { $0.contains(fault) }, "\(fault) is not in \(report.faults)")
    }
  }

  /// - Parameter folder: the folder in which the run's directory is made. That directory stays after a failure. The default is
  ///   the system's folder for temporary files.
  private func chaos(_ arguments: String..., in folder: String? = nil) throws -> (Completed, Report) {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    let command = Command(
      "/usr/bin/python3", [root.appending(path: "scripts/chaos").path, "--json", "--spool", SpoolProgram.executable] + arguments,
      environment: ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TMPDIR": folder ?? "/tmp"]
    ).endingWithTests(by: "TERM")
    let done = try #require(try command.run(timeoutMilliseconds: 900_000), "it hangs")
    try #require(!done.output.isEmpty, "\(done.errorOutput)")
    return (done, try JSONDecoder().decode(Report.self, from: Data(done.output.utf8)))
  }
}
