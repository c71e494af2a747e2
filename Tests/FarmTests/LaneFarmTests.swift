import FarmTesting
import Glibc
import Ledger
import LocalFarm
import Messages
import Subprocess
import Testing

/// Muxes and publications on a farm of real processes whose slots are all busy, and the folders that movies may be written to.
@Suite(.serialized) struct LaneFarmTests {
  /// A program for attempts. Chunks of the job "long" never end, and those of other jobs wait for the file "gate".
  private static let held = """
    #!/usr/bin/env -S /usr/bin/setpriv --pdeathsig KILL /bin/sh
    cd "$(dirname "$0")"
    order=$(cat)
    case $order in
      *'"job":"long"'*) echo $$ >> starts; echo '{"progress":{"done":1,"total":2}}'; exec sleep 600 ;;
      *'"picture":'*) while [ ! -e gate ]; do setpriv --pdeathsig KILL sleep 0.02; done ;;
    esac
    printf '%s\\n' "$order" | ./attempt
    """

  @Test func `a movie is muxed and published while chunks of a higher priority hold all slots`() throws {
    let farm = try RealFarm()
    try farm.write("held", Self.held, mode: 0o755)
    farm.attemptProgram = "\(farm.directory)/held"
    try farm.startCoordinator()
    try farm.startWorker("anna")
    let short = try farm.submit(chunks: 1)
    try farm.wait("its chunk runs") { try farm.ledger.tasks(job: short).first?.state == .running }
    var long = RealFarm.submission("long", chunks: 4, output: "\(farm.directory)/long.mp4", needs: Capabilities())
    long.priority = 9
    _ = try farm.ledger.submit(long)
    try farm.wait("a chunk holds the other slot") {
      try farm.ledger.tasks(job: "long").contains { $0.state == .running }
    }
    try farm.write("gate", "", mode: 0o644)
    try farm.waitDone(short)
    #expect(try farm.ledger.tasks(job: "long").count { $0.state == .running } == 2)
  }

  @Test func `a movie that no worker of the farm may write is refused when it is submitted, and retried elsewhere`() throws {
    let farm = try RealFarm(worker: ["--output-root", "/tmp"])
    try farm.startCoordinator()
    try farm.startWorker("anna", renders: true)
    try farm.wait("anna is there") { try farm.ledger.workers().count == 1 }
    try farm.writeEdit()
    let (edit, outside) = ("\(farm.directory)/edit.json", "/var/tmp/spool-test-\(getpid()).mp4")
    let refused = try farm.run(["submit", edit, "-o", outside])
    #expect(refused.status == .exited(73))
    #expect(
      refused.errorOutput == "error: \(outside): no worker of the farm may write it: their output roots are /tmp\n")
    let job = try farm.verb("submit", edit, "-o", "\(farm.directory)/first.mp4", "--require", "nobody-has-it")
    _ = try farm.verb("cancel", job)
    for (output, code) in [(outside, 73), ("\(farm.directory)/m.mov", 64), ("\(farm.directory)/a.mp4", 73), ("/none/m.mp4", 73)] {
      #expect(try farm.run(["retry", job, "-o", output]).status == .exited(Int32(code)), "\(output)")
    }
    let second = "\(farm.directory)/second.mp4"
    #expect(try farm.verb("retry", job, "--output", second) == "\(job) queued again, to write \(second)")
    #expect(try farm.ledger.status(job: job)?.output == second)
  }

  /// Tests a render by an ordinary user. Root's own render fetches its movie from the farm, and does not depend on workers'
  /// output roots.
  @Test(.enabled("root's render writes its movie itself") { getuid() != 0 })
  func `a render on a farm of another process, whose workers may not write its movie, is refused before any work`() throws {
    let farm = try RealFarm(worker: ["--output-root", "/tmp"])
    try farm.startCoordinator()
    try farm.startWorker("anna", renders: true)
    try farm.wait("anna is there") { try farm.ledger.workers().count == 1 }
    let data = try DataDirectory(making: "\(farm.directory)/data")
    let lock = try #require(try FarmLock.take(data))
    try lock.announce(FarmLock.Holder(processID: getpid(), database: farm.url), in: data)
    try farm.writeEdit()
    let (edit, outside) = ("\(farm.directory)/edit.json", "/var/tmp/spool-test-render-\(getpid()).mp4")
    let refused = try farm.run(["render", edit, "-o", outside, "--data", data.path])
    #expect(refused.status == .exited(73))
    #expect(
      refused.errorOutput == "error: \(outside): no worker of the farm may write it: their output roots are /tmp\n")
    #expect(try farm.psql("select count(*) from spool.job") == "0")
    let inside = try farm.run(["render", edit, "-o", "\(farm.directory)/inside.mp4", "--data", data.path])
    #expect(inside.status == .exited(0), "\(inside.errorOutput)")
  }

  @Test func `a job submitted before any worker is known is warned of, and waits where none of them may write its movie`() throws
  {
    let farm = try RealFarm(worker: ["--output-root", "/tmp"])
    try farm.startCoordinator()
    try farm.writeEdit()
    let (edit, outside) = ("\(farm.directory)/edit.json", "/var/tmp/spool-test-untold-\(getpid()).mp4")
    let submitted = try farm.run(["submit", edit, "-o", outside])
    #expect(submitted.status == .exited(0))
    #expect(submitted.errorOutput.hasPrefix("warning: \(outside): no worker is known yet, "))
    let job = String(submitted.output.dropLast())
    try farm.startWorker("anna", renders: true)
    try farm.wait("why says it") {
      try farm.verb("why", job).contains("no connected worker may write \(outside): their output roots are /tmp (spool retry ")
    }
    #expect(try farm.ledger.tasks(job: job).allSatisfy { $0.attempts == 0 })
    let second = "\(farm.directory)/second.mp4"
    #expect(try farm.verb("retry", job, "--output", second) == "\(job) is to write \(second)")
    try farm.waitDone(job)
  }
}

extension RealFarm {
  /// Writes `edit.json`, an edit of ten frames.
  fileprivate func writeEdit() throws {
    try SyntheticSource(width: 64, height: 48, frameRate: "25", frameCount: 10).write(
      to: "\(directory)/a.mp4", ["-c:v", "libx264"])
    try write(
      "edit.json",
      """
      {"spool": 1, "assets": {"a": {"path": "a.mp4"}}, "composition": {"tracks": [{"id": "V", "media": "video", "segments": [
        {"asset": "a", "source": {"start": "0", "duration": "0.4"}}]}]}}
      """, mode: 0o644)
  }
}
