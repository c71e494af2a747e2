import FarmTesting
import FoundationEssentials
import Glibc
import Subprocess
import Testing

/// Movies of 140 s on a farm, joined while they are rendered, by a process that is killed.
@Suite(.serialized) struct EarlyJoinFarmTests {
  private static let document = """
    {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
      {"asset": "a", "source": {"start": "0", "duration": "4"}, "duration": "140"}]}]},
     "export": {"fileType": "mp4", "video": {"codec": "h264", "speed": "ultrafast"}}}
    """

  @Test func `a long movie is the same, whether it is joined meanwhile or the process that joins is killed`() throws {
    let farm = try RealFarm()
    try SyntheticSource(width: 32, height: 32, frameRate: "25", frameCount: 100)
      .write(to: "\(farm.directory)/a.mp4", ["-c:v", "libx264"])
    try farm.startCoordinator()
    try farm.startWorker("anna", renders: true)
    let worker = try #require(farm.workers["anna"])
    func joiner() throws -> ProcessTree.Process? {
      try ProcessTree().descendants(of: worker.processID).first { $0.arguments.contains("join") }
    }
    var movies: [[UInt8]] = []
    for isKilled in [false, true] {
      let movie = "\(farm.directory)/\(isKilled).mp4"
      let job = try submit(to: movie, farm)
      var found: ProcessTree.Process?
      try farm.wait("somebody joins job \(job)", seconds: 120) {
        found = try joiner()
        return found != nil
      }
      if isKilled { kill(try #require(found).id, SIGKILL) }
      try farm.waitDone(job)
      movies.append(try [UInt8](contentsOf: movie))
      try farm.wait("nobody joins it any more", seconds: 20) { try joiner() == nil }
      let lost = "select count(*) from spool.attempt join spool.task on id = task where job = '\(job)' and outcome <> 'won'"
      #expect(try farm.psql(lost) == "0")
    }
    #expect(movies[0] == movies[1])
    #expect(movies[0].count > 10_000)
    let hidden = try FileManager.default.contentsOfDirectory(atPath: farm.directory).filter { $0.hasSuffix(".part") }
    #expect(hidden == [])
  }

  private func submit(to movie: String, _ farm: RealFarm) throws -> String {
    try farm.write("edit.json", Self.document, mode: 0o644)
    let said = try farm.verb("submit", "\(farm.directory)/edit.json", "-o", movie, "--chunk-frames", "500")
    return try #require(said.split(separator: "\n").first.map(String.init))
  }
}
