import FarmTesting
import FoundationEssentials
import Glibc
import Ledger
import Messages
import Subprocess
import Testing

/// An edit that is changed while its chunks are rendered, on a farm of real processes of which one is killed meanwhile.
@Suite(.serialized) struct ReplacementFarmTests {
  /// An edit of two chunks. Only the second one shows the layer.
  private static func document(_ color: String) -> String {
    """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
      {"asset": "a", "source": {"start": "0", "duration": "4"}, "duration": "120"}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25"},
     "layers": [{"shape": "rectangle", "frame": [4, 4, 40, 20], "fillColor": "\(color)", "from": "100"}],
     "export": {"fileType": "mp4", "video": {"codec": "h264", "speed": "ultrafast"}}}
    """
  }

  enum Victim: CaseIterable, Sendable { case nobody, worker, coordinator, database }

  @Test(arguments: Victim.allCases)
  func `a chunk that runs is not rendered twice where the new edit has it, too`(_ victim: Victim) throws {
    let farm = try RealFarm(hasOwnServer: victim == .database)
    try SyntheticSource(width: 96, height: 64, frameRate: "25", frameCount: 100)
      .write(to: "\(farm.directory)/a.mp4", ["-c:v", "libx264"])
    try farm.startCoordinator()
    try farm.startWorker("anna", renders: true, reuse: "own")
    let movie = "\(farm.directory)/movie.mp4"
    let former = try submit("#ff0000", to: movie, farm)
    let running = try stopAttempts(2, of: "anna", farm)
    let heir = try submit("#0000ff", to: movie, farm, ["--replaces", former])
    let kept = try farm.psql("select id from spool.task where job = '\(former)' and first_frame = 0")
    #expect(try state(of: heir, farm) == "waiting" && farm.ledger.status(job: former)?.state == .cancelled)
    #expect(try farm.verb("why", heir).contains("job \(former), which was replaced, still makes the same: its result is awaited"))
    #expect(try farm.verb("why", former).contains("1 of its attempts goes on for a job that replaced it"))
    #expect(try farm.verb("why", kept).contains("job \(heir) awaits what it makes"))
    switch victim {
    case .nobody: break
    case .worker:
      try farm.kill(farm.workers["anna"])
      try farm.startWorker("ben", renders: true, reuse: "own")
    case .coordinator:
      try farm.kill(farm.coordinator)
      try farm.startCoordinator()
    case .database: try farm.restartDatabase()
    }
    // Killed processes are not there any more.
    for process in running { kill(process, SIGCONT) }
    try farm.waitDone(heir)
    let outcome = try farm.psql("select outcome from spool.attempt where task = \(kept)")
    #expect(outcome == (victim == .worker ? "expired" : "won"))
    #expect(try found(in: heir, farm) == (victim == .worker ? "" : "0"))
    #expect(try farm.ledger.status(job: former)?.state == .cancelled)

    // The movie is the one that is rendered where nothing is found.
    try FileManager.default.removeItem(atPath: "\(farm.directory)/_cache")
    let anew = "\(farm.directory)/anew.mp4"
    let fresh = try submit("#0000ff", to: anew, farm)
    try farm.waitDone(fresh)
    #expect(try found(in: fresh, farm) == "")
    #expect(try [UInt8](contentsOf: movie) == [UInt8](contentsOf: anew))
  }

  private func submit(_ color: String, to movie: String, _ farm: RealFarm, _ options: [String] = []) throws -> String {
    try farm.write("edit.json", Self.document(color), mode: 0o644)
    let words = ["submit", "\(farm.directory)/edit.json", "-o", movie, "--chunk-frames", "1500"] + options
    let submitted = try farm.run(words)
    try #require(submitted.status.isSuccess, Comment(rawValue: submitted.errorOutput))
    return try #require(submitted.output.split(separator: "\n").first.map(String.init))
  }

  /// Waits until so many attempts of a worker run, and stops their processes.
  private func stopAttempts(_ count: Int, of worker: String, _ farm: RealFarm) throws -> [Int32] {
    let parent = try #require(farm.workers[worker]).processID
    var running: [Int32] = []
    try farm.wait("\(count) attempts run") {
      running = try ProcessTree().descendants(of: parent, role: "attempt")
      return running.count == count
    }
    for process in running { kill(process, SIGSTOP) }
    return running
  }

  /// The state of a job's first chunk.
  private func state(of job: String, _ farm: RealFarm) throws -> String {
    try farm.psql("select state from spool.task where job = '\(job)' and first_frame = 0")
  }

  /// The first frames of a job's chunks that were found, and not rendered.
  private func found(in job: String, _ farm: RealFarm) throws -> String {
    try farm.psql(
      """
      select string_agg(first_frame::text, ' ' order by first_frame) from spool.task t join spool.attempt a on a.task = t.id
      where t.job = '\(job)' and a.outcome = 'won' and a.proof -> 'found' is not null
      """)
  }
}
