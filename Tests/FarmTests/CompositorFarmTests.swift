import FarmTesting
import Ledger
import Subprocess
import Testing

/// Workers whose program has compositors of its own, beside workers without any.
@Suite(.serialized) struct CompositorFarmTests {
  private let farm: RealFarm

  init() throws {
    // The compositors of these tests write files, which contained attempts may not do.
    farm = try RealFarm(worker: ["--containment", "none"])
    try SyntheticSource(width: 96, height: 64, frameCount: 50).write(to: "\(farm.directory)/a.mkv", ["-c:v", "ffv1"])
    try farm.startCoordinator()
  }

  private func document(_ compositor: String) throws -> String {
    let path = "\(farm.directory)/edit.json"
    try """
    {"spool": 1, "assets": {"a": {"path": "a.mkv"}},
     "composition": {"tracks": [{"id": "A", "media": "video", "segments": [{"asset": "a", "source": {"start": "0", "duration": "1"}}]}]},
     "videoComposition": {"renderSize": [96, 64], "frameDuration": "1/25", "instructions": [
       {"timeRange": {"start": "0", "duration": "0.4"}, "layerInstructions": ["A"]},
       {"timeRange": {"start": "0.4", "duration": "0.6"}, "compositor": \(compositor)}]},
     "export": {"preset": "lossless"}}
    """.write(toFile: path)
    return path
  }

  private func startWorker(_ name: String, program: String, renders: Bool = false) throws {
    try farm.startWorker(name, program: program, renders: renders)
    try farm.wait("\(name) is registered") { try farm.ledger.workers().contains { $0.name == name } }
  }

  @Test func `a compositor that no worker ever had is refused, and jobs that need one go to those that have it`() throws {
    try startWorker("plain", program: "spool")
    let document = try document(#"{"name": "Mixer", "requiredTracks": ["A"]}"#)
    let submission = ["submit", document, "-o", "\(farm.directory)/movie.mkv", "--chunk-frames", "5"]
    let refused = try farm.run(submission)
    #expect(refused.code == 65)
    #expect(
      refused.errorOutput
        == "error: \(document): videoComposition.instructions[1].compositor.name: no worker of the farm has compositor 'Mixer'\n")
    let exported = try SpoolProgram.run(
      ["export", "\(farm.directory)/a.mkv", farm.directory],
      environment: ["SPOOL_DATABASE": farm.url, "SPOOL_PROGRAM": SpoolProgram.executable],
      executable: SpoolProgram.withCompositors)
    #expect(exported.code == 1 && exported.errorOutput.contains("no worker of the farm has compositor 'Blend'"))
    try startWorker("mixer", program: "CompositorProgram")
    let accepted = try farm.run(submission)
    #expect(accepted.code == 0, "\(accepted.errorOutput)")
    try farm.waitDone(String(accepted.output.dropLast()))
    #expect(try farm.psql("select distinct worker from spool.attempt") == "mixer")
  }

  @Test func `a crash in a compositor costs an attempt, and another one does the work`() throws {
    try startWorker("crasher", program: "CompositorProgram", renders: true)
    let document = try document(
      #"{"name": "Crasher", "requiredTracks": [], "parameters": {"unless": "\#(farm.directory)/crashed"}}"#)
    let job = try farm.verb("submit", document, "-o", "\(farm.directory)/movie.mkv", "--chunk-frames", "25")
    try farm.waitDone(job)
    let places = try farm.psql("select failure_place from spool.attempt where failure_place is not null")
    #expect(places == "frames 0..<25, compositor 'Crasher'")
  }

  @Test func `a job that is cancelled lets the compositor drain what it was asked for`() throws {
    try startWorker("waiter", program: "CompositorProgram", renders: true)
    let document = try document(
      #"{"name": "Waiter", "requiredTracks": [], "parameters": {"file": "\#(farm.directory)/notes"}}"#)
    let job = try farm.verb("submit", document, "-o", "\(farm.directory)/movie.mkv", "--chunk-frames", "25")
    try farm.wait("the compositor is asked") { farm.read("notes") == "asked\n" }
    _ = try farm.verb("cancel", job)
    try farm.wait("the compositor is drained") { farm.read("notes") == "asked\ndrained\n" }
  }
}
